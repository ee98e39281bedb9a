"""Passes over blocks that dask has: each block of sets is worked on where it is, and sums travel, never sets.

With a client of `dask.distributed` blocks are kept on the workers from pass to pass; without one
the threads of dask work on them. Sums come back in the order of time, whichever worker is first, so that for one chunking a result does not
depend on who worked, to the last bit.

What is asked of a block is a function with what it needs, small; it travels as bytes (cloudpickle), as functions within functions are no
names that a worker could import. So workers need this version of vieta, and this version of Python.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from vieta.engines.allocator import reusing_memory
from vieta.engines.dask_clients import require_same_versions, require_uninterrupted, running_client
from vieta.errors import ComputationError, VietaError
from vieta.sets import Data
from vieta.sums import Change, Made, On, Passes, Runner, Watch, whole

AHEAD = 4  # tasks for each thread of the workers that are under way together, and most into which a pass over the blocks of a worker is cut
SMALL = 1_000_000  # sets: more tasks than that for each thread are not made of fewer
LONG = 20_000  # bytes of what is asked, from which they travel once to a worker, not with every task
RETRIES = 2  # of a block whose work failed with something else than an error of ours


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error of ours, as a worker found it: an answer, as it would be the same if it were tried again."""

    error: VietaError


def refusing(ask: Callable[..., Made], *given: Any) -> Made | Refusal:
    """What is asked for, or why it is refused."""
    try:
        return ask(*given)
    except VietaError as error:
        return Refusal(error)


def answered(found: Any) -> Any:
    """What a worker found, if it did not refuse."""
    if isinstance(found, Refusal):
        raise found.error
    return found


def passes_of(like: Data, blocks: Sequence[Any], sizes: Sequence[int]) -> Passes:
    """Passes over delayed blocks of so many sets each; with a client they are computed once, and kept where they are."""
    client = running_client()
    if client is None:
        return passes_over(like, blocks, sizes)
    require_same_versions(client)
    return passes_over(like, client.compute(list(blocks)), sizes, client)


def passes_over(
    like: Data,
    blocks: Sequence[Any],
    sizes: Sequence[int],
    client: Any = None,
    report: Callable[[float], object] | None = None,
) -> Passes:
    """Passes over blocks of so many sets each: futures of a client, or delayed ones; `report` gets the share of each pass that is done."""
    used = [(block, int(size)) for block, size in zip(blocks, sizes, strict=True) if size]
    kept, counts = [block for block, _ in used], [size for _, size in used]
    runner = DaskRunner(tuple(kept), tuple(accumulate(counts, initial=0)), client)
    return Passes(like, runner.fetched, runner, watch=None if report is None else Watch(runner.starts[1:], report))


