"""How long `import vieta` takes in a new process."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.timing import Result

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run() -> Iterator[Result]:
    times = []
    for _ in range(6):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import vieta"], check=True, env=ENVIRONMENT)
        times.append(time.perf_counter() - start)
    detail = f"whole process; the first of six took {times[0]:.2f} s"
    yield Result("import vieta, warm", min(times[1:]), "s", detail, most=0.5)
