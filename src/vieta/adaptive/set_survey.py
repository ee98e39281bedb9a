"""What is known of incomplete sets before anything is estimated: how many there are, of which sizes, and where readings lie."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.sets import Data
from vieta.sums import Passes

SAME = 1e-9  # of their sum of squares: inputs that vary by less are constant


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Sizes of sets, and the range of readings; two add.

    Attributes
    ----------
    sizes : (M + 1,)
        How many sets have 0, 1, .., M readings.
    low, high : (p,)
        The smallest and the largest reading, coordinate by coordinate.
    gram : (D, D)
        Sum of Psi'Psi.
    total : (p, D)
        Sum of Psi.
    """

    sizes: Integers
    low: Floats
    high: Floats
    gram: Floats
    total: Floats

    @classmethod
    def of(cls, data: Data) -> Self:
        """That of some sets."""
        readings, offsets = data.flat
        p = readings.shape[1]
        none = np.full(p, np.inf)
        low, high = (readings.min(axis=0), readings.max(axis=0)) if len(readings) else (none, -none)
        psi = data.inputs if data.inputs.ndim == 3 else data.inputs[:, None, None] * np.eye(data.dim)
        gram = np.einsum("npd,npe->de", psi, psi)
        return cls(np.bincount(np.diff(offsets)), low, high, gram, psi.sum(axis=0))

    def __add__(self, other: Self, /) -> Self:
        sizes = np.zeros(max(len(self.sizes), len(other.sizes)), dtype=np.int64)
        sizes[: len(self.sizes)] += self.sizes
        sizes[: len(other.sizes)] += other.sizes
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return type(self)(sizes, low, high, self.gram + other.gram, self.total + other.total)

    @property
    def n_sets(self) -> int:
        """N."""
        return int(self.sizes.sum())

    @property
    def n_readings(self) -> int:
        """R."""
        return int(self.sizes @ np.arange(len(self.sizes)))

    @property
    def mean_size(self) -> float:
        """R / N."""
        return self.n_readings / max(self.n_sets, 1)

    @property
    def extent(self) -> float:
        """The widest range of a coordinate."""
        return float((self.high - self.low).max())

    @property
    def is_constant(self) -> bool:
        """Whether all inputs are the same."""
        size = float(np.trace(self.gram))
        return size - float((self.total**2).sum()) / max(self.n_sets, 1) <= SAME * size

    def above(self, size: int) -> int:
        """How many sets have more readings than that."""
        return int(self.sizes[size + 1 :].sum())

    def below(self, size: int) -> int:
        """How many sets have fewer readings than that."""
        return int(self.sizes[:size].sum())


def survey(passes: Passes) -> Survey:
    """The survey of all sets, in one pass."""
    return passes.total(lambda block, _: Survey.of(block))
