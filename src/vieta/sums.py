"""Passes over sets: each is a sum over blocks, wherever the blocks are.

An estimator asks for `total(work)`: `work` makes of a block of sets something that adds (`+`), and the sums of the blocks are added in
the order of time. In memory there is one block, or several of very many sets; a file has as many as it is read in; neither the
estimator nor its result knows. Nor do they know where blocks are worked on: a `Runner` does so here, on threads, or where the blocks are, and
hands back the sums in the order of time, so that for one cutting into blocks results are the same to the last bit.
No array with an entry a set leaves a pass.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from vieta.arrays import Integers
from vieta.errors import InputError
from vieta.sets import Data, joined

WORK = 2e8  # operations, roughly, that a kernel does in about a second
PIECE = 1 << 16  # sets that are worked on together: arrays of so many stay in the processor's cache, or near it
AHEAD = 2  # blocks that are read ahead for each thread


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


Change = Callable[[Data], Iterable[Data]]  # a block to what is seen of it, in pieces
Made = TypeVar("Made")  # of a block
On = Callable[[Data, int, int], Made]  # a block, the number of sets before it, and its own number


class Runner(ABC):
    """Where the blocks of a pass are worked on: here one after another, on threads, or elsewhere."""

    @abstractmethod
    def each(self, read: Callable[[], Iterable[Data]], on: On[Made], *, few: bool = False) -> Iterator[Made]:
        """What `on` makes of each block, in the order of time. Blocks that nobody asks for need not be worked on.

        A `few` blocks only will be asked for, or one after another, as what is made is as large as they are.
        """

    def kept(
        self, read: Callable[[], Iterable[Data]], changes: Sequence[Change]
    ) -> "tuple[Callable[[], Iterable[Data]], Runner] | None":
        """The changed blocks, and where they are worked on, if blocks are kept from pass to pass; else None: changes are then made anew."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Here(Runner):
    """In this process; whatever is in memory already, changed or not, may be kept there."""

    in_memory: bool = False

    def kept(
        self, read: Callable[[], Iterable[Data]], changes: Sequence[Change]
    ) -> tuple[Callable[[], Iterable[Data]], Runner] | None:
        """See `Runner`."""
        if not self.in_memory:
            return None
        blocks = [block for block in self.each(read, partial(_made, changes)) if block is not None]
        return (lambda: blocks), self


class OneByOne(Here):
    """Each block as it is read."""

    __slots__ = ()

    def each(self, read: Callable[[], Iterable[Data]], on: On[Made], *, few: bool = False) -> Iterator[Made]:
        """See `Runner`."""
        before = 0
        for i, block in enumerate(read()):
            yield on(block, before, i)
            before += len(block)


