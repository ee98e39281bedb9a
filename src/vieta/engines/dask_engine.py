"""Passes over dask arrays: each block of sets is worked on where it is, and sums travel, never sets.

A chunk of sets, with its inputs, is a block. With a client of `dask.distributed` blocks are kept on the workers from pass to pass; without one
the threads of dask work on them. Sums come back in the order of time, whichever worker is first, so that for one chunking a result does not
depend on who worked, to the last bit.

What is asked of a block is a function with what it needs, small; it travels as bytes (cloudpickle), as functions within functions are no
names that a worker could import. So workers need this version of vieta, and this version of Python.
"""

import platform
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, pairwise
from operator import add
from typing import Any

import numpy as np

from vieta.engines.allocator import reusing_memory
from vieta.errors import ComputationError, InputError, VietaError
from vieta.sets import Data, as_data, with_known
from vieta.sums import Change, Made, On, Passes, Runner, Watch, whole

AHEAD = 4  # tasks for each thread of the workers that are under way together, and most into which a pass over the blocks of a worker is cut
SMALL = 1_000_000  # sets: more tasks than that for each thread are not made of fewer
LONG = 20_000  # bytes of what is asked, from which they travel once to a worker, not with every task
RETRIES = 2  # of a block whose work failed with something else than an error of ours
SECONDS = 6  # to wait for a scheduler
# What processes on this machine do when they start: Ctrl-C on a terminal reaches all of them, and ours ends the others.
UNINTERRUPTED = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


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


def is_dask(array: object) -> bool:
    """Whether it is a dask array; dask is not imported to find out."""
    return type(array).__module__.startswith("dask.") and hasattr(array, "chunks")


def fetched_at(array: Any, index: Any) -> Any:
    """Some entries of an array, here; of one of dask only these are fetched. None has none."""
    if array is None or (not is_dask(array) and np.ndim(array) == 0):
        return array
    return array[index].compute() if is_dask(array) else np.asarray(array)[index]


def dask_passes(sets: Any, inputs: Any, offset: Any = None) -> Passes:
    """Passes over sets, inputs and known numbers of which some are dask arrays, in the chunks of the first of them."""
    parts, sizes = in_same_chunks(sets, inputs, offset)
    return passes_of(_like(parts), _blocks(parts, len(sizes)), sizes)


