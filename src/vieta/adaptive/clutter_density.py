r"""The density of false readings: a histogram in each coordinate, the same whatever the input is.

.. math:: c(y) = \prod_q c_q(y_q), \qquad c_q \text{ constant in } B \text{ bins over the range of the readings},

learned from the readings, each counted by the probability that it is false. Half a reading more in each bin (Jeffreys' prior) keeps every
bin possible; `log_prior` is what it adds to the likelihood.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers

BINS, FEWEST_BINS = 40, 6
READINGS_A_BIN = 25
PRIOR = 0.5  # false readings that are added to each bin
ALIKE = 1e-6  # of their size: readings that are all within this are spread over it
BEYOND = 0.02  # of the range, that the bins reach beyond it


@dataclass(frozen=True, slots=True, eq=False)
class ClutterDensity:
    """Where the bins begin (p,), how wide they are (p,), and the densities (p, B) in them."""

    low: Floats
    width: Floats
    heights: Floats

    @property
    def extent(self) -> float:
        """The widest range of a coordinate."""
        return float((self.width * self.heights.shape[1]).max())

    def bins(self, readings: Floats) -> Integers:
        """(.., p) the bin of each coordinate; the nearest for a reading outside."""
        at = np.floor((readings - self.low) / self.width)
        return np.asarray(np.clip(np.nan_to_num(at), 0, self.heights.shape[1] - 1), dtype=np.int64)

    def log(self, readings: Floats) -> Floats:
        """(R,) log c of readings (R, p)."""
        at = self.bins(readings)
        return np.asarray(np.log(self.heights)[np.arange(len(self.low)), at].sum(axis=1))

    def counted(self, readings: Floats, weights: Floats) -> Floats:
        """(p, B) how much weight (R,) the readings (R, p) in each bin have."""
        at, B = self.bins(readings), self.heights.shape[1]
        return np.stack([np.bincount(at[:, q], weights, B) for q in range(len(self.low))])

    def learned(self, counts: Floats) -> "ClutterDensity":
        """The density that weights (p, B) in the bins tell."""
        share = (counts + PRIOR) / (counts + PRIOR).sum(axis=1, keepdims=True)
        return ClutterDensity(self.low, self.width, share / self.width[:, None])

    @property
    def log_prior(self) -> float:
        """The logarithm of the prior, up to a constant."""
        return PRIOR * float(np.log(self.heights * self.width[:, None]).sum())


def flat_density(low: Floats, high: Floats, n_readings: int) -> ClutterDensity:
    """The uniform density over the range of so many readings, (p,) and (p,)."""
    extent = np.maximum(high - low, np.maximum(ALIKE * np.maximum(abs(low), abs(high)), 1e-150))
    B = int(np.clip(n_readings // READINGS_A_BIN, FEWEST_BINS, BINS))
    begin = low - BEYOND * extent
    width = (1.0 + 2.0 * BEYOND) * extent / B
    return ClutterDensity(begin, width, np.repeat(1.0 / (B * width)[:, None], B, axis=1))
