"""`vieta watch` on a file that is piped in: whole processes, from bytes to the final report."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.files import VIETA
from benchmarks.lms import data
from benchmarks.start import ENVIRONMENT
from benchmarks.timing import Result

SETS = 1_000_000
LEAST = {"lms": 50_000.0, "efficient": 10_000.0}


def write(path: Path, n: int) -> Path:
    """NDJSON: y with four readings, psi."""
    import polars as pl

    sets, psi = data(n)
    pl.DataFrame({"y": sets.tolist(), "psi": psi}).write_ndjson(path)
    return path


def seconds(path: Path, *arguments: str, repeats: int = 2) -> float:
    """Least time of a process that watches the file through a pipe."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            command = [sys.executable, "-c", VIETA, "watch", "--json", *arguments]
            quiet = subprocess.DEVNULL
            subprocess.run(command, stdin=cat.stdout, stdout=quiet, stderr=quiet, env=ENVIRONMENT, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        small, large = write(Path(folder) / "small.ndjson", 2000), write(Path(folder) / "large.ndjson", SETS)
        for method, least in LEAST.items():
            short = seconds(small, "--method", method)
            whole = seconds(large, "--method", method)
            detail = (
                f"{whole:.1f} s for 1e6 sets, {short:.1f} s for 2000; {large.stat().st_size / SETS:.0f} bytes a set"
            )
            yield Result(f"watch --method {method}, piped in, L=4", SETS / whole, "sets/s", detail, least=least)
        state = str(Path(folder) / "state.npz")
        saved = seconds(large, "--method", "lms", "--state", state, repeats=1)
        again = seconds(large, "--method", "lms", "--state", state, repeats=1)
        detail = f"{again:.1f} s to pass over 1e6 sets, {saved:.1f} s to absorb them, saving every 5 s"
        yield Result("watch --resume replay: time over that of absorbing", again / saved, "x", detail, most=1.0)