def in_same_chunks(sets: Any, inputs: Any, offset: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Sets, inputs and known numbers, of which some are dask arrays, in the chunks of the first of them; and how many sets each has."""
    import dask.array as da

    first = next(one for one in (sets, inputs, offset) if is_dask(one))
    for name, one in (("sets", sets), ("inputs", inputs), ("offset", offset)):
        if is_dask(one):
            _require_chunks(name, one)
    sizes = first.chunks[0]
    parts = [_in_chunks(da, name, one, sizes) for name, one in (("sets", sets), ("inputs", inputs), ("offset", offset))]
    return parts, tuple(map(int, sizes))


def rows_of_chunks(parts: Sequence[Any], sizes: Sequence[int], on: Callable[..., Any], width: int, about: Any) -> Any:
    """A dask array (N, width), of which nothing is computed yet: rows that `on` makes of sets, inputs and known numbers of a chunk.

    `on` is called with these, with the number of sets before the chunk, and with `about`, which is the same for all, and may be delayed.
    """
    import dask.array as da
    from dask import delayed

    make, starts = delayed(on, pure=False), accumulate(sizes, initial=0)
    made = [make(*chunk, at, about) for chunk, at in zip(_chunks(parts, len(sizes)), starts, strict=False)]
    return da.concatenate([da.from_delayed(one, (n, width), float) for one, n in zip(made, sizes, strict=True) if n])


def sum_of_chunks(parts: Sequence[Any], sizes: Sequence[int], on: Callable[..., Any]) -> Any:
    """The delayed sum of what `on` makes of sets, inputs and known numbers of each chunk, and of the number of sets before it."""
    from dask import delayed

    make, found = delayed(on, pure=False), zip(_chunks(parts, len(sizes)), accumulate(sizes, initial=0), sizes)
    return delayed(_total, pure=False)([make(*chunk, at) for chunk, at, n in found if n])


def _total(found: Sequence[Any]) -> Any:
    return reduce(add, found)


def _require_chunks(name: str, array: Any) -> None:
    """Refuse chunks of sizes that are not known, and those that cut sets apart."""
    if any(np.isnan(size) for sizes in array.chunks for size in sizes):
        raise InputError(
            "chunks-unknown",
            "the sizes of the chunks of `{name}` are not known. Call {name}.compute_chunk_sizes() before.",
            name=name,
        )
    across = [axis for axis, sizes in enumerate(array.chunks[1:], 1) if len(sizes) > 1]
    if across:
        raise InputError(
            "chunks-across-sets",
            "`{name}` is cut into chunks along axis {axis}, which cuts sets apart: chunks {chunks} of shape {shape}. Cut it along the sets "
            "only: {name}.rechunk({{{axis}: -1}}).",
            name=name,
            axis=across[0],
            chunks=tuple(map(len, array.chunks)),
            shape=array.shape,
        )


def _in_chunks(da: Any, name: str, array: Any, sizes: Sequence[int]) -> Any:
    """An array in chunks of these sizes along the sets; None and single numbers as they are."""
    if array is None or (not is_dask(array) and np.ndim(array) == 0):
        return array
    found: Any = array if is_dask(array) else np.asarray(array)
    if len(found) != sum(sizes):
        raise InputError(
            "chunks-count",
            "`{name}` has {given:,} entries, and there are {n_sets:,} sets.",
            name=name,
            given=len(found),
            n_sets=sum(sizes),
        )
    if not is_dask(found):
        return da.from_array(found, chunks=(tuple(sizes), *found.shape[1:]))
    return found if found.chunks[0] == tuple(sizes) else found.rechunk({0: tuple(sizes)})


def _like(parts: Sequence[Any]) -> Data:
    """No sets, of the shape of all; shapes and types are checked here."""
    ones = [np.zeros((1, *one.shape[1:]), one.dtype) if is_dask(one) else one for one in parts]
    return _block(*ones).part(0, 0)


def _block(sets: Any, inputs: Any, offset: Any) -> Data:
    return with_known(as_data(sets, inputs), offset)


def _given(*parts: Any) -> Data | Refusal:
    return refusing(_block, *parts)


def _blocks(parts: Sequence[Any], count: int) -> list[Any]:
    """A delayed block for each chunk."""
    from dask import delayed

    make = delayed(_given, pure=False)
    return [make(*chunk) for chunk in _chunks(parts, count)]


def _chunks(parts: Sequence[Any], count: int) -> list[tuple[Any, ...]]:
    """The delayed chunks of arrays that are cut alike; what is no array of dask is in each of them."""

    def of(array: Any) -> list[Any]:
        return list(array.to_delayed().ravel()) if is_dask(array) else [array] * count

    return list(zip(*map(of, parts), strict=True))


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
                _require_uninterrupted()
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
    _require_uninterrupted()
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


def running_client() -> Any:
    """The client that was made last; None if there is none."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    with suppress(ValueError):
        return default_client()
    return None


_interrupts: list[int] = []  # signals that came, and were perhaps lost


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Whatever happens to the exception that an interrupt raises: passes end.

    Python drops an exception that is raised while an object is deleted, and futures are deleted all the time.
    """
    import signal

    before = signal.getsignal(signal.SIGINT)

    def heed(number: int, frame: Any) -> None:
        _interrupts.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, heed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _interrupts.clear()


def _require_uninterrupted() -> None:
    if _interrupts:
        raise KeyboardInterrupt


@contextmanager
def local_cluster(workers: int | None) -> Iterator[Any]:
    """A client of so many processes on this machine, one for each core if None; they end with it.

    What dask reports about processes that end is not shown: what matters of it is an error here.
    """
    import logging
    import os

    from distributed import Client, LocalCluster

    for name in ("distributed", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    given = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "silence_logs": logging.CRITICAL,
        "preload": UNINTERRUPTED,
    }
    with (
        LocalCluster(n_workers=workers or os.cpu_count() or 1, processes=True, **given) as cluster,
        Client(cluster) as client,
    ):
        yield client


def require_dask() -> None:
    """Refuse to go on without the extra."""
    try:
        import cloudpickle  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            "no-dask", "dask is needed, with its scheduler, which is not installed: pip install 'vieta[cluster]'."
        ) from None


def connected(address: str, seconds: float = SECONDS) -> Any:
    """A client of the scheduler at an address; one that does not answer is refused within some seconds."""
    from distributed import Client

    try:
        return Client(address, timeout=seconds)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            "no-scheduler",
            "there is no scheduler at {address}, or it does not answer within {seconds:g} seconds ({cause}). Start one, or check the address: "
            "tcp://host:8786.",
            address=address,
            seconds=seconds,
            cause=" ".join(str(error).split())[:200],
        ) from None


def versions() -> dict[str, str]:
    """What must be the same here and on the workers."""
    from importlib import import_module

    return {"vieta": str(import_module("vieta").__version__), "Python": ".".join(platform.python_version_tuple()[:2])}


def require_same_versions(client: Any) -> None:
    """Refuse workers with another version of vieta or of Python; none yet is no trouble, they may come."""
    here = versions()
    try:
        there = client.run(versions, on_error="return")
    except Exception as error:  # of whatever kind a worker without vieta makes of it
        there = {"the workers": error}
    for worker, found in there.items():
        if not isinstance(found, dict):
            raise InputError(
                "workers-without-vieta",
                "vieta cannot be imported on {worker}: {cause}. Install the same version there.",
                worker=worker if worker == "the workers" else f"the worker {worker}",
                cause=" ".join(str(found).split())[:200],
            )
        for name, version in here.items():
            if found.get(name) != version:
                raise InputError(
                    "workers-differ",
                    "the worker {worker} has {name} {there}, and here it is {here}. Use the same version everywhere.",
                    worker=worker,
                    name=name,
                    there=found.get(name),
                    here=version,
                )
