"""Readings of several numbers as a browser draws them: the second number over the first, by their most likely system."""

from typing import Any

import numpy as np

from vieta.arrays import Floats
from vieta.estimators import Estimate
from vieta.page.picture_rows import listed, shown_of
from vieta.report.scatter import MOST_POINTS, places
from vieta.sets import Data, as_given


def plane_of(sample: Data, estimate: Estimate, names: list[str], other: Floats | None = None) -> dict[str, Any]:
    """A panel as `panel_of` gives it, with a row a reading; `lines` are the places that systems give, `rival` those of the `other` solution."""
    L, p = len(estimate.theta), sample.reading_dim
    some = sample.at(places(len(sample), max(MOST_POINTS // L, 1)))
    found = estimate.associations(as_given(some), some.inputs)
    readings = some.readings.reshape(-1, p)
    order = np.argsort(readings[:, 0], kind="stable")
    value, best, probability = readings[order, 1], found.best[order], found.systems[order]
    false = np.where(best < 0, value, np.nan)
    given = np.concatenate([_given(some, theta) for theta in (estimate.theta, other) if theta is not None])
    columns = _apart(given[:, :, 1])
    only = f"Of {p} numbers, the first two are shown." if p > 2 else ""
    return {
        "label": names[0],
        "kind": "number",
        "levels": [],
        "value": names[1],
        "note": f"{shown_of(len(some), estimate.n_sets)} {only}".strip(),
        "at": listed(readings[order, 0]),
        "readings": [listed(np.where(best == l, value, np.nan)) for l in range(L)],
        "probability": [listed(np.where(best == l, probability[:, l], np.nan).round(3)) for l in range(L)],
        "false": [listed(false)] if np.isfinite(false).any() else [],
        "grid": listed(given[:, :, 0].ravel()),
        "lines": columns[:L],
        "rival": columns[L:],
        "has_line": False,
        "plane": True,
    }


def _given(some: Data, theta: Floats) -> Floats:
    r"""(L, m, 2) the first two of :math:`\Psi_k \theta_l`, at each of the m different inputs."""
    psi = np.unique(some.inputs, axis=0)
    found = np.einsum("k,lj->lkj", psi, theta) if psi.ndim == 1 else np.einsum("kjd,ld->lkj", psi, theta)
    return np.asarray(found[:, :, :2])


def _apart(rows: Floats) -> list[list[float | None]]:
    """A column for each row, one after the other, and None where others are.

    >>> _apart(np.array([[1.0, 2.0], [3.0, 4.0]]))
    [[1.0, 2.0, None, None], [None, None, 3.0, 4.0]]
    """
    count, m = rows.shape
    table = np.full((count, count * m), np.nan)
    for i, row in enumerate(rows):
        table[i, i * m : (i + 1) * m] = row
    return [listed(column) for column in table]
