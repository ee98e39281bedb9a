r"""What is to be said of readings that were fitted as measurements and look like answers: 0 and 1, or a coarse grid.

Rounding to a step :math:`\Delta` moves the mean of a reading by at most :math:`(\Delta/\pi)\,e^{-2\pi^2\sigma^2/\Delta^2}` (the first
harmonic; the next ones are smaller by powers of it) and adds :math:`\Delta^2/12` to its variance.
"""

import numpy as np

from vieta.answers.rounded import recognised
from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.findings import Finding, finding
from vieta.solution import Solution
from vieta.sums import Passes

SOME = 500  # sets that are looked at
ENOUGH = 20  # of them
EXACT = 1e-9  # variance, of the square of a step: numbers on a grid that are explained exactly
MOST_LEVELS = 11  # of a scale
PILED, SOME_PART = 0.5, 0.03  # readings at an end over those next to it, and over all: where they do not thin out
COARSE, BIASED = 0.7, 2.0  # noise deviations a step: where it is said, and where it matters


def of_numbers(passes: Passes, solution: Solution) -> tuple[Finding, ...]:
    """Findings on readings as such, after a fit that took them for measurements."""
    if passes.like.reading_dim != 1 or solution.n_sets < ENOUGH:
        return ()
    values = np.unique(passes.head(SOME).readings)
    if len(values) < 2:
        return ()
    if set(values.tolist()) == {0.0, 1.0} and _holds(passes, values):
        return (finding("binary-readings"),)
    variance = float(np.atleast_2d(solution.noise)[0, 0])
    if BIASED**2 * variance > 1.0 and _is_scale(passes, values):  # noise that moves readings by more than half a level
        return (finding("scale-readings", low=float(values[0]), high=float(values[-1])),)
    try:
        step = recognised(values)
    except InputError:
        return ()
    return _of_step(step, variance)


def _holds(passes: Passes, values: Floats) -> bool:
    """Whether there are no other values in any set."""
    return not passes.total(lambda block, _: int((~np.isin(block.readings, values)).sum()))


def _is_scale(passes: Passes, values: Floats) -> bool:
    """Whether readings are 3 to `MOST_LEVELS` whole numbers in a row, from 0 or 1 on, and pile up at an end, as measurements do not."""
    low = float(values[0])
    if low not in (0.0, 1.0) or not 3 <= len(values) <= MOST_LEVELS or (values != low + np.arange(len(values))).any():
        return False
    counts = passes.total(lambda block, _: (block.readings.ravel()[:, None] == values).sum(axis=0))
    ends, beside = counts[[0, -1]], counts[[1, -2]]
    piled = (ends > PILED * beside) & (ends > SOME_PART * counts.sum())
    return bool(piled.any() and _holds(passes, values))


def _of_step(step: float, variance: float) -> tuple[Finding, ...]:
    if variance < EXACT * step**2:  # nothing was rounded away
        return ()
    before = np.sqrt(max(variance - step**2 / 12.0, (0.05 * step) ** 2))
    ratio = step / before
    if not np.isfinite(ratio) or ratio < COARSE:
        return ()
    return (
        finding(
            "rounded-readings",
            "caution" if ratio >= BIASED else "note",
            step=step,
            ratio=ratio,
            bias=rounding_bias(step, before),
            growth=float(np.sqrt(1.0 + (step / before) ** 2 / 12.0)),
        ),
    )


def rounding_bias(step: float, sd: float) -> float:
    """The most by which rounding to a step moves the mean of a number with normal noise.

    >>> round(rounding_bias(1.0, 0.5), 4)
    0.0023
    """
    return float(step / np.pi * np.exp(-2.0 * (np.pi * sd / step) ** 2))
