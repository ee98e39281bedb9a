"""Runs the tasks that have no result yet, keeps each result at once, and writes a study's page when all of its results are there."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any

from studies.running import stamp
from studies.running.progress import Job, Progress, expected_seconds, seconds_left
from studies.running.results import Record, Results
from studies.running.stamp import Stamp
from studies.running.study import Conclusion, Study, Task
from vieta.atomic import write_whole

TICK = 1.0  # seconds between looks at the clock


class CodeChangedError(Exception):
    """The code of a study changed while it was measured."""


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """So many processes; they and all that they started end with this one, however it ends, and at once after an error."""
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_the_parent) as pool:
        try:
            yield pool
        except BaseException:
            for process in set(multiprocessing.active_children()) - others:
                _kill(process.pid)
            raise


def _kill(process: int | None) -> None:
    """Kill a process with its group, which is its own unless it has only just begun."""
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)


def _end_with_the_parent() -> None:
    """A pool's processes would wait for work forever if the one that started them was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    os.setpgid(0, 0)  # a group of its own, with all that it will start

    def watch() -> None:
        wait_for([parent.sentinel])
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def timed(study: Study, task: Task) -> tuple[float, Any]:
    """The result of a task after the seconds that it took."""
    start = time.perf_counter()
    result = study.run(task)
    return time.perf_counter() - start, result


@dataclass(eq=False)
class Run:
    """One run of some studies.

    Attributes
    ----------
    jobs : dict
        The tasks of each study.
    results : Results
    output : Path
        The folder of the pages.
    progress : Progress
    missed, failed : list of str
        Targets that were missed, and tasks that ended in an error.
    """

    studies: dict[str, Study]
    runs: int | None
    results: Results
    output: Path
    progress: Progress = field(default_factory=Progress)
    missed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.jobs = {study: study.tasks(self.size(study)) for study in self.studies.values()}
        self._code = {study: study.fingerprint() for study in self.jobs}
        self._commit = stamp.commit()

    def size(self, study: Study) -> int:
        """How many runs."""
        return study.runs if self.runs is None else self.runs

    def record(self, study: Study, task: Task) -> Record | None:
        """The result of a task, if it is there."""
        return self.results.get(study, task, self._code[study])

    def left(self) -> list[Job]:
        """Tasks without a result, those that take longest first, and first of all those of which nothing is known."""
        left = [(study, task) for study, tasks in self.jobs.items() for task in tasks if not self.record(study, task)]
        seconds = expected_seconds(self._every_job(), self.results)
        known = {job: float("inf") if taken is None else taken for job, taken in seconds.items()}
        return sorted(left, key=known.__getitem__, reverse=True)

    def __call__(self, pool: Executor, workers: int) -> bool:
        """Run what is left; whether all targets were reached."""
        futures = {pool.submit(timed, *job): job for job in self.left()}
        for study in self.jobs:
            self._conclude(study)
        latest = "going on" if any(self.record(*job) for job in self._every_job()) else "starting"
        since = self.progress.elapsed
        while futures:
            done, _ = wait(futures, timeout=TICK, return_when=FIRST_COMPLETED)
            for future in done:
                study, task = futures.pop(future)
                latest = f"{study.name}: {task}"
                self._keep(study, task, future)
                self._conclude(study)
                since = self.progress.elapsed
            self._show(list(futures.values()), workers, since, latest)
        return not self.missed and not self.failed

    def conclude_so_far(self) -> None:
        """Write the pages of what is there, each with a sentence that says how much is missing."""
        for study in self.jobs:
            self._conclude(study, so_far=True)

    def _every_job(self) -> list[Job]:
        return [(study, task) for study, tasks in self.jobs.items() for task in tasks]

    def _show(self, left: list[Job], workers: int, since: float, latest: str) -> None:
        """The line of progress; `since` is when the latest task ended, and the time from then on counts down."""
        every = self._every_job()
        seconds = expected_seconds(every, self.results)
        needed = seconds_left([seconds[job] for job in left], workers, self.progress.elapsed - since)
        self.progress.show(len(every) - len(left), len(every), needed, latest)

    def _keep(self, study: Study, task: Task, future: "Future[tuple[float, Any]]") -> None:
        """Keep a result, or say what went wrong; results of code that is no longer there are not kept."""
        if study.fingerprint() != self._code[study]:
            raise CodeChangedError(f"the code of {study.name} changed while it was measured. Run it again.")
        error = future.exception()
        if error is not None:
            self.failed.append(f"{study.name}: {task}")
            self.progress.say(f"FAILED {study.name}: {task}: {type(error).__name__}: {error}")
            return
        seconds, result = future.result()
        today = date.today().isoformat()
        self.results.add(
            Record(study.name, str(task), self._code[study], self._commit, today, round(seconds, 3), result)
        )

    def _conclude(self, study: Study, *, so_far: bool = False) -> None:
        """Once all results of a study are there, or as many as there are `so_far`, say what they say and write its page."""
        records = {task: self.record(study, task) for task in self.jobs[study]}
        found = {task: one for task, one in records.items() if one is not None}
        is_whole = len(found) == len(records)
        if not found or not (is_whole or so_far):
            return
        conclusion = study.conclude({task: one.result for task, one in found.items()})
        if not is_whole:
            missing = f"So far {len(found):,} of {len(records):,} parts were run; what follows is of these alone."
            conclusion = replace(conclusion, table=f"{missing}\n\n{conclusion.table}")
        self.progress.say(f"\n{study.name}\n\n{conclusion.table}")
        self.missed += [f"{study.name}: {text}" for text in conclusion.missed]
        latest = max(found.values(), key=lambda one: one.date)
        if study.title:
            made = Stamp(study.name, self._code[study], latest.commit, latest.date, self.size(study))
            self._write(study, conclusion, made)

    def _write(self, study: Study, conclusion: Conclusion, made: Stamp) -> None:
        page = "\n\n".join([f"# {study.title}", study.note, made.text(study), conclusion.table]) + "\n"
        self.output.mkdir(parents=True, exist_ok=True)
        if conclusion.picture is not None:
            write_whole(self.output / f"{study.name}.png", conclusion.picture)
        write_whole(self.output / f"{study.name}.md", page.encode())
        stamp.renew_pages(self.output, self.studies, made)
