"""The stream behind the live part: a command or a pipe gives sets, a filter in a process of its own follows them, and says so in events."""

import json
import os
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from vieta.page.broadcast import Broadcast

LONGEST = 300  # characters of a remark
PATIENCE = 5.0  # seconds until a process that was asked to end is ended


class Stream:
    """A filter that follows a source; `words` are those of the filter's own process, which prints events as lines of JSON."""

    def __init__(self, source: str, words: Sequence[str], to: Broadcast) -> None:
        self.source, self.words, self.to = source, words, to
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readers: list[threading.Thread] = []
        self._ending = False

    def start(self) -> None:
        """Begin to follow."""
        sets = self._opened()
        watch = subprocess.Popen(
            self.words, stdin=sets, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        sets.close()
        self._processes.append(watch)
        assert watch.stdout is not None
        assert watch.stderr is not None
        for target, pipe in ((self._events, watch.stdout), (self._remarks, watch.stderr)):
            self._readers.append(threading.Thread(target=target, args=(pipe,), daemon=True))
            self._readers[-1].start()

    def close(self) -> None:
        """End the source, then let the filter answer and keep its state; whatever does not end by itself is ended."""
        self._ending = True
        for process in self._processes:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)

    def _opened(self) -> IO[bytes]:
        """What the sets are read from: a pipe or a file of that name, or what a command prints."""
        path = Path(self.source)
        with suppress(OSError, ValueError):
            kind = path.stat().st_mode
            if stat.S_ISREG(kind):
                return path.open("rb")
            if stat.S_ISFIFO(kind):
                return os.fdopen(os.open(path, os.O_RDWR), "rb")  # held open, so that writers may come and go
        command = subprocess.Popen(
            self.source, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )
        self._processes.append(command)
        assert command.stdout is not None
        return command.stdout

    def _events(self, lines: IO[bytes]) -> None:
        for line in _each(lines):
            event = _record(line)
            if event is not None:
                self.to.publish(str(event.pop("event", "estimate")), event | {"received": round(time.time(), 3)})
        if not self._ending:
            self.to.publish("ended", {})

    def _remarks(self, lines: IO[bytes]) -> None:
        for line in _each(lines):
            text = line.decode(errors="replace").strip()
            if text:
                self.to.publish("remark", {"text": text[:LONGEST]})


def _each(lines: IO[bytes]) -> Iterator[bytes]:
    """The lines to the last, after which the pipe is closed."""
    with lines:
        yield from lines


def _record(line: bytes) -> dict[str, Any] | None:
    """What a line holds, None if it is no event."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
