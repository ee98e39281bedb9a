"""How long `import vieta` takes in a new process, and `vieta fit` on the bundled file: the first time on a machine, and again."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import vieta
from benchmarks.timing import Result
from vieta import data

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
FIT = "from vieta.cli import main; main()"
AGAIN = 5


def seconds(*words: object, **environ: str) -> float:
    """How long a process takes that runs Python with these words."""
    start = time.perf_counter()
    command = [sys.executable, *map(str, words)]
    subprocess.run(command, check=True, env=ENVIRONMENT | environ, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def run() -> Iterator[Result]:
    times = [seconds("-c", "import vieta") for _ in range(6)]
    detail = f"whole process; the first of six took {times[0]:.2f} s"
    yield Result("import vieta, warm", min(times[1:]), "s", detail, most=0.5)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(vieta.__path__[0], Path(folder, "vieta"), ignore=shutil.ignore_patterns("kernels"))
        records = Path(folder) / "meters.csv.gz"
        records.write_bytes(data.content(records.name))
        words = ("-c", FIT, "fit", records, "--input", "cold", "--intercept")
        first, *again = [seconds(*words, PYTHONPATH=folder) for _ in range(1 + AGAIN)]
    detail = "whole process, no kernel compiled before"
    yield Result("vieta fit, bundled file, first start", first, "s", detail, most=15.0)
    detail = f"whole process, the slowest of {AGAIN}; the fastest took {min(again):.2f} s"
    yield Result("vieta fit, bundled file, later starts", max(again), "s", detail, most=2.0)
