"""The table of an estimate: one header and its rows, whether it is printed as text, on a terminal or on a page."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.findings import Finding
from vieta.reading_model import ReadingModel

NOT_KNOWN = "not known"
PARAMETER = "parameter"  # the column of names, which there is for two parameters or more
NOISE = "noise sd"  # the column of the systems' noises, which there is where they are known

NOTHING = 1e-3  # standard errors, below which a rate counts as zero
SEEN = "seen"  # the column of probabilities, which there is where some are below one


class Table(NamedTuple):
    """Names of the columns, and a row for each parameter of each system."""

    header: list[str]
    rows: list[list[str]]


def table(
    theta: Floats,
    stderr: Floats,
    interval: Floats,
    level: float,
    *,
    names: Sequence[str] | None = None,
    truth: Floats | None = None,
    truth_name: str = "truth",
    noise_sd: Floats | None = None,
    detection: Floats | None = None,
) -> Table:
    """Parameters (L, D) with their standard errors (L, D) and intervals (L, D, 2) of a level, and the truth (L, D) if it is known.

    Where some of the systems' noises `noise_sd` (L,) are known, they stand in a column, beside a system's first parameter; so do the
    probabilities `detection` (L,) that a system is seen in a set, where some are below one.

    >>> table(np.array([[2.0]]), np.array([[0.1]]), np.array([[[1.8, 2.2]]]), 0.95)
    Table(header=['system', 'estimate', 'std. error', '95% interval'], rows=[['1', '2', '0.1', '[1.8, 2.2]']])
    """
    L, D = theta.shape
    called = names or [str(j + 1) for j in range(D)]
    known = [truth_name] if truth is not None else []
    sd = np.empty(0) if noise_sd is None or not np.isfinite(noise_sd).any() else noise_sd
    seen = np.empty(0) if detection is None or not (detection < 1.0).any() else detection
    last = [f"{100 * level:.4g}% interval", *[NOISE] * (len(sd) > 0), *[SEEN] * (len(seen) > 0)]
    header = ["system", *[PARAMETER] * (D > 1), *known, "estimate", "std. error", *last]
    rows = [
        [
            str(l + 1),
            *([called[j]] if D > 1 else []),
            *([] if truth is None else [f"{truth[l, j]:.6g}"]),
            f"{theta[l, j]:.6g}",
            *_uncertainty(float(stderr[l, j]), interval[l, j]),
            *([] if not len(sd) else [_deviation(float(sd[l]))] if j == 0 else [""]),
            *([] if not len(seen) else [f"{seen[l]:.3g}"] if j == 0 else [""]),
        ]
        for l, j in np.ndindex(L, D)
    ]
    return Table(header, rows)


def _uncertainty(stderr: float, interval: Floats) -> list[str]:
    if np.isinf(stderr) and np.isfinite(interval).any():
        return [NOT_KNOWN, f"[{interval[0]:.6g}, {interval[1]:.6g}]"]
    if not np.isfinite(stderr):
        return [NOT_KNOWN, NOT_KNOWN]
    return [f"{stderr:.3g}", f"[{interval[0]:.6g}, {interval[1]:.6g}]"]


def _deviation(sd: float) -> str:
    return f"{sd:.4g}" if np.isfinite(sd) else NOT_KNOWN


def noise_sd(noise_var: float | Floats, findings: Iterable[Finding]) -> str:
    """Standard deviations of the noise, one for each number of a reading, unless a finding says that the noise is not known.

    >>> noise_sd(0.04, ())
    '0.2'
    """
    if any(one.code == "noise-unknown" for one in findings):
        return NOT_KNOWN
    variances = np.diag(np.atleast_2d(noise_var))
    return ", ".join(f"{np.sqrt(max(float(v), 0.0)):.4g}" for v in variances)


def seen_lines(model: ReadingModel | None) -> list[str]:
    """A line on how often systems are seen and how many readings are false, with standard errors, and on the law, where that was estimated."""
    if model is None:
        return []
    if model.is_of_complete_sets:
        return [f"noise law {_law(model)}, learned from the sets"]
    same = np.ptp(model.detection) < 1e-12
    seen = model.detection[:1] if same else model.detection
    errors = model.detection_stderr[:1] if same else model.detection_stderr
    each = ", ".join(_with_error(p, e) for p, e in zip(seen, errors, strict=True))
    rate = _with_error(model.clutter_rate, model.clutter_rate_stderr)
    return [f"seen with probability {each}, {rate} false readings a set, noise law {_law(model)}"]


def _law(model: ReadingModel) -> str:
    """The name of the law of the noise, or what it is where it has none."""
    return model.law if not len(model.law_weights) else "a mixture of normals"


def _with_error(value: float, error: float) -> str:
    """A number with its error; zero alone where it lies at that end of its range, where an error means nothing."""
    return f"{value:.3g}" + f" ({error:.2g})" * bool(error > 0.0) if value > NOTHING * error else "0"


def title(n_systems: int, method: str, noise: str) -> str:
    """What stands over the table.

    >>> title(1, "rls", "0.2")
    '1 system, method rls, noise sd 0.2'
    """
    return f"{n_systems} system{'s' * (n_systems > 1)}, method {method}, noise sd {noise}"


def as_lines(shown: Table) -> list[str]:
    """The table as text, columns aligned: names to the left, numbers to the right."""
    cells = [shown.header, *shown.rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(shown.header))]
    left = [name == PARAMETER for name in shown.header]
    return [
        "  ".join(f"{cell:<{w}}" if to_left else f"{cell:>{w}}" for cell, w, to_left in zip(row, widths, left)).rstrip()
        for row in cells
    ]
