"""One page with everything: the estimates, whether to trust them, how they came about, and how to get them again.

The page needs no other file and asks no server for anything.
"""

import json
from collections.abc import Iterator

import numpy as np

from vieta.arrays import Floats
from vieta.matching import match_rows
from vieta.report import html, residual_checks
from vieta.report.fit_report import Answer
from vieta.report.html import escape
from vieta.report.scatter import MOST_POINTS, places
from vieta.report.settling import Settling
from vieta.sets import Data

FEW = 5  # sets below which residuals are not worth a picture
NOT_KNOWN = "Intervals are not known."
NO_PATH = (
    "<p>How the estimate settled is not shown: there are too few sets, or they were read in pieces and not kept.</p>"
)


def page(answer: Answer) -> str:
    """The page as HTML."""
    L, n = len(answer.estimate.theta), answer.estimate.n_sets
    title = f"{L} system{'s' * (L > 1)} from {n:,} unlabeled set{'s' * (n != 1)}"
    facts = f"method <b>{escape(answer.estimate.method)}</b> · noise sd <b>{escape(answer.noise_sd)}</b>"
    return html.page(title, f"{escape(answer.sources)} · {facts}", _sections(answer))


def _sections(answer: Answer) -> Iterator[tuple[str, str]]:
    sample = answer.sample
    yield "What to make of it", html.findings(answer.verdict)
    yield "Estimates", _estimates(answer)
    if answer.shown:
        yield "Readings and systems", _readings(answer)
    yield "How the estimate settled", NO_PATH if answer.path is None else _path(answer, answer.path)
    if sample is not None and sample.is_complete:
        yield "Residuals", _residuals(answer, sample)
    yield "Data and settings", _settings(answer)


def _estimates(answer: Answer) -> str:
    known = bool(np.isfinite(answer.estimate.stderr).any())
    hold = "are to hold the truth, if the findings let them," if answer.estimate.findings else "hold the truth"
    note = f"Bars and regions {hold} with probability {answer.level:g}, one by one." if known else NOT_KNOWN
    crosses = "" if answer.truth is None else f" Crosses: the {answer.truth_name}."
    seen = "".join(f"<p>{escape(line)}</p>" for line in answer.seen)
    return html.table(*answer.table) + seen + html.picture(answer.plot(), note + crosses)


def _readings(answer: Answer) -> str:
    """Readings over time and inputs, with what the systems give; for readings that are numbers."""
    from vieta.report.scatter import readings

    figure = readings(answer.shown, answer.estimate.theta, answer.truth)
    return html.picture(figure, " ".join(_reading_words(answer)))


def _reading_words(answer: Answer) -> Iterator[str]:
    """What the picture of the readings shows."""
    n, shown = answer.estimate.n_sets, answer.shown
    count = max(len(panel.at) for panel in shown)
    which = "Every reading" if count == n else f"The readings of {count:,} of the {n:,} sets"
    lines = [panel.grid is not None for panel in shown]
    drawn = "lines" if all(lines) else "coloured marks" if not any(lines) else "lines and coloured marks"
    dashed = "" if answer.truth is None else f"; {'dashed' if any(lines) else 'crosses'}: the {answer.truth_name}"
    yield f"{which} as a dot; the {drawn} are what the systems give{dashed}."
    if not all(lines):
        yield "Marks are drawn where what a system gives depends on more than the axis shows."
    for panel in shown:
        if panel.note:
            yield f"Over {panel.label}, {panel.note} only, {len(panel.at):,} sets, so that the season can be seen."


def _path(answer: Answer, path: Settling) -> str:
    from vieta import plots

    estimate = answer.estimate
    followed = np.array([theta[match_rows(theta, estimate.theta)] for theta in path.theta])
    figure = plots.paths(path.index, followed, estimate.conf_int(answer.level), answer.parameter_names, answer.truth)
    ends_there = bool(np.allclose(followed[-1], estimate.theta, rtol=1e-9))
    return html.picture(figure, " ".join(_path_words(answer, path, ends_there)))


def _path_words(answer: Answer, path: Settling, ends_at_estimate: bool) -> Iterator[str]:
    """What the picture of a path shows."""
    from vieta.plots import MOST_PATHS

    name, n = answer.estimate.method, answer.estimate.n_sets
    if path.began == 0:
        yield f"The estimate of the filter {name} after so many sets."
    elif path.began > n:
        yield f"What the method {name} makes of the first sets, of more of them, and of all."
    else:
        yield f"Up to {path.began:,} sets, what the method {name} makes of all of them so far; from there its filter, set by set."
    if not ends_at_estimate:
        yield "The path is that of the filter, which ends near, not at, the estimate from all sets."
    if np.isfinite(answer.estimate.stderr).any():
        yield "The bands are the intervals of the estimates above."
    if answer.truth is not None:
        yield f"Dashed: the {answer.truth_name}."
    if answer.estimate.theta.size > MOST_PATHS:
        yield f"The first {MOST_PATHS} of the {answer.estimate.theta.size} parameters are shown."


def _residuals(answer: Answer, sample: Data) -> str:
    left = residual_checks.of_sums(sample, answer.estimate.theta)
    parts = [_residuals_of(answer, sample, column, i, left.shape[1]) for i, column in enumerate(left.T)]
    note = "The sum of each set less what the estimate gives for it: no labels are needed."
    if len(left) >= FEW:
        note += " Dashed: two standard deviations of the estimated noise; curve: the normal law with it."
    part = f" Of the first {len(left):,} sets." if len(left) < answer.estimate.n_sets else ""
    return f"<p>{note}{part}</p>" + "".join(parts)


def _residuals_of(answer: Answer, sample: Data, left: Floats, i: int, count: int) -> str:
    """Residuals (N,) of number i of `count` numbers of a reading."""
    from vieta import plots

    label = answer.input_names[0] if len(answer.input_names) == 1 else "size of the input"
    noise = float(np.atleast_2d(answer.estimate.noise_var)[i, i])
    sd = float(np.sqrt(max(len(answer.estimate.theta) * noise, 0.0)))
    some, size = places(len(left), MOST_POINTS), _input_size(answer, sample)
    figure = plots.residuals(left[some], some + 1, sd, None if size is None else size[some], label)
    rows = [[c.name, "" if c.z is None else _rounded(c.z), c.says] for c in residual_checks.checks(left)]
    heading = f"<h3>reading {i + 1}</h3>" if count > 1 else ""
    drawn = html.picture(figure, "") if len(left) >= FEW else ""
    return heading + drawn + html.table(["of the residuals", "z", "says"], rows)


def _rounded(z: float) -> str:
    """One digit behind the point, and no sign before nothing.

    >>> _rounded(-0.04), _rounded(-1.26)
    ('0.0', '-1.3')
    """
    return f"{round(z, 1) + 0.0:.1f}"


def _input_size(answer: Answer, sample: Data) -> Floats | None:
    """(N,) the input, if it is one number, or else its size; None where there is none."""
    if not answer.input_names:
        return None
    if sample.inputs.ndim == 1:
        return sample.inputs
    if len(answer.input_names) == 1:  # beside an intercept
        return np.asarray(sample.inputs[:, 0, -1])
    return np.asarray(np.sqrt((sample.inputs**2).sum(axis=(1, 2))))


def _settings(answer: Answer) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in answer.description)
    numbers = html.numbers(json.dumps(answer.to_dict(), indent=2, allow_nan=False))
    return f"<ul>{lines}</ul>{html.command(answer.command)}" + numbers
