"""One page with everything: the estimates, whether to trust them, how they came about, and how to get them again.

The page needs no other file and asks no server for anything.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from vieta.io import page as html
from vieta.io import residuals
from vieta.io.answer import Answer
from vieta.io.fitting import filter_of
from vieta.io.truth import beside
from vieta.symmetric.arrays import Floats, Integers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_POINTS = 3000


def page(answer: Answer) -> str:
    """The page as HTML."""
    L = len(answer.estimate.theta)
    title = f"{L} system{'s' * (L > 1)} from {answer.estimate.n_sets:,} unlabeled sets"
    names = ", ".join(source.name for source in answer.reader.sources)
    facts = f"method <b>{escape(answer.method)}</b> · noise sd <b>{escape(answer.noise_sd)}</b>"
    return html.page(title, f"{escape(names)} · {facts}", _sections(answer))


def _sections(answer: Answer) -> Iterator[tuple[str, str]]:
    yield "What to make of it", html.findings(answer.verdict, fine=not answer.estimate.warnings)
    yield "Estimates", _estimates(answer)
    readings = _readings(answer)
    if readings is not None:
        yield (
            "Readings and systems",
            html.picture(readings, "Every reading as a dot; the lines are what the systems give."),
        )
    yield "How the estimate settled", _path(answer)
    yield "Residuals", _residuals(answer)
    yield "Data and settings", _settings(answer)


def _estimates(answer: Answer) -> str:
    note = f"Bars and regions hold the truth with probability {answer.level:g}, one by one."
    return html.table(answer.table_header, answer.table_rows) + html.picture(answer.plot(), note)


def _readings(answer: Answer) -> "Figure | None":
    """Readings over the input, or over time where there is none; for readings and parameters that are numbers."""
    from vieta import plots

    sets, inputs = answer.outcome.sets, answer.outcome.inputs
    layout = answer.reader.layout
    if sets.ndim != 2 or len(layout.inputs) > 1:
        return None
    some = _some(len(sets), MOST_POINTS // sets.shape[1])
    rows = np.ones((len(some), 1)) if inputs is None else inputs[some].reshape(len(some), -1)
    at = np.asarray(some + 1, dtype=np.float64) if inputs is None else rows[:, -1]
    label = layout.inputs[0] if layout.inputs else "set"
    return plots.readings(at, sets[some], rows @ answer.estimate.theta.T, label)


def _path(answer: Answer) -> str:
    from vieta import plots

    path = answer.outcome.path
    known = None if path is None else np.isfinite(path.theta).all(axis=(1, 2))
    if path is None or known is None or known.sum() < 2:
        return "<p>There is no path to show: the filter gave none along these sets.</p>"
    note = (
        f"The estimate of the filter {filter_of(answer.method)} after so many sets. The bands are as wide as the intervals "
        "of the estimates above."
    )
    interval = answer.estimate.conf_int(answer.level)
    half = np.nan_to_num(interval[:, :, 1] - interval[:, :, 0]) / 2.0
    followed = np.array([beside(theta, answer.estimate.theta) for theta in path.theta[known]])
    return html.picture(plots.paths(path.index[known], followed, half, answer.parameter_names), note)


def _residuals(answer: Answer) -> str:
    from vieta import plots

    left = residuals.of_sums(answer.outcome.sets, answer.outcome.inputs, answer.estimate.theta)
    label = answer.reader.layout.inputs[0] if len(answer.reader.layout.inputs) == 1 else "size of the input"
    parts = []
    for i, column in enumerate(left.T):
        sd = float(np.sqrt(max(len(answer.estimate.theta) * np.atleast_2d(answer.estimate.noise_var)[i, i], 0.0)))
        some = _some(len(column), MOST_POINTS)
        size = _input_size(answer)
        figure = plots.residuals(column[some], some + 1, sd, None if size is None else size[some], label)
        rows = [[c.name, "" if c.z is None else f"{c.z:.1f}", c.says] for c in residuals.checks(column)]
        heading = f"<h3>reading {i + 1}</h3>" if left.shape[1] > 1 else ""
        parts.append(heading + html.picture(figure, "") + html.table(["of the residuals", "z", "says"], rows))
    note = (
        "The sum of each set less what the estimate gives for it: no labels are needed. Dashed: two standard deviations "
        "of the estimated noise; curve: the normal law with it."
    )
    part = " Of the last sets that were read." if answer.reader.stream else ""
    return f"<p>{note}{part}</p>" + "".join(parts)


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
    again = f"<p>The same again:</p><pre>{escape(answer.command)}</pre>"
    return f"<ul>{lines}</ul>{again}" + html.numbers(json.dumps(answer.to_dict(), indent=2, allow_nan=False))
