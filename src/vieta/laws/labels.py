"""Laws of the labels: which system stands at which position of the set.

A law gives an integer array (n, L); entry (k, i) is the system that stands at position i at time k.
A law of permutations that lists none is over all L! of them, in lexicographic order.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations as all_permutations
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.checks import as_floats, as_number, as_probabilities, as_transition, frozen
from vieta.errors import InputError
from vieta.laws.chains import independent, markov


class Labels(ABC):
    """A law of labels."""

    name: ClassVar[str] = ""
    """Its name in files."""
    description: ClassVar[str] = "in an order of a law of their own"
    """How the readings of a set stand, to end a sentence with."""

    @abstractmethod
    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """Labels (n, L) for readings (n, L, p) in system order."""


@dataclass(frozen=True)
class Labeled(Labels):
    """No shuffling: position i holds system i."""

    name: ClassVar[str] = "labeled"
    description: ClassVar[str] = "in the order of the systems, not shuffled"

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """0, 1, ..., L - 1 at every time."""
        n, L, _ = readings.shape
        return np.tile(np.arange(L, dtype=np.int64), (n, 1))


@dataclass(frozen=True)
class Shuffled(Labels):
    """Independent permutations, all L! equally likely."""

    name: ClassVar[str] = "shuffled"
    description: ClassVar[str] = "shuffled"

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """The order of L uniform numbers."""
        return _order(rng.random(readings.shape[:2]))


@dataclass(frozen=True)
class Sticky(Labels):
    """A Markov chain on permutations: stay with probability `stay`, else draw afresh from all L! alike.

    A fresh permutation may repeat the old one, so the order persists with probability stay + (1 - stay) / L!.
    """

    name: ClassVar[str] = "sticky"
    description: ClassVar[str] = "shuffled, in an order that may stay from set to set"

    stay: float = 0.9

    def __post_init__(self) -> None:
        stay = as_number(self.stay, "stay")
        if not 0.0 <= stay <= 1.0:
            raise InputError(
                "not-a-probability", "`stay` must be a probability between 0 and 1, got {stay:g}.", stay=stay
            )
        object.__setattr__(self, "stay", stay)

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """The last fresh permutation at each time."""
        n, L, _ = readings.shape
        uniforms = rng.random((n, L + 1))
        fresh = uniforms[:, 0] >= self.stay
        last_fresh = np.maximum.accumulate(np.where(fresh, np.arange(n), 0))
        return _order(uniforms[:, 1:])[last_fresh]


@dataclass(frozen=True)
class Weighted(Labels):
    """Independent permutations with given probabilities.

    >>> Weighted(probabilities=(0.9, 0.1), permutations=((0, 1), (1, 0)))
    Weighted(probabilities=(0.9, 0.1), permutations=((0, 1), (1, 0)))
    """

    name: ClassVar[str] = "weighted"
    description: ClassVar[str] = "in orders of given probabilities"

    probabilities: ArrayLike
    permutations: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        probabilities = as_probabilities(self.probabilities)
        if probabilities.ndim != 1:
            raise InputError(
                "probabilities-shape", "`probabilities` must be one list, got shape {shape}.", shape=probabilities.shape
            )
        object.__setattr__(self, "probabilities", frozen(probabilities))
        _store_permutations(self, self.permutations, len(probabilities))

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """One permutation per time."""
        probabilities = np.asarray(self.probabilities)
        table = _table(self.permutations, readings.shape[1], len(probabilities))
        return table[independent(probabilities, rng.random(len(readings)))]


@dataclass(frozen=True)
class Markov(Labels):
    """A Markov chain on permutations: P(next is j | now is i) = transition[i, j].

    The first permutation has law `initial`; all states alike when absent.
    """

    name: ClassVar[str] = "markov"
    description: ClassVar[str] = "in orders that follow a Markov chain"

    transition: ArrayLike
    permutations: Sequence[Sequence[int]] | None = None
    initial: ArrayLike | None = None

    def __post_init__(self) -> None:
        transition = as_transition(self.transition)
        m = len(transition)
        initial = as_probabilities(np.full(m, 1.0 / m) if self.initial is None else self.initial, "initial")
        if initial.shape != (m,):
            raise InputError(
                "initial-shape",
                "`initial` must give one probability for each of {states} states, got {shape}.",
                states=m, shape=initial.shape,
            )  # fmt: skip
        object.__setattr__(self, "transition", frozen(transition))
        object.__setattr__(self, "initial", frozen(initial))
        _store_permutations(self, self.permutations, m)

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """One permutation per time."""
        transition = np.asarray(self.transition)
        table = _table(self.permutations, readings.shape[1], len(transition))
        return table[markov(np.asarray(self.initial), transition, rng.random(len(readings)))]


@dataclass(frozen=True)
class Sorted(Labels):
    """Sets sorted by the first coordinate of the reading, smallest first."""

    name: ClassVar[str] = "sorted"
    description: ClassVar[str] = "sorted by size, not shuffled"

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """Systems in the order of their readings; equal readings keep the order of the systems."""
        return _order(readings[:, :, 0])


@dataclass(frozen=True)
class Adversarial(Labels):
    """An order chosen from the readings to mislead whoever reads the position as the label.

    Position i at time k holds the reading of rank (i + k) mod L by first coordinate. Over any L consecutive times
    each position holds each rank once, so the first coordinate has the same average at every position: the L
    systems look alike. The order is neither random nor independent of the noise.
    """

    name: ClassVar[str] = "adversarial"
    description: ClassVar[str] = "in orders chosen to mislead"

    def draw(self, rng: Generator, readings: Floats) -> Integers:
        """The sorted order, rotated by one position per time."""
        n, L, _ = readings.shape
        rank = (np.arange(L) + np.arange(n)[:, None]) % L
        return np.take_along_axis(_order(readings[:, :, 0]), rank, axis=1)


def _order(keys: Floats) -> Integers:
    return np.argsort(keys, axis=1, kind="stable").astype(np.int64, copy=False)


def _store_permutations(law: object, permutations: Sequence[Sequence[int]] | None, m: int) -> None:
    """Check the listed permutations, one for each of m states, and keep them as tuples."""
    if permutations is None:
        return
    table = as_floats(permutations, "permutations")
    if table.ndim != 2 or len(table) != m or np.any(np.sort(table, axis=1) != np.arange(table.shape[1])):
        raise InputError(
            "not-permutations",
            "`permutations` must list {count} orders of 0, ..., L - 1, one for each probability, got {value!r}.",
            count=m, value=permutations,
        )  # fmt: skip
    object.__setattr__(law, "permutations", tuple(tuple(int(i) for i in row) for row in table))


def _table(permutations: Sequence[Sequence[int]] | None, L: int, m: int) -> Integers:
    """The m permutations of L systems as rows."""
    listed = permutations is not None
    rows = permutations if permutations is not None else list(_first_permutations(L, m + 1))
    table = np.array(rows, dtype=np.int64)
    if table.shape != (m, L):
        need = (
            "permutations of {n_systems} systems"
            if listed
            else "a probability for each of the {n_systems}! permutations"
        )
        raise InputError(
            "permutations-do-not-fit",
            f"The labels need {need}, got {{count}} of length {{length}}. List the `permutations` that occur.",
            n_systems=L, count=m, length=table.shape[1],
        )  # fmt: skip
    return table


def _first_permutations(L: int, most: int) -> list[tuple[int, ...]]:
    """The permutations in lexicographic order, no more than `most`, since L! may be huge."""
    return [order for order, _ in zip(all_permutations(range(L)), range(most))]
