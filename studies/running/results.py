"""Results of tasks in a file: one line of JSON each, added as soon as it is there, so that a killed run can go on.

Of each task the latest result counts. One that was made by other code, or was forgotten, still tells how long the task takes.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from studies.running.study import Study, Task
from vieta.atomic import write_whole

FORGOTTEN = ""  # the fingerprint of no code


class BusyError(Exception):
    """Another process runs the studies."""


@dataclass(frozen=True)
class Record:
    """The result of a task, from which code, commit and day it is, and how long it took."""

    study: str
    task: str
    fingerprint: str
    commit: str
    date: str
    seconds: float
    result: Any

    @property
    def line(self) -> bytes:
        """As it stands in the file."""
        return json.dumps(asdict(self)).encode() + b"\n"


class Results:
    """The records, in memory and in an open file."""

    def __init__(self, path: Path) -> None:
        """Read the file, and leave in it the latest record of each task: no lines that are old or cut short."""
        self.path = path
        self._records = {(one.study, one.task): one for one in _read(path)}
        self._rewrite()

    def get(self, study: Study, task: Task, fingerprint: str) -> Record | None:
        """The result of a task, if it was made by this code."""
        found = self._records.get((study.name, str(task)))
        return found if found is not None and found.fingerprint == fingerprint else None

    def seconds(self, study: Study, task: Task) -> float | None:
        """How long a task took the last time, by whatever code."""
        found = self._records.get((study.name, str(task)))
        return None if found is None else found.seconds

    def add(self, record: Record) -> None:
        """Keep a result; once this returns it is on disk."""
        self._records[record.study, record.task] = record
        with open(self.path, "ab") as file:
            file.write(record.line)
            file.flush()
            os.fsync(file.fileno())

    def forget(self, study: Study) -> None:
        """Let no result of a study count."""
        self._records |= {
            key: replace(one, fingerprint=FORGOTTEN, result=None)
            for key, one in self._records.items()
            if one.study == study.name
        }
        self._rewrite()

    def _rewrite(self) -> None:
        write_whole(self.path, b"".join(one.line for one in self._records.values()))


@contextmanager
def opened(folder: Path) -> Iterator[Results]:
    """The results in a folder, for this process alone."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another process uses {folder}. Wait for it to end.") from None
        yield Results(folder / "results.ndjson")


def _read(path: Path) -> Iterator[Record]:
    """All whole lines; a process that was killed may have left part of one at the end."""
    text = path.read_bytes() if path.exists() else b""
    for line in text[: text.rfind(b"\n") + 1].splitlines():
        yield Record(**json.loads(line))
