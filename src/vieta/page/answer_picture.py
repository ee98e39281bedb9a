"""An answer as a browser draws it: readings by their most likely system, what the systems give, residuals. Few points, whatever was read."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.estimators import Estimate
from vieta.page.picture_rows import listed, names_of, shown_of
from vieta.page.plane_picture import plane_of
from vieta.report import residual_checks
from vieta.report.fit_report import Answer
from vieta.report.scatter import Panel, places

MOST_RESIDUALS = 1500
RIVALS = ("rival-solution", "rival-optimum")  # findings that name another solution
SECOND = 1e6  # microseconds


def pictured(answer: Answer) -> dict[str, Any]:
    """The pictures of an answer, ready for JSON."""
    other = rival(answer.estimate)
    return {
        "panels": _panels(answer, other),
        "residuals": residuals_of(answer),
        "rival": None if other is None else _rival_table(answer, other),
    }


def _panels(answer: Answer, other: Floats | None) -> list[dict[str, Any]]:
    """Numbers over time and inputs, pairs in the plane."""
    sample = answer.sample
    if sample is None or sample.reading_dim == 1 or answer.estimate.answers is not None:
        return [panel_of(panel, answer.estimate) for panel in answer.shown]
    names = names_of(answer.settings.get("values", []), sample.reading_dim)
    return [plane_of(sample, answer.estimate, names, other)]


def rival(estimate: Estimate) -> Floats | None:
    """(L, D) another solution that explains the sets about as well, as the finding about it has it; None if there is none, or not all of it."""
    said = next((one.facts["rival"] for one in estimate.findings if one.code in RIVALS), "")
    try:
        found = np.array(json.loads(f"[{said.replace(';', ',')}]"), dtype=np.float64)
    except ValueError:  # long rows are said in part
        return None
    return found if found.shape == estimate.theta.shape else None


def _rival_table(answer: Answer, other: Floats) -> dict[str, Any]:
    """As a table: a row a system, numbered as that solution has them."""
    rows = [[str(l), *(f"{value:.4g}" for value in row)] for l, row in enumerate(other, start=1)]
    return {"header": ["system", *answer.parameter_names], "rows": rows}


def panel_of(panel: Panel, estimate: Estimate) -> dict[str, Any]:
    """Readings over an axis, in ascending order along it.

    `readings` has a list for each system, of the reading that is most likely its own, and `probability` how likely that is; `false` has as
    many lists as a set has readings that are most likely false. `lines` are what the systems give at `grid`, `rival` what another solution
    gives.
    """
    order = np.argsort(panel.at, kind="stable")
    scale = SECOND if panel.kind == "time" else 1.0
    own, probability, false = _by_system(panel, estimate)
    has_line = panel.grid is not None and panel.grid_rows is not None
    at, rows = (panel.grid, panel.grid_rows) if has_line else (panel.at[order], panel.rows[order])
    other = rival(estimate)
    return {
        "label": panel.label,
        "kind": panel.kind,
        "levels": list(panel.levels),
        "value": panel.value,
        "note": shown_of(len(panel.at), estimate.n_sets, panel.note),
        "at": listed(panel.at[order] / scale),
        "readings": [listed(column[order]) for column in own.T],
        "probability": [listed(column[order].round(3)) for column in probability.T],
        "false": [listed(column[order]) for column in false.T],
        "grid": listed(np.asarray(at) / scale),
        "lines": [listed(column) for column in (np.asarray(rows) @ estimate.theta.T).T],
        "rival": [] if other is None else [listed(column) for column in (np.asarray(rows) @ other.T).T],
        "has_line": has_line,
    }


def _by_system(panel: Panel, estimate: Estimate) -> tuple[Floats, Floats, Floats]:
    """(n, L) the reading of each system in the likeliest assignment of a set, its probability, and (n, m) readings that belong to none."""
    n, L = len(panel.sets), len(estimate.theta)
    own, probability = np.full((n, L), np.nan), np.full((n, L), np.nan)
    inputs = panel.rows[:, 0] if panel.rows.shape[1] == 1 else panel.rows
    try:
        found = estimate.associations(panel.sets, inputs)
    except VietaError:  # of answers, which are not measurements
        return own, probability, panel.sets
    there = np.isfinite(panel.sets)
    of_set, reading = np.nonzero(there)[0], panel.sets[there]
    is_own = found.best >= 0
    k, l = of_set[is_own], found.best[is_own]
    own[k, l] = reading[is_own]
    probability[k, l] = found.systems[np.flatnonzero(is_own), l]
    return own, probability, _in_columns(of_set[~is_own], reading[~is_own], n)


def _in_columns(rows: "np.ndarray", values: Floats, n: int) -> Floats:
    """(n, m) values in their rows, one after the other; m is the most that a row has.

    >>> _in_columns(np.array([1, 1]), np.array([5.0, 6.0]), 3)
    array([[nan, nan], [ 5.,  6.], [nan, nan]])
    """
    counts = np.bincount(rows, minlength=n)
    table = np.full((n, int(counts.max(initial=0))), np.nan)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    table[rows, np.arange(len(rows)) - first[rows]] = values
    return table


def residuals_of(answer: Answer) -> list[dict[str, Any]]:
    """Of each number of a reading: the sums over sets less what the estimate gives for them, and what tests make of them."""
    sample = answer.sample
    if sample is None or not sample.is_complete:
        return []
    left = residual_checks.of_sums(sample, answer.estimate.theta)
    some = places(len(left), MOST_RESIDUALS)
    noise = np.diag(np.atleast_2d(answer.estimate.noise_var))
    p = left.shape[1]
    names = names_of(answer.settings.get("values", []), p) if p > 1 else [""]
    sd = np.sqrt(np.maximum(len(answer.estimate.theta) * noise, 0.0))
    return [
        {
            "of": names[i],
            "at": listed(np.asarray(some + 1.0)),
            "note": shown_of(
                len(some), answer.estimate.n_sets, "" if answer.estimate.n_sets == len(left) else "the first of them"
            ),
            "left": listed(column[some]),
            "sd": float(sd[i]) if np.isfinite(sd[i]) else None,
            "checks": [
                [one.name, "" if one.z is None else f"{round(one.z, 1) + 0.0:.1f}", one.says]
                for one in residual_checks.checks(column)
            ],
        }
        for i, column in enumerate(left.T)
    ]


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A table as CSV; a cell that a spreadsheet would take for a formula is made text.

    >>> as_csv(["system", "a,b"], [["1", "=1+1"], ["2", "-0.5"]])
    'system,"a,b"\n1,\'=1+1\n2,-0.5\n'
    """
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_plain(cell) for cell in header])
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _plain(cell: str) -> str:
    try:
        float(cell)
    except ValueError:
        return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
    return cell
