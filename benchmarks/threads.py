"""Threads: 10⁷ sets on one and on two; and what two processes get done that have nothing in common, which is the most that the cores give."""

import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import vieta
from benchmarks.timing import Result

SETS = 10_000_000
ALONE = 2_000_000  # of each process


def run() -> Iterator[Result]:
    most = ceiling()
    records = vieta.simulate("example-1", n=SETS, seed=0)
    costs(vieta.simulate("example-1", n=200_000, seed=0), 1)  # compiles
    runs = [(threads, *costs(records, threads)) for threads in (1, 2, 1, 2)]
    (one, used), (two, used_by_two) = (min(run[1:] for run in runs if run[0] == threads) for threads in (1, 2))
    detail = f"{one:.1f} s and {two:.1f} s; processor time {used_by_two / used:.3f} times that of one thread; two processes: {most:.2f}"
    yield Result("fit, 1e7 sets, L=3: two threads over one", one / two, "x", detail, least=1.7)


def costs(records: Any, threads: int) -> tuple[float, float]:
    """Seconds on the clock and of processors."""
    clock, used = time.perf_counter(), time.process_time()
    vieta.fit(records.sets, records.inputs, threads=threads)
    return time.perf_counter() - clock, time.process_time() - used


def ceiling() -> float:
    """How many times as fast two processes are as one: each fits sets of its own on one thread."""
    start = get_context("spawn")
    with start.Pool(2) as pool:
        pool.map(_alone, [1, 2], chunksize=1)  # compiles, and makes the sets
        one = pool.apply(_alone, (1,))
        both = max(pool.map(_alone, [1, 2], chunksize=1))
    return 2.0 * one / both


_records: dict[int, Any] = {}


def _alone(seed: int) -> float:
    """Seconds that a fit takes in a process of its own."""
    if not _records:
        _records[seed] = vieta.simulate("example-1", n=ALONE, seed=seed)
    (records,) = _records.values()
    return costs(records, 1)[0]