@dataclass(frozen=True, slots=True, eq=False)
class Threads(Here):
    """Blocks on some threads: kernels do not hold the interpreter. Blocks are read by the thread that asks, a few ahead."""

    count: int = 1

    def each(self, read: Callable[[], Iterable[Data]], on: On[Made], *, few: bool = False) -> Iterator[Made]:
        """See `Runner`. The first block is worked on by the thread that asks: what must be compiled is compiled once."""
        from concurrent.futures import Future, ThreadPoolExecutor
        from contextvars import copy_context

        before, waiting = 0, deque[Future[Made]]()
        with ThreadPoolExecutor(self.count) as pool:
            try:
                for i, block in enumerate(read()):
                    if i == 0 or self.count == 1:
                        yield on(block, before, i)
                    else:
                        waiting.append(pool.submit(copy_context().run, on, block, before, i))
                    before += len(block)
                    if len(waiting) > AHEAD * self.count:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """Reports how far each pass is: 0 as it begins, and after each block the share of the sets that are done.

    Attributes
    ----------
    ends : tuple of int
        How many sets there are up to the end of each block.
    report : callable
    """

    ends: tuple[int, ...]
    report: Callable[[float], object]

    def over(self, found: Iterable[Made]) -> Iterator[Made]:
        """What the blocks of a pass give, each reported when it has been used."""
        self.report(0.0)
        for i, one in enumerate(found):
            yield one
            self.report(self.ends[i] / self.ends[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Sets that can be gone through again and again.

    Attributes
    ----------
    like : Data
        No sets, of the shape of all of them.
    read : callable
        The blocks as they are, in the order of time; called anew for each pass.
    runner : Runner
        Where the blocks are worked on.
    changes : tuple of callable
        What is done to a block, one after another, before it is worked on, where it is worked on.
    starts : tuple of int, optional
        How many sets are before each block, where changes leave sets out or make several of one.
    watch : Watch, optional
        Reports how far each pass is.
    """

    like: Data
    read: Callable[[], Iterable[Data]]
    runner: Runner = field(default_factory=OneByOne)
    changes: tuple[Change, ...] = ()
    starts: tuple[int, ...] | None = None
    watch: Watch | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """What travels to where blocks are is the shape: sets stay where they are."""
        return Passes, (self.like, _none_here)

    def blocks(self) -> Iterator[Data]:
        """The blocks, changed, here."""
        before = 0
        for block in self._watched(self.read()):
            yield from _seen(block, self.changes, before)
            before += len(block)

    def changed(self, like: Data, change: Callable[[Data], Data]) -> "Passes":
        """The same sets, each block changed to another of as many sets; `like` has their shape."""
        return replace(self, like=like, changes=(*self.changes, _Single(change)))

    def kept(self) -> "Passes":
        """The same sets, changed once for all passes, if blocks are kept where they are worked on; changes leave the number of sets."""
        found = self.runner.kept(self.read, self.changes) if self.changes and self.starts is None else None
        return self if found is None else Passes(self.like, *found, watch=self.watch)

    def cut(self, pieces: Change) -> "Passes":
        """The same sets, each block cut into pieces."""
        return replace(self, changes=(*self.changes, pieces))

    def resized(self, like: Data, change: Callable[[Data], Data]) -> "Passes":
        """Other sets, fewer or more, from each block; they are counted in a pass."""
        new = self.changed(like, change)
        sizes = self._watched(self.runner.each(self.read, partial(_counted, new.changes)))
        return replace(new, starts=tuple(accumulate(sizes, initial=0)))

    def total(self, work: Callable[[Data, int], Summed]) -> Summed:
        """The sum, over all blocks, of what `work` makes of a block and of the number of sets before it.

        The pieces of a block are added up where the block is, and the sums of the blocks here; both in the order of time.
        """
        result: Summed | None = None
        for part in self._watched(self.runner.each(self.read, partial(_summed, work, self.changes, self.starts))):
            if part is not None:
                result = part if result is None else result + part
        if result is None:
            raise InputError("no-sets", "there are no sets. At least one set of readings is needed.")
        return result

    def head(self, most: int) -> Data:
        """The first sets, at most so many of them, in memory."""
        parts, count = [], 0
        for found in self.runner.each(self.read, partial(_first, most, self.changes), few=True):
            if found is None:
                continue
            parts.append(found.part(0, most - count))
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
        if most >= count:
            wanted = np.arange(count)
        else:
            within = np.random.default_rng(0).random(most)
            wanted = np.floor((np.arange(most) + within) * (count / most)).astype(np.int64)
        found = self.runner.each(self.read, partial(_picked, wanted, self.changes, self.starts))
        return joined([part for part in self._watched(found) if part is not None])

    def _watched(self, found: Iterable[Made]) -> Iterable[Made]:
        return found if self.watch is None else self.watch.over(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Single:
    """A change that leaves a block in one piece."""

    change: Callable[[Data], Data]

    def __call__(self, block: Data) -> Iterable[Data]:
        return (self.change(block),)


def _none_here() -> Iterable[Data]:
    raise InputError("sets-elsewhere", "the sets are not here.")


def _seen(block: Data, changes: Sequence[Change], before: int) -> Iterator[Data]:
    """A block as it is worked on, in pieces; an error about one of its sets has the number of the set among all sets."""
    pieces = _through(block, changes)
    while True:
        try:
            piece = next(pieces, None)
        except InputError as error:
            raise numbered(error, before) from None
        if piece is None:
            return
        yield piece


def _through(block: Data, changes: Sequence[Change]) -> Iterator[Data]:
    if not changes:
        yield block
        return
    for piece in changes[0](block):
        yield from _through(piece, changes[1:])


def numbered(error: InputError, before: int) -> InputError:
    """An error about a set of a block, with the number of the set among all sets."""
    if "index" not in error.facts:
        return error
    return type(error)(error.code, error.template, **{**error.facts, "index": error.facts["index"] + before})


def _summed(
    work: Callable[[Data, int], Summed],
    changes: Sequence[Change],
    starts: Sequence[int] | None,
    block: Data,
    before: int,
    number: int,
) -> Summed | None:
    """The sum over the pieces of a block; None where there are no sets."""
    result: Summed | None = None
    at = before if starts is None else starts[number]
    for seen in _seen(block, changes, before):
        for piece in affordable(seen):
            part = work(piece, at)
            result = part if result is None else result + part
            at += len(piece)
    return result


def whole(block: Data, changes: Sequence[Change], before: int) -> Data | None:
    """A block as it is worked on, in one piece; None where there are no sets."""
    parts = [piece for piece in _seen(block, changes, before) if len(piece)]
    return joined(parts) if len(parts) > 1 else parts[0] if parts else None


def _made(changes: Sequence[Change], block: Data, before: int, number: int) -> Data | None:
    return whole(block, changes, before)


def _counted(changes: Sequence[Change], block: Data, before: int, number: int) -> int:
    return sum(len(piece) for piece in _seen(block, changes, before))


def _first(most: int, changes: Sequence[Change], block: Data, before: int, number: int) -> Data | None:
    """The first sets of a block."""
    parts, count = [], 0
    for seen in _seen(block, changes, before):
        if len(seen):
            parts.append(seen.part(0, most - count))
            count += len(parts[-1])
        if count >= most:
            break
    return joined(parts) if len(parts) > 1 else parts[0] if parts else None


def _picked(
    wanted: Integers, changes: Sequence[Change], starts: Sequence[int] | None, block: Data, before: int, number: int
) -> Data | None:
    """The sets of a block that are wanted, by their numbers among all sets."""
    start = before if starts is None else starts[number]
    seen = whole(block, changes, before)
    if seen is None:
        return None
    first, last = np.searchsorted(wanted, [start, start + len(seen)])
    return seen.at(wanted[first:last] - start)


def affordable(block: Data) -> Iterator[Data]:
    """The block in pieces on which a kernel works for about a second at the most, so that a long fit can be interrupted between them."""
    L, p, D = block.n_systems, block.reading_dim, block.dim
    size = min(max(int(WORK / max((L * p) ** 3 + (L * D) ** 2, 1)), 1), PIECE)
    for at in range(0, len(block), size):
        yield block.part(at, at + size)


def in_memory(data: Data, blocks: int = 1) -> Passes:
    """Passes over sets in memory, as one block or several of about equal size."""
    N = len(data)
    cuts = [N * i // blocks for i in range(blocks + 1)]
    parts = [data] if blocks == 1 else [data.part(a, b) for a, b in pairwise(cuts) if b > a]
    return Passes(data.part(0, 0), lambda: parts, OneByOne(in_memory=True))


def on_threads(passes: Passes, threads: int | None) -> Passes:
    """The same sets worked on by so many threads, in blocks that do not depend on their number; None leaves them as they are.

    >>> data = Data(np.arange(10.0)[:, None, None], np.ones(10), 1)
    >>> on_threads(in_memory(data), 2).total(lambda block, _: block.readings.sum())
    np.float64(45.0)
    """
    if threads is None:
        return passes

    def read() -> Iterator[Data]:
        for block in passes.read():
            for at in range(0, len(block), PIECE):
                yield block.part(at, at + PIECE)

    in_memory = isinstance(passes.runner, Here) and passes.runner.in_memory
    return replace(passes, read=read, runner=Threads(in_memory, threads))


def watched(passes: Passes, report: Callable[[float], object]) -> Passes:
    """The same sets, with each pass reported, if they are in memory; passes that read a file are seen by what they read.

    >>> data = Data(np.arange(10.0)[:, None, None], np.ones(10), 1)
    >>> watched(in_memory(data, 2), print).total(lambda block, _: len(block))
    0.0
    0.5
    1.0
    10
    """
    if not (isinstance(passes.runner, Here) and passes.runner.in_memory):
        return passes
    return replace(passes, watch=Watch(tuple(accumulate(len(block) for block in passes.read())), report))
