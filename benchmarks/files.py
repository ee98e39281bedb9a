"""`vieta fit` on files, as whole processes: against polars alone, and in bounded memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.lms import data
from benchmarks.start import ENVIRONMENT
from benchmarks.timing import Result

ROWS = 10_000_000  # four a set
POLARS = "import sys, polars; polars.read_csv(sys.argv[1]).sort('set')"
VIETA = "from vieta.cli import main; main()"


class Cost(NamedTuple):
    seconds: float
    bytes: float


def written(path: Path, rows: int, shuffled: bool = False) -> Path:
    """A file that another process writes: the memory of this one would count as that of its children."""
    process = get_context("spawn").Process(target=write, args=(path, rows, shuffled))
    process.start()
    process.join()
    assert process.exitcode == 0
    return path


def write(path: Path, rows: int, shuffled: bool) -> None:
    """Long CSV: set, y, psi."""
    import polars as pl

    sets, psi = data(rows // 4)
    frame = pl.DataFrame({"set": np.repeat(np.arange(rows // 4), 4), "y": sets.ravel(), "psi": np.repeat(psi, 4)})
    frame = frame.sample(fraction=1.0, shuffle=True, seed=0) if shuffled else frame
    frame.write_csv(path)


def cost(code: str, *arguments: object, repeats: int = 2) -> Cost:
    """Least time and memory of a process that runs `code`."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)], env=ENVIRONMENT, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, arguments
        found.append(Cost(time.perf_counter() - start, 1024.0 * usage.ru_maxrss))
    return Cost(*(min(column) for column in zip(*found, strict=True)))


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        small = written(Path(folder) / "small.csv", 12_000)
        cost(VIETA, "fit", small, "--method", "least-squares", repeats=1)  # compiles
        for name, shuffled in (("in order", False), ("shuffled", True)):
            path = written(Path(folder) / "large.csv", ROWS, shuffled)
            yield from _large(path, name)
        yield _in_pieces(written(path, ROWS), written(Path(folder) / "larger.csv", 5 * ROWS))
        seconds = cost(VIETA, "fit", small, repeats=3).seconds
        yield Result("vieta fit, 3000 sets of 4, warm", seconds, "s", "whole process, default method", most=3.0)
        seconds = cost(VIETA, "--help", repeats=6).seconds
        yield Result("vieta --help, warm", seconds, "s", "whole process", most=0.3)


def _large(path: Path, name: str) -> Iterator[Result]:
    size = path.stat().st_size
    alone, ours = cost(POLARS, path), cost(VIETA, "fit", path, "--method", "least-squares")
    detail = f"{ours.seconds:.1f} s, polars alone {alone.seconds:.1f} s, whole processes"
    ratio = ours.seconds / alone.seconds
    yield Result(f"fit of 1e7 CSV rows {name}: over read and sort", ratio, "x", detail, most=2.5)
    detail = f"{ours.bytes / 2**20:.0f} MB of {size / 2**20:.0f} MB; polars alone {alone.bytes / 2**20:.0f} MB"
    yield Result("the same: peak memory over file size", ours.bytes / size, "x", detail, most=2.5)


def _in_pieces(path: Path, larger: Path) -> Result:
    """A file five times as large in pieces, against the file."""
    once, five = (
        cost(VIETA, "fit", file, "--method", "least-squares", "--stream", repeats=1) for file in (path, larger)
    )
    detail = (
        f"{five.bytes / 2**20:.0f} MB and {once.bytes / 2**20:.0f} MB; {five.seconds:.1f} s for 5e7 rows, read twice"
    )
    return Result("fit --stream of 5e7 rows: memory over that of 1e7", five.bytes / once.bytes, "x", detail, most=1.1)
