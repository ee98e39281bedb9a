"""One page with everything: the estimates, whether to trust them, how they came about, and how to get them again.

The page needs no other file and asks no server for anything.
"""

import json
from collections.abc import Iterator
from html import escape

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.matching import match_rows
from vieta.report import html, residual_checks
from vieta.report.file_fit import Path, filter_of
from vieta.report.fit_report import Answer

MOST_POINTS = 3000
FEW = 5  # sets below which residuals are not worth a picture
NOT_KNOWN = "Intervals are not known."


def page(answer: Answer) -> str:
    """The page as HTML."""
    L = len(answer.estimate.theta)
    n = answer.estimate.n_sets
    title = f"{L} system{'s' * (L > 1)} from {n:,} unlabeled set{'s' * (n != 1)}"
    names = ", ".join(source.name for source in answer.reader.sources)
    facts = f"method <b>{escape(answer.method)}</b> · noise sd <b>{escape(answer.noise_sd)}</b>"
    return html.page(title, f"{escape(names)} · {facts}", _sections(answer))


def _sections(answer: Answer) -> Iterator[tuple[str, str]]:
    yield "What to make of it", html.findings(answer.verdict)
    yield "Estimates", _estimates(answer)
    if answer.outcome.sets.ndim == 2 and len(answer.reader.layout.inputs) <= 1:
        yield "Readings and systems", _readings(answer)
    yield "How the estimate settled", _path(answer)
    yield "Residuals", _residuals(answer)
    yield "Data and settings", _settings(answer)


def _estimates(answer: Answer) -> str:
    known = bool(np.isfinite(answer.estimate.stderr).any())
    hold = "are to hold the truth, if the findings let them," if answer.estimate.warnings else "hold the truth"
    note = f"Bars and regions {hold} with probability {answer.level:g}, one by one." if known else NOT_KNOWN
    crosses = "" if answer.truth is None else f" Crosses: the {answer.truth_name}."
    return html.table(answer.table_header, answer.table_rows) + html.picture(answer.plot(), note + crosses)


def _readings(answer: Answer) -> str:
    """Readings over the input, or over time where there is none; for readings and parameters that are numbers."""
    from vieta import plots

    sets, inputs = answer.outcome.sets, answer.outcome.inputs
    layout = answer.reader.layout
    some = _some(len(sets), MOST_POINTS // sets.shape[1])
    rows = np.ones((len(some), 1)) if inputs is None else inputs[some].reshape(len(some), -1)
    at = np.asarray(some + 1, dtype=np.float64) if inputs is None else rows[:, -1]
    label = layout.inputs[0] if layout.inputs else "set"
    truth = None if answer.truth is None else rows @ answer.truth.T
    figure = plots.readings(at, sets[some], rows @ answer.estimate.theta.T, label, truth)
    all_of_them = len(some) == answer.estimate.n_sets
    which = "Every reading" if all_of_them else f"The readings of {len(some):,} of the {answer.estimate.n_sets:,} sets"
    dashed = "" if truth is None else f"; dashed: the {answer.truth_name}"
    return html.picture(figure, f"{which} as a dot; the lines are what the systems give{dashed}.")


def _path(answer: Answer) -> str:
    from vieta import plots

    path = answer.outcome.path
    if path is None:
        return "<p>There is no path to show: too few sets, or a method that has none for files that are read in pieces.</p>"
    known = np.isfinite(path.theta).all(axis=(1, 2))
    interval = answer.estimate.conf_int(answer.level)
    followed = np.array([theta[match_rows(theta, answer.estimate.theta)] for theta in path.theta[known]])
    figure = plots.paths(path.index[known], followed, interval, answer.parameter_names, answer.truth)
    is_there = np.allclose(followed[-1], answer.estimate.theta, rtol=1e-9)
    return html.picture(figure, " ".join(_path_words(answer, path, is_there)))


def _path_words(answer: Answer, path: Path, ends_at_estimate: bool) -> Iterator[str]:
    """What the picture of a path shows."""
    from vieta.plots import MOST_PATHS

    name, n = filter_of(answer.method), answer.estimate.n_sets
    if path.began == 0:
        yield f"The estimate of the filter {name} after so many sets."
    elif path.began >= n:
        yield "The estimate that the method efficient makes of all sets so far; a filter would not start before more of them."
    else:
        yield (
            f"Up to {path.began:,} sets, what the method efficient makes of all of them so far; from there the filter {name}, "
            "set by set."
        )
    if path.began < n and not ends_at_estimate:
        yield "The path is that of the filter, which ends near, not at, the estimate from all sets."
    if np.isfinite(answer.estimate.stderr).any():
        yield "The bands are the intervals of the estimates above."
    if answer.truth is not None:
        yield f"Dashed: the {answer.truth_name}."
    if answer.estimate.theta.size > MOST_PATHS:
        yield f"The first {MOST_PATHS} of the {answer.estimate.theta.size} parameters are shown."


def _residuals(answer: Answer) -> str:
    from vieta import plots

    left = residual_checks.of_sums(answer.outcome.sets, answer.outcome.inputs, answer.estimate.theta)
    label = answer.reader.layout.inputs[0] if len(answer.reader.layout.inputs) == 1 else "size of the input"
    parts = []
    for i, column in enumerate(left.T):
        sd = float(np.sqrt(max(len(answer.estimate.theta) * np.atleast_2d(answer.estimate.noise_var)[i, i], 0.0)))
        some = _some(len(column), MOST_POINTS)
        size = _input_size(answer)
        figure = plots.residuals(column[some], some + 1, sd, None if size is None else size[some], label)
        rows = [[c.name, "" if c.z is None else _rounded(c.z), c.says] for c in residual_checks.checks(column)]
        heading = f"<h3>reading {i + 1}</h3>" if left.shape[1] > 1 else ""
        drawn = html.picture(figure, "") if len(column) >= FEW else ""
        parts.append(heading + drawn + html.table(["of the residuals", "z", "says"], rows))
    note = "The sum of each set less what the estimate gives for it: no labels are needed."
    if len(left) >= FEW:
        note += " Dashed: two standard deviations of the estimated noise; curve: the normal law with it."
    part = " Of the last full piece that was read." if answer.reader.stream else ""
    return f"<p>{note}{part}</p>" + "".join(parts)


def _rounded(z: float) -> str:
    """One digit behind the point, and no sign before nothing.

    >>> _rounded(-0.04), _rounded(-1.26)
    ('0.0', '-1.3')
    """
    return f"{round(z, 1) + 0.0:.1f}"


def _input_size(answer: Answer) -> Floats | None:
    inputs = answer.outcome.inputs
    if inputs is None or inputs.ndim == 1:
        return inputs
    if len(answer.reader.layout.inputs) == 1:  # beside an intercept
        return np.asarray(inputs[:, -1])
    return np.asarray(np.sqrt((inputs**2).reshape(len(inputs), -1).sum(axis=1)))


def _some(n: int, most: int) -> Integers:
    """At most so many of n places, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _settings(answer: Answer) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in answer.data_in_words)
    return f"<ul>{lines}</ul>{html.command(answer.command)}" + html.numbers(
        json.dumps(answer.to_dict(), indent=2, allow_nan=False)
    )
