r"""Laws of clutter: false readings that stand among those of the systems.

A law gives the number of false readings in each set and their values, one set after another. Numbers and values have a stream of random
numbers each, so that the first sets of a longer simulation are those of a shorter one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.checks import as_floats, as_number, as_probabilities, frozen
from vieta.errors import InputError

MOST = 10_000.0  # false readings a set


class Clutter(ABC):
    """A law of clutter."""

    name: ClassVar[str] = ""
    """Its name in files."""

    def draw(self, rng: Generator, means: Floats) -> tuple[Integers, Floats]:
        """How many false readings each set has, (n,), and their values (R, p); `means` (n, L, p) are the systems' own, without noise."""
        numbers, values = rng.spawn(2)
        count = self.counts(numbers, len(means))
        return count, self.values(values, np.repeat(np.arange(len(means)), count), means)

    @abstractmethod
    def counts(self, rng: Generator, n: int) -> Integers:
        """Numbers of false readings in n sets."""

    @abstractmethod
    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """(R, p) false readings, the i-th of them in the set `sets[i]`."""


@dataclass(frozen=True)
class Nothing(Clutter):
    """No false readings."""

    name: ClassVar[str] = "none"

    def counts(self, rng: Generator, n: int) -> Integers:
        """None."""
        return np.zeros(n, dtype=np.int64)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """None."""
        return np.empty((0, means.shape[2]))


@dataclass(frozen=True)
class Uniform(Clutter):
    """A Poisson number of false readings, evenly spread over an interval, or over a box of vectors."""

    name: ClassVar[str] = "uniform"

    rate: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _rate(self.rate))
        _set_range(self)

    def counts(self, rng: Generator, n: int) -> Integers:
        """Poisson."""
        return rng.poisson(self.rate, n)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """Independent coordinates."""
        return rng.uniform(self.low, self.high, (len(sets), means.shape[2]))


@dataclass(frozen=True)
class Gaussian(Clutter):
    """A Poisson number of false readings with Gaussian coordinates."""

    name: ClassVar[str] = "gaussian"

    rate: float = 1.0
    mean: float = 0.0
    sd: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _rate(self.rate))
        object.__setattr__(self, "mean", as_number(self.mean, "mean"))
        object.__setattr__(self, "sd", as_number(self.sd, "sd", above=0.0))

    def counts(self, rng: Generator, n: int) -> Integers:
        """Poisson."""
        return rng.poisson(self.rate, n)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """Independent coordinates."""
        return self.mean + self.sd * rng.standard_normal((len(sets), means.shape[2]))


@dataclass(frozen=True)
class Histogram(Clutter):
    """A Poisson number of false readings; coordinates are spread evenly over bins that have given shares.

    >>> Histogram(1.0, (0.0, 1.0, 4.0), (0.5, 0.5)).edges
    (0.0, 1.0, 4.0)
    """

    name: ClassVar[str] = "histogram"

    rate: float
    edges: ArrayLike
    shares: ArrayLike

    def __post_init__(self) -> None:
        edges, shares = as_floats(self.edges, "edges"), as_probabilities(self.shares, "shares")
        if edges.ndim != 1 or shares.ndim != 1 or len(edges) != len(shares) + 1 or not (np.diff(edges) > 0.0).all():
            raise InputError(
                "histogram-shape",
                "`edges` must ascend and be one more than `shares`, got {edges} edges and {shares} shares.",
                edges=edges.size,
                shares=shares.size,
            )
        object.__setattr__(self, "rate", _rate(self.rate))
        object.__setattr__(self, "edges", frozen(edges))
        object.__setattr__(self, "shares", frozen(shares))

    def counts(self, rng: Generator, n: int) -> Integers:
        """Poisson."""
        return rng.poisson(self.rate, n)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """The distribution function inverted at uniform numbers."""
        edges, shares = np.asarray(self.edges, dtype=np.float64), np.asarray(self.shares, dtype=np.float64)
        reached = np.concatenate([[0.0], np.cumsum(shares)])
        return np.asarray(np.interp(rng.random((len(sets), means.shape[2])), reached / reached[-1], edges))


@dataclass(frozen=True)
class Following(Clutter):
    """A Poisson number of false readings that follow the systems: the mean of the set's true readings plus Gaussian noise.

    It breaks the assumption that clutter does not depend on the input.
    """

    name: ClassVar[str] = "following"

    rate: float = 1.0
    sd: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _rate(self.rate))
        object.__setattr__(self, "sd", as_number(self.sd, "sd", above=0.0))

    def counts(self, rng: Generator, n: int) -> Integers:
        """Poisson."""
        return rng.poisson(self.rate, n)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """Around the middle of the systems."""
        return np.asarray(means.mean(axis=1)[sets] + self.sd * rng.standard_normal((len(sets), means.shape[2])))


@dataclass(frozen=True)
class Bunched(Clutter):
    r"""False readings that come in bunches, evenly spread: their number has the mean :math:`\Lambda` and the variance :math:`\varphi \Lambda`.

    The number is negative binomial, :math:`\varphi > 1` the `dispersion`. It breaks the assumption that the number is Poisson.
    """

    name: ClassVar[str] = "bunched"

    rate: float = 1.0
    dispersion: float = 3.0
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _rate(self.rate))
        object.__setattr__(self, "dispersion", as_number(self.dispersion, "dispersion", above=1.0))
        _set_range(self)

    def counts(self, rng: Generator, n: int) -> Integers:
        """Negative binomial."""
        if self.rate == 0.0:
            return np.zeros(n, dtype=np.int64)
        return rng.negative_binomial(self.rate / (self.dispersion - 1.0), 1.0 / self.dispersion, n)

    def values(self, rng: Generator, sets: Integers, means: Floats) -> Floats:
        """Independent coordinates."""
        return rng.uniform(self.low, self.high, (len(sets), means.shape[2]))


def _rate(value: float) -> float:
    rate = as_number(value, "rate")
    if not 0.0 <= rate <= MOST:
        raise InputError(
            "clutter-rate",
            "`rate` must be between 0 and {most:g} false readings a set, got {rate:g}.",
            most=MOST,
            rate=rate,
        )
    return rate


def _set_range(law: "Uniform | Bunched") -> None:
    """Check the interval of a law, and keep it as numbers."""
    low, high = as_number(law.low, "low"), as_number(law.high, "high")
    if not low < high:
        raise InputError("range-empty", "`low` must be below `high`, got {low:g} and {high:g}.", low=low, high=high)
    object.__setattr__(law, "low", low)
    object.__setattr__(law, "high", high)
