"""A small study for tests of what runs studies, and a run of it in this process."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from studies.running.results import opened
from studies.running.runner import Run
from studies.running.study import Conclusion, Study, in_blocks


class Toy(Study):
    """Squares of seeds; `code` stands for the code, and errors are raised for the seeds in `bad`."""

    name, title, note, runs = "toy", "Squares", "Of seeds.", 12
    sources = ()

    def __init__(self, code="one", bad=()):
        self.code, self.bad, self.ran = code, bad, []

    def fingerprint(self):
        return self.code

    def tasks(self, runs):
        return [task for row in ("a", "b") for task in in_blocks(row, runs, 4)]

    def run(self, task):
        self.ran.append(str(task))
        if task.start in self.bad:
            raise ArithmeticError("a bad seed")
        return [seed**2 for seed in range(task.start, task.stop)]

    def conclude(self, results):
        squares = {row: [n for task, found in results.items() if task.row == row for n in found] for row in ("a", "b")}
        return Conclusion("\n".join(f"| {row} | {found} |" for row, found in squares.items()))


class Deadly(Toy):
    """Kills its own process once the file of results has so many."""

    def __init__(self, results, most):
        super().__init__()
        self.results, self.most = results, most
        self.before = self.kept()

    def run(self, task):
        while self.kept() < self.before + len(self.ran):  # one task at a time, each kept before the next
            time.sleep(0.01)
        if self.kept() >= self.most:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(task)

    def kept(self):
        return self.results.read_bytes().count(b"\n") if self.results.exists() else 0


def with_a_child():
    """This process and one that it starts."""
    return os.getpid(), subprocess.Popen(["sleep", "600"]).pid


def validate(study, folder, runs=None, workers=1):
    """The run, after it has ended; pages go to `docs` in the folder."""
    with opened(folder / "validate") as results, ThreadPoolExecutor(workers) as pool:
        run = Run({study.name: study}, runs, results, folder / "docs")
        run(pool, workers)
        return run


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    validate(Deadly(folder / "validate" / "results.ndjson", int(sys.argv[2])), folder)
