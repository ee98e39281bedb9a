"""The tests that are marked slow, a few at a time."""

import subprocess
import sys
from functools import cache
from typing import Any

from studies.running.sources import ROOT
from studies.running.study import Conclusion, Study, Task, in_blocks

BLOCK = 4  # cases of one test in a task
PYTEST = (sys.executable, "-m", "pytest", "-m", "slow")


class SlowTestsError(Exception):
    """Some of the tests failed."""


class SlowTests(Study):
    """A page is not made: there is nothing to report but that they pass."""

    name = "slow-tests"
    runs = 1
    unit = "run of each"
    sources = ("vieta.*", "studies.*", "tests.*")

    def tasks(self, runs: int) -> list[Task]:
        return [task for name, cases in collected().items() for task in in_blocks(name, len(cases), BLOCK)]

    def run(self, task: Task) -> Any:
        cases = collected()[task.row][task.start : task.stop]
        done = subprocess.run([*PYTEST, *cases], cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SlowTestsError(done.stdout[-4000:] + done.stderr[-1000:])
        return len(cases)

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        return Conclusion(f"{sum(results.values())} slow tests passed.")


@cache
def collected() -> dict[str, list[str]]:
    """The cases of each test, as pytest names them."""
    done = subprocess.run([*PYTEST, "--collect-only"], cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if "::" in line:
            found.setdefault(line.split("[")[0], []).append(line)
    return found


STUDY = SlowTests()
