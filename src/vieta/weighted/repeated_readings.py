r"""Readings that stand twice in their set: equal to the last digit, where readings hardly ever come as close.

Readings that are rounded to steps h are equal in a set now and then, and then about twice as many differ by one step: the density of a
distance is flat near zero, and a distance of h comes with either sign. Where a reading was lost and another written in its place, or values
are held at a limit, far more are equal than differ by little. So the sets with equal readings are compared with those whose smallest positive
distance is among the smallest of all, within a factor of two.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes

FEWEST = 5  # sets
RATIO, MARGIN = 3, 6  # times as many as differ by little, and so many more
OCTAVES = 2200  # powers of two that a double can have
LOWEST = -1100


class Repeated(NamedTuple):
    """In so many of the sets two readings are equal; so many have a smallest distance next to that."""

    equal: int
    close: int

    @property
    def found(self) -> bool:
        """Whether that is no rounding."""
        return self.equal >= FEWEST and self.equal > RATIO * self.close + MARGIN


def repeated_readings(passes: Passes) -> Repeated:
    """Counts, for readings that are numbers, from one pass, or two where some are equal."""
    if passes.like.reading_dim > 1 or passes.like.n_systems < 2:
        return Repeated(0, 0)
    equal = passes.total(lambda block, _: int((_gaps(block).min(axis=1, initial=np.inf) == 0.0).sum()))
    if equal < FEWEST:
        return Repeated(equal, 0)
    counts = passes.total(lambda block, _: _octaves(_gaps(block)))
    some = np.flatnonzero(counts)
    return Repeated(equal, int(counts[some[0]]) if len(some) else 0)


def _gaps(block: Data) -> Floats:
    """(n, L - 1) distances of neighbouring readings."""
    return np.diff(np.sort(block.sets[:, :, 0], axis=1), axis=1)


def _octaves(gaps: Floats) -> Floats:
    """(OCTAVES,) how many positive gaps have each power of two; a rounding error counts for none."""
    positive = gaps[gaps > 1e-12 * gaps.max(initial=0.0)]
    place = np.frexp(positive)[1] - LOWEST
    return np.asarray(np.bincount(place, minlength=OCTAVES), dtype=np.float64)
