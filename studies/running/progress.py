"""One line that says how far the tasks are and how long they will take: kept up on a terminal, else printed now and then."""

import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from statistics import fmean
from typing import TextIO

from studies.running.results import Results
from studies.running.study import Study, Task

Job = tuple[Study, Task]
RARELY = 60.0  # seconds between lines where there is no terminal


def expected_seconds(jobs: list[Job], results: Results) -> dict[Job, float | None]:
    """How long each task will take: as the last time, or as others of its row, of its study, or of all; None if none is known."""
    known = {job: seconds for job in jobs if (seconds := results.seconds(*job)) is not None}
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for job, seconds in known.items():
        for group in _groups(*job):
            groups[group].append(seconds)
    means = {group: fmean(found) for group, found in groups.items()}
    guesses = {job: next((means[group] for group in _groups(*job) if group in means), None) for job in jobs}
    return {job: known.get(job, guesses[job]) for job in jobs}


def _groups(study: Study, task: Task) -> tuple[tuple[str, ...], ...]:
    """Those that a task belongs to, the closest first."""
    return (study.name, task.row), (study.name,), ()


def seconds_left(left: list[float | None], workers: int, passed: float = 0.0) -> float | None:
    """For tasks that take so long, on so many workers, of which some seconds have passed; at least as long as the longest takes.

    None if it is not known, or if more has passed than they should take.

    >>> seconds_left([60.0, 10.0, 10.0], 2), seconds_left([10.0] * 6, 2, 5.0), seconds_left([None], 2), seconds_left([], 2)
    (60.0, 25.0, None, 0.0)
    """
    known = [seconds for seconds in left if seconds is not None]
    if len(known) < len(left):
        return None
    needed = max([sum(known) / workers, *known], default=passed) - passed
    return needed if needed >= 0.0 else None


def duration(seconds: float) -> str:
    """In words.

    >>> duration(7.4), duration(75), duration(3700)
    ('7 s', '1 min 15 s', '1 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """Shows the line, on standard error by default."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream or sys.stderr, clock
        self._start, self._shown = clock(), -RARELY
        self._is_live = self._stream.isatty()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def show(self, done: int, total: int, left: float | None, latest: str) -> None:
        """The line as it is now."""
        remaining = "time left not known" if left is None else f"about {duration(left)} left"
        line = f"{done} of {total} tasks, {duration(self.elapsed)}, {remaining}; {latest}"
        if self._is_live:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", file=self._stream, flush=True)
        elif self.elapsed - self._shown >= RARELY or done == total:
            self._shown = self.elapsed
            print(line, file=self._stream, flush=True)

    def say(self, text: str) -> None:
        """Something that stays, above the line."""
        if self._is_live:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
        print(text, flush=True)
