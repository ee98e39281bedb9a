"""Laws of detection: which systems are seen at which time. A system that is not seen leaves no reading in the set.

A law gives a boolean array (n, L); entry (k, l) says whether system l is seen at time k.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Booleans, Floats
from vieta.checks import as_floats, as_number, frozen
from vieta.errors import InputError


class Detection(ABC):
    """A law of detection."""

    name: ClassVar[str] = ""
    """Its name in files."""

    @abstractmethod
    def draw(self, rng: Generator, readings: Floats) -> Booleans:
        """Which of the readings (n, L, p), in system order, are seen: (n, L)."""


@dataclass(frozen=True)
class Complete(Detection):
    """Every system is seen at every time."""

    name: ClassVar[str] = "complete"

    def draw(self, rng: Generator, readings: Floats) -> Booleans:
        """All of them."""
        return np.ones(readings.shape[:2], dtype=np.bool_)


@dataclass(frozen=True)
class Independent(Detection):
    """Each system is seen with a probability of its own, or one for all, whatever happened before.

    >>> Independent((0.9, 0.5)).probability
    (0.9, 0.5)
    """

    name: ClassVar[str] = "independent"

    probability: ArrayLike = 0.9

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", _probability(self.probability))

    def draw(self, rng: Generator, readings: Floats) -> Booleans:
        """One uniform number for each reading."""
        n, L, _ = readings.shape
        return np.asarray(rng.random((n, L)) < _each(self.probability, L))


@dataclass(frozen=True)
class Bursts(Detection):
    r"""Silences that last: a Markov chain for each system, seen with a probability p in the long run, silent for `length` sets on average.

    A silence ends with probability :math:`1/m` at each set, m the length, and begins with :math:`(1 - p) / (p\,m)`.
    """

    name: ClassVar[str] = "bursts"

    probability: ArrayLike = 0.9
    length: float = 10.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", _probability(self.probability))
        object.__setattr__(self, "length", as_number(self.length, "length", above=0.0))
        if self.length < 1.0:
            raise InputError(
                "burst-too-short",
                "`length` must be one set or more, got {length:g}: a silence cannot be shorter than a set.",
                length=self.length,
            )
        least = float(np.min(self.probability))
        if 0.0 < least < 1.0 / (1.0 + self.length):
            raise InputError(
                "burst-too-rare",
                "systems that are seen with probability {probability:g} are silent for longer than {length:g} sets on average: `length` must "
                "be at least {needed:.4g}.",
                probability=least,
                length=self.length,
                needed=1.0 / least - 1.0,
            )

    def draw(self, rng: Generator, readings: Floats) -> Booleans:
        """One uniform number for each reading; the first state is drawn from the long run."""
        n, L, _ = readings.shape
        p = _each(self.probability, L)
        ends = 1.0 / self.length
        with np.errstate(divide="ignore"):
            begins = (1.0 - p) / (p * self.length)
        uniforms, seen = rng.random((n, L)), np.empty((n, L), dtype=np.bool_)
        for k in range(n):
            chance = p if k == 0 else np.where(seen[k - 1], 1.0 - begins, ends)
            seen[k] = uniforms[k] < np.where(p > 0.0, chance, 0.0)
        return seen


@dataclass(frozen=True)
class Saturating(Detection):
    r"""Misses that depend on the reading: seen with probability :math:`p / (1 + e^{(y - c) / w})`, c the limit and w the width.

    y is a reading's first number. With a width of zero whatever is above the limit is cut off. It breaks the assumption that
    readings are missing by chance.
    """

    name: ClassVar[str] = "saturating"

    limit: float = 0.0
    width: float = 0.0
    probability: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", as_number(self.limit, "limit"))
        object.__setattr__(self, "width", as_number(self.width, "width"))
        if self.width < 0.0:
            raise InputError("negative-width", "`width` must not be negative, got {width:g}.", width=self.width)
        object.__setattr__(self, "probability", as_number(_probability(self.probability), "probability"))

    def draw(self, rng: Generator, readings: Floats) -> Booleans:
        """One uniform number for each reading."""
        excess = readings[:, :, 0] - self.limit
        widths = excess / self.width if self.width else np.where(excess > 0.0, np.inf, -np.inf)
        chance = self.probability * 0.5 * (1.0 - np.tanh(0.5 * widths))
        return np.asarray(rng.random(excess.shape) < chance)


def _probability(value: ArrayLike) -> ArrayLike:
    """A probability, or one for each system."""
    given = as_floats(value, "probability")
    if given.ndim > 1 or given.size == 0 or not ((given >= 0.0) & (given <= 1.0)).all():
        raise InputError(
            "not-a-probability",
            "`probability` must be a number between 0 and 1, or one for each system, got {value!r}.",
            value=value,
        )
    return float(given) if given.ndim == 0 else frozen(given)


def _each(probability: ArrayLike, L: int) -> Floats:
    """(L,) the probability of each system."""
    given = np.asarray(probability, dtype=np.float64)
    if given.ndim and len(given) != L:
        raise InputError(
            "probabilities-count",
            "`probability` has {given} entries, and there are {n_systems} systems.",
            given=len(given),
            n_systems=L,
        )
    return np.broadcast_to(given, (L,))
