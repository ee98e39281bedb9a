"""Dask on processes of this machine: against arrays, two workers against one, and the share of the process that coordinates them."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import vieta
from benchmarks.timing import Result
from vieta.engines.dask_clients import local_cluster

MANY, BLOCK = 40_000_000, 1_000_000  # sets
FEWER = 10_000_000  # that are fitted as arrays too
THETA = np.array([-2.0, 5.0, 8.0])


class Cost(NamedTuple):
    seconds: float
    here: float  # of it processor time of this process, the scheduler's included
    theta: Any


def run() -> Iterator[Result]:
    one, fewer = on_workers(1, MANY, FEWER)
    (two,) = on_workers(2, MANY)
    same = "the same parameters, to the last bit" if np.array_equal(one.theta, two.theta) else "OTHER PARAMETERS"
    detail = f"{one.seconds:.1f} s and {two.seconds:.1f} s; {same}"
    yield Result(
        "dask, 4e7 sets, L=3: efficiency of two workers", one.seconds / two.seconds / 2, "", detail, least=0.85
    )
    share = 100.0 * two.here / two.seconds
    detail = f"{two.here:.2f} s of processor time, scheduler included"
    yield Result("the same: share of the coordinator", share, "%", detail, most=5.0)
    sets, inputs = drawn(FEWER)
    vieta.fit(sets[:BLOCK], inputs[:BLOCK], threads=1)
    start = time.perf_counter()
    vieta.fit(sets, inputs, threads=1)
    arrays = time.perf_counter() - start
    detail = f"{fewer.seconds:.1f} s and {arrays:.1f} s"
    yield Result("dask, 1e7 sets, one worker: over arrays", fewer.seconds / arrays, "x", detail, most=1.1)


def drawn(n: int) -> tuple[Any, Any]:
    """Sets and inputs, as arrays."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal(n)
    return inputs[:, None] * THETA + 0.01 * rng.standard_normal((n, 3)), inputs


def on_workers(workers: int, *counts: int) -> list[Cost]:
    """Fits of so many sets, which are drawn by the workers and kept by them."""
    import dask.array as da

    rng = da.random.default_rng(0)  # type: ignore[attr-defined]
    costs = []
    with local_cluster(workers) as client:
        for n in counts:
            inputs = client.persist(rng.standard_normal(n, chunks=BLOCK))
            noise = rng.standard_normal((n, 3), chunks=(BLOCK, 3))
            sets = client.persist(inputs[:, None] * THETA + 0.01 * noise)
            vieta.fit(sets[:BLOCK], inputs[:BLOCK])  # compiles, and waits for what is drawn
            start, used = time.perf_counter(), time.process_time()
            found = vieta.fit(sets, inputs)
            costs.append(Cost(time.perf_counter() - start, time.process_time() - used, found.theta))
    return costs