@dataclass(frozen=True, slots=True, eq=False)
class DaskRunner(Runner):
    """Works on blocks where they are.

    Attributes
    ----------
    blocks : tuple
        Futures of a client, or delayed blocks.
    starts : tuple of int
        How many sets are before each, and after the last.
    client : distributed.Client, optional
    """

    blocks: tuple[Any, ...]
    starts: tuple[int, ...]
    client: Any

    def fetched(self) -> Iterator[Data]:
        """The blocks themselves, one after another, here; for methods that take sets as they come."""
        return self.each(list, _itself, few=True)

    def kept(
        self, read: Callable[[], Iterable[Data]], changes: Sequence[Change]
    ) -> tuple[Callable[[], Iterable[Data]], Runner] | None:
        """See `Runner`; workers keep them, threads of dask keep none."""
        if self.client is None:
            return None
        import cloudpickle

        words = [cloudpickle.dumps(tuple(changes))] * len(self.blocks)
        found = self.client.map(_changed, words, self.blocks, self.starts[:-1], pure=False, retries=RETRIES)
        runner = replace(self, blocks=tuple(found))
        return runner.fetched, runner

    def each(self, read: Callable[[], Iterable[Data]], on: On[Made], *, few: bool = False) -> Iterator[Made]:
        """See `Runner`; `read` is not asked, as the blocks are elsewhere."""
        import cloudpickle

        words = cloudpickle.dumps(on)
        found = self._here(words) if self.client is None else _in_order(self._there(words, few=few))
        with closing(found):
            for one in found:
                yield answered(one)

    def _here(self, words: bytes) -> Generator[Any, None, None]:
        """By the threads, or whatever else dask is set to."""
        import os

        from dask import compute, delayed

        work, ahead = delayed(_worked, pure=False), AHEAD * (os.cpu_count() or 1)
        tasks = list(zip(self.blocks, self.starts[:-1], range(len(self.blocks)), strict=True))
        for at in range(0, len(tasks), ahead):
            yield from compute(*(work(words, *task) for task in tasks[at : at + ahead]))

    def _there(self, words: bytes, *, few: bool) -> Generator[tuple[int, Any], None, None]:
        """By the workers of a client: numbers of blocks, and what was made of them. Whatever ends the pass early cancels what is under way.

        A message costs more than the work on a small block: tasks are submitted together, each for blocks that are on one worker. There are
        two such bundles at a time, so that no worker waits for this process. Of a `few`, tasks have one block each, and answers come singly.
        """
        threads = self.client.nthreads()
        groups = [[i] for i in range(len(self.blocks))] if few else self._groups(threads)
        bundle, waiting = AHEAD * max(sum(threads.values()), 1), deque[tuple[list[int], Any]]()
        shared = words if len(words) < LONG else self.client.submit(bytes, words, pure=False, retries=RETRIES)
        try:
            for at in range(0, len(groups), bundle):
                require_uninterrupted()
                some = groups[at : at + bundle]
                waiting.extend(zip(some, self._submitted(shared, some), strict=True))
                while len(waiting) > (0 if few else bundle):
                    yield from _gathered(self.client, waiting, 1 if few else bundle)
            while waiting:
                yield from _gathered(self.client, waiting, bundle)
        finally:
            if waiting:
                self.client.cancel([future for _, future in waiting])

    def _submitted(self, words: Any, groups: Sequence[Sequence[int]]) -> Any:
        """A task for each group of blocks."""
        blocks = [[self.blocks[i] for i in group] for group in groups]
        places = [[(self.starts[i], i) for i in group] for group in groups]
        return self.client.map(_worked_on_each, [words] * len(groups), blocks, places, pure=False, retries=RETRIES)

    def _groups(self, threads: dict[str, int]) -> list[list[int]]:
        """The numbers of the blocks by the workers that have them, in some groups for each thread; each alone where it is on no worker yet."""
        where, by_worker, groups = self.client.who_has(self.blocks), dict[str, list[int]](), list[list[int]]()
        for i, block in enumerate(self.blocks):
            found = where.get(block.key)
            if found:
                by_worker.setdefault(min(found), []).append(i)
            else:
                groups.append([i])
        for worker, own in by_worker.items():
            sets, own_threads = sum(self.starts[i + 1] - self.starts[i] for i in own), threads.get(worker, 1)
            count = min(max(own_threads, min(AHEAD * own_threads, sets // SMALL)), len(own))
            cuts = [len(own) * k // count for k in range(count + 1)]
            groups += [own[a:b] for a, b in pairwise(cuts)]
        return sorted(groups)


def _in_order(found: Generator[tuple[int, Any], None, None]) -> Generator[Any, None, None]:
    """What was made of blocks in the order of their numbers, which may come in any.

    >>> list(_in_order((n, str(n)) for n in (1, 0, 2)))
    ['0', '1', '2']
    """
    held, at = dict[int, Any](), 0
    try:
        for number, one in found:
            held[number] = one
            while at in held:
                yield held.pop(at)
                at += 1
    finally:
        found.close()


def _gathered(client: Any, waiting: "deque[tuple[list[int], Any]]", most: int) -> Iterator[tuple[int, Any]]:
    """The answers of the first tasks that wait, which wait no longer."""
    require_uninterrupted()
    some = [waiting[k] for k in range(min(most, len(waiting)))]
    with naming_losses():
        answers = client.gather([future for _, future in some])
    for _ in some:
        waiting.popleft()
    for (group, _), made in zip(some, answers, strict=True):
        yield from zip(group, made, strict=False)  # none after one that was refused


@contextmanager
def naming_losses() -> Iterator[None]:
    """Say in words that workers were lost."""
    from distributed import CancelledError, KilledWorker

    try:
        yield
    except (KilledWorker, CancelledError) as error:
        raise ComputationError(
            "workers-lost",
            "the workers that were given a block of sets died again and again, of a lack of memory perhaps: {cause}. Cut the sets into "
            "smaller chunks, or give the workers more memory.",
            cause=" ".join(str(error).split())[:300],
        ) from None


def result_of(future: Any) -> Any:
    """What a worker found; its error here, if it is one of ours, and one that says where it was otherwise."""
    with naming_losses():
        return answered(future.result())


def _itself(block: Data, before: int, number: int) -> Data:
    return block


def _worked(words: bytes, block: Data, before: int, number: int) -> Any:
    """What is asked of a block, where it is; also of one that could not be read."""
    import cloudpickle

    return block if isinstance(block, Refusal) else refusing(cloudpickle.loads(words), block, before, number)


def _worked_on_each(words: bytes, blocks: Sequence[Data], places: Sequence[tuple[int, int]]) -> list[Any]:
    """What is asked of some blocks, in the order of time, up to the first that is refused."""
    found = []
    with reusing_memory():
        for block, place in zip(blocks, places, strict=True):
            found.append(_worked(words, block, *place))
            if isinstance(found[-1], Refusal):
                break
    return found


def _changed(words: bytes, block: Data | Refusal, before: int) -> Data | Refusal | None:
    """A block with changes made, to be kept where it is."""
    import cloudpickle

    return block if isinstance(block, Refusal) else refusing(whole, block, cloudpickle.loads(words), before)
