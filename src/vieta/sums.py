"""Passes over sets: each is a sum over blocks, wherever the blocks are.

An estimator asks for `total(work)`: `work` makes of a block of sets something that adds (`+`), and the sums of the blocks are added in
the order of time. In memory there is one block, or several of very many sets; a file has as many as it is read in; neither the
estimator nor its result knows.
No array with an entry a set leaves a pass.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Protocol, Self, TypeVar

import numpy as np

from vieta.errors import InputError
from vieta.sets import Data, joined

WORK = 2e8  # operations, roughly, that a kernel does in about a second


class Additive(Protocol):
    """What the blocks of a pass give: sums that add, in the order of time."""

    def __add__(self, other: Self, /) -> Self:
        """Both together, `self` being of the earlier sets."""
        ...


Summed = TypeVar("Summed", bound=Additive)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums by name: the fields of two add, each to its like. Derive from it, with fields that add.

    >>> @dataclass(frozen=True)
    ... class Moments(Sums):
    ...     count: int
    ...     total: float
    >>> Moments(2, 3.5) + Moments(1, -1.0)
    Moments(count=3, total=2.5)
    """

    def __add__(self, other: Self, /) -> Self:
        return replace(self, **{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Sets that can be gone through again and again.

    Attributes
    ----------
    like : Data
        No sets, of the shape of all of them.
    read : callable
        The blocks, in the order of time; called anew for each pass.
    """

    like: Data
    read: Callable[[], Iterable[Data]]

    def total(self, work: Callable[[Data, int], Summed]) -> Summed:
        """The sum, over all blocks, of what `work` makes of a block and of the number of sets before it."""
        result: Summed | None = None
        before = 0
        for block in self.read():
            for piece in affordable(block):
                part = work(piece, before)
                result = part if result is None else result + part
                before += len(piece)
        if result is None:
            raise InputError("no-sets", "there are no sets. At least one set of readings is needed.")
        return result

    def head(self, most: int) -> Data:
        """The first sets, at most so many of them, in memory."""
        parts, count = [], 0
        for block in self.read():
            parts.append(block.part(0, most - count))
            count += len(parts[-1])
            if count >= most:
                break
        if not parts:
            raise InputError("no-sets", "there are no sets. At least one set of readings is needed.")
        return parts[0] if len(parts) == 1 else joined(parts)

    def spread(self, most: int, count: int) -> Data:
        """At most so many of the `count` sets, in memory: one from each stretch of equal length, at random, so that no season is missed.

        >>> data = Data(np.arange(1000.0)[:, None, None], np.ones(1000), 1)
        >>> in_memory(data).spread(4, 1000).readings.ravel()
        array([159., 317., 510., 754.])
        """
        wanted = np.arange(count)
        if most < count:
            within = np.random.default_rng(0).random(most)
            wanted = np.floor((np.arange(most) + within) * (count / most)).astype(np.int64)
        parts, before = [], 0
        for block in self.read():
            first, last = np.searchsorted(wanted, [before, before + len(block)])
            parts.append(block.at(wanted[first:last] - before))
            before += len(block)
        return joined(parts)


def affordable(block: Data) -> Iterator[Data]:
    """The block in pieces on which a kernel works for about a second, so that a long fit can be interrupted between them."""
    L, p, D = block.n_systems, block.reading_dim, block.dim
    size = max(int(WORK / max((L * p) ** 3 + (L * D) ** 2, 1)), 1)
    for at in range(0, len(block), size):
        yield block.part(at, at + size)


def in_memory(data: Data, blocks: int = 1) -> Passes:
    """Passes over sets in memory, as one block or several of about equal size."""
    N = len(data)
    cuts = [N * i // blocks for i in range(blocks + 1)]
    parts = [data] if blocks == 1 else [data.part(a, b) for a, b in pairwise(cuts) if b > a]
    return Passes(data.part(0, 0), lambda: parts)
