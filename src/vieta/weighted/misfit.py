"""A mergeable summary of how far the sets miss a model: counts and sums on a fixed logarithmic grid."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.sums import Sums

FINENESS = 200  # bins for each factor e: half a per cent wide
REACH = 28  # factors e on either side of one; what lies beyond goes to the bins at the ends


@dataclass(frozen=True, slots=True, eq=False)
class Misfit(Sums):
    """How the numbers r'V⁻¹r / (L p) of the sets are distributed; about one when all is well.

    Attributes
    ----------
    counts : (bins,)
        Numbers in each bin.
    totals : (bins,)
        Their sums.
    """

    counts: Integers
    totals: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        """The summary of numbers (n,), none of them negative; NaN counts as infinite."""
        bins = 2 * FINENESS * REACH
        with np.errstate(divide="ignore"):
            place = np.nan_to_num(np.floor(FINENESS * (np.log(values) + REACH)), nan=bins - 1)
        index = np.clip(place, 0, bins - 1).astype(np.int64)
        totals = np.asarray(np.bincount(index, values, minlength=bins), dtype=np.float64)
        return cls(np.bincount(index, minlength=bins), totals)

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return int(self.counts.sum())

    @property
    def median(self) -> float:
        """The median, each number taken as the mean of its bin: within half a per cent."""
        n = self.count
        return 0.5 * (self._ranked((n - 1) // 2) + self._ranked(n // 2))

    def largest_share(self, one_in: int) -> float:
        """The share in the sum of all that comes from the largest numbers: one in so many of them, and one at least.

        >>> Misfit.of(np.array([1.0, 1.0, 2.0])).largest_share(200)
        0.5
        """
        top = max(1, self.count // one_in)
        above = np.cumsum(self.counts[::-1])[::-1] - self.counts  # numbers in higher bins
        taken = np.clip(top - above, 0, self.counts)
        used = taken > 0
        largest = float((taken[used] / self.counts[used] * self.totals[used]).sum())
        return largest / max(float(self.totals.sum()), 1e-300)

    def _ranked(self, rank: int) -> float:
        """The number of this rank, from 0."""
        at = int(np.searchsorted(np.cumsum(self.counts), rank, side="right"))
        return float(self.totals[at] / self.counts[at])
