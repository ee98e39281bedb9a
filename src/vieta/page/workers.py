"""Work in processes of their own: it can be watched, and ended at any time without harm to the page.

A worker takes one task after the other and stays warm between them. A task is a function of a report (text, share done; parts of a result)
and of what it is asked; what it refuses is an error of vieta and becomes a message. A task that reports can be left, which keeps its worker
warm; any other is ended with its process.
"""

import os
import secrets
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from vieta.errors import InputError


class NotWantedError(Exception):
    """Nobody waits for what a task does."""


class Report:
    """What a task says while it runs: how far it is, and parts of its result as they come. It ends there if nobody wants it any more."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe

    def __call__(self, phrase: str, share: float) -> None:
        """What is done now, and which share of all is done."""
        self._send(("running", phrase, share))

    def part(self, part: dict[str, Any]) -> None:
        """A part of the result."""
        self._send(("part", part, 0.0))

    def _send(self, message: tuple[str, Any, float]) -> None:
        self.pipe.send(message)
        if self.pipe.poll():  # while a task runs, nothing is sent but that it is not wanted
            self.pipe.recv()
            raise NotWantedError


Task = Callable[[Report, dict[str, Any]], dict[str, Any]]
Said = Callable[[BaseException], "str | None"]  # what an error says to the user; None for a fault of ours
Status = Literal["waiting", "running", "done", "refused", "cancelled"]
KEPT = 40  # jobs that are remembered
MOST_WAITING = 20
FAULT = "this should not have happened. The terminal in which the page was started says more."
ENDED = "the work ended before it was done: perhaps the memory of this machine did not suffice."


@dataclass(slots=True)
class Job:
    """A piece of work and how it stands."""

    key: str
    status: Status = "waiting"
    phrase: str = "waiting"
    share: float = 0.0
    result: dict[str, Any] | None = None
    trouble: str = ""
    finished: threading.Event = field(default_factory=threading.Event)
    parts: list[dict[str, Any]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; the result once it is there."""
        state = {"job": self.key, "status": self.status, "phrase": self.phrase, "share": self.share}
        if self.status == "done":
            return state | {"result": self.result}
        return state | ({"trouble": self.trouble} if self.trouble else {})

    def end(self, status: Status, *, result: dict[str, Any] | None = None, trouble: str = "") -> None:
        """Close it; the first end counts."""
        with self._changed:
            if not self.finished.is_set():
                self.status, self.result, self.trouble = status, result, trouble
                self.finished.set()
                self._changed.notify_all()

    def add(self, part: dict[str, Any]) -> None:
        """Keep a part of the result."""
        with self._changed:
            self.parts.append(part)
            self._changed.notify_all()

    def more(self, seen: int) -> list[dict[str, Any]]:
        """The parts after those that were seen, once there are any; none when it has ended without more."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.parts) > seen or self.finished.is_set())
            return self.parts[seen:]


def serve(pipe: Connection, tasks: Mapping[str, Task], said: Said) -> None:
    """What a worker does: task after task until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the keyboard speaks to the page, which ends its workers
    at_home = Path.cwd()
    while True:
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            return
        if message is None:  # of a task that has ended meanwhile
            continue
        name, folder, asked = message
        try:
            os.chdir(folder or at_home)
            result = tasks[name](Report(pipe), asked)
            pipe.send(("done", result, 1.0))
        except NotWantedError:
            pipe.send(("refused", "", 0.0))
        except Exception as error:
            words = said(error)
            if words is None:
                import traceback

                traceback.print_exc()
            pipe.send(("refused", words or FAULT, 0.0))


@dataclass(slots=True)
class Worker:
    """A process that does tasks in turn."""

    tasks: Mapping[str, Task]
    said: Said
    jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _guard: Any = field(default_factory=threading.RLock)
    _current: Job | None = None
    _process: Any = None
    _pipe: Connection | None = None

    def warm(self) -> None:
        """Start the process, unless it runs."""
        with self._guard:
            if self._process is None or not self._process.is_alive():
                context = get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(target=serve, args=(theirs, dict(self.tasks), self.said), daemon=True)
                self._process.start()
                theirs.close()

    def start(self, name: str, asked: dict[str, Any], folder: Path | None = None) -> Job:
        """Begin a task, after those that wait."""
        if sum(not one.finished.is_set() for one in list(self.jobs.values())) >= MOST_WAITING:
            raise InputError(
                "page-busy", "{most} pieces of work wait already. Cancel some, or wait.", most=MOST_WAITING
            )
        job = Job(secrets.token_urlsafe(9))
        self.jobs[job.key] = job
        while len(self.jobs) > KEPT:
            self.jobs.popitem(last=False)
        threading.Thread(target=self._do, args=(job, name, asked, folder), daemon=True).start()
        return job

    @property
    def is_busy(self) -> bool:
        """Whether its process works, also on what was left."""
        return self._current is not None

    def job(self, key: str) -> Job:
        """A job by its key."""
        found = self.jobs.get(key)
        if found is None:
            raise InputError("page-no-job", "that work is not remembered any more. Begin it again.")
        return found

    def cancel(self, key: str) -> None:
        """End a job; one that runs is ended with its process, and the next gets a new one."""
        job = self.job(key)
        job.end("cancelled", trouble="cancelled")
        with self._guard:
            if self._current is job:
                self._kill()

    def leave(self, key: str) -> None:
        """End a job at what it says next, with its process kept."""
        job = self.job(key)
        with self._guard:
            if self._current is job and not job.finished.is_set() and self._pipe is not None:
                with suppress(OSError):
                    self._pipe.send(None)
        job.end("cancelled", trouble="cancelled")

    def let_go(self) -> None:
        """End all jobs for those who wait for them; also from a signal, so that no process is waited for."""
        for job in list(self.jobs.values()):
            job.end("cancelled", trouble="cancelled")

    def close(self) -> None:
        """End everything."""
        self.let_go()
        self._kill()

    def _kill(self) -> None:
        with self._guard:
            if self._process is not None:
                self._process.kill()
                self._process.join(5.0)
                self._process = None

    def _do(self, job: Job, name: str, asked: dict[str, Any], folder: Path | None) -> None:
        with self._turn:
            if job.finished.is_set():
                return
            try:
                with self._guard:
                    self.warm()
                    self._current, pipe = job, self._pipe
                    job.status, job.phrase = "running", "starting"
                    assert pipe is not None
                    pipe.send((name, folder, asked))
                self._follow(job, pipe)
            except (EOFError, OSError):
                job.end("refused", trouble=ENDED)
                with suppress(OSError):
                    self._kill()
            finally:
                job.end("refused", trouble=FAULT)  # unless it has ended
                with self._guard:
                    self._current = None

    def _follow(self, job: Job, pipe: Connection) -> None:
        """Take in what the worker says until its task has ended."""
        while True:
            kind, content, share = pipe.recv()
            if kind == "done":
                return job.end("done", result=content)
            if kind == "refused":
                return job.end("refused", trouble=content)
            if kind == "part":
                job.add(content)
            else:
                job.phrase, job.share = content, share
