"""`vieta fit` of 10⁸ rows of Parquet, in a process of its own: against reading them once for every pass, and its memory."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.files import VIETA, cost
from benchmarks.start import ENVIRONMENT
from benchmarks.timing import Result
from vieta.estimators.batch import fit_passes
from vieta.sets import Data, as_data
from vieta.sums import Passes

ROWS, L = 100_000_000, 5
THETA = np.array([-4.0, -1.5, 1.0, 3.0, 6.0])
# Two ways to read: into sets, as a pass over a file does that is not kept in memory, and the columns alone.
SETS = """
with importlib.import_module("vieta.files.reader").reader([sys.argv[1]], stream=True) as source:
    for block in source.blocks():
        pass
"""
COLUMNS = "polars.read_parquet(sys.argv[1])"
TIMED = """
import sys, time, importlib, polars
def once():
    start = time.perf_counter()
    exec(sys.argv[2])
    return time.perf_counter() - start
print(min(once() for _ in range(2)))
"""


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        for rows in (500_000, ROWS):  # the first compiles
            process = get_context("spawn").Process(target=write, args=(path, rows))
            process.start()
            process.join()
            fit = cost(VIETA, "fit", path, repeats=1)
        sets, columns = (seconds(path, code) for code in (SETS, COLUMNS))
    times = passes()
    detail = f"{fit.seconds:.0f} s, {times} passes, reading into sets {sets:.1f} s, columns alone {columns:.1f} s, whole process"
    yield Result(
        "fit of 1e8 rows of Parquet: over reading once a pass", fit.seconds / (times * sets), "x", detail, most=1.3
    )
    yield Result("the same: peak memory", fit.bytes / 2**30, "GB", "", most=6.0)


def write(path: Path, rows: int) -> None:
    """Long rows: set, y, psi; sets of five."""
    import polars as pl

    sets, inputs = drawn(rows // L)
    columns = {"set": np.repeat(np.arange(len(inputs)), L), "y": sets.ravel(), "psi": np.repeat(inputs, L)}
    pl.DataFrame(columns).write_parquet(path)


def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal(n)
    return inputs[:, None] * THETA + 0.1 * rng.standard_normal((n, L)), inputs


def seconds(path: Path, code: str) -> float:
    """That the code takes in a process of its own, without its start."""
    done = subprocess.run(
        [sys.executable, "-c", TIMED, str(path), code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def passes() -> int:
    """How often a fit goes through all sets; as often for a hundredth of them."""
    data, count = as_data(*drawn(ROWS // L // 100)), 0

    def read() -> Iterator[Data]:
        nonlocal count
        count += 1
        return iter([data])

    fit_passes(Passes(data.part(0, 0), read), method="efficient")
    return count
