"""One process of a machine compiles a kernel, and those that need it at the same time wait for its file.

Workers that start together would otherwise all compile the same kernels. A lock is an open file that the system unlocks when a process ends,
however it ends. Nothing depends on it: where files cannot be locked, or after a while, a process compiles on its own.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 120.0  # seconds to wait for another process
PAUSE = 0.05  # seconds
ENDING = ".lock"

_held: dict[Path, int] = {}  # locks of this process: open files by the path of what is compiled


def taken(path: Path, is_there: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Take the lock for making a file, waiting for another process that has it; False as soon as the file is there.

    A thread does not wait for another of this process, as one may hold what the other waits for.
    """
    end = time.monotonic() + patience
    while path not in _held:
        file = _locked(path.with_name(path.name + ENDING))
        if file is not None:
            if file >= 0:
                _held[path] = file
            break
        time.sleep(PAUSE)
        if is_there():
            return False
        if time.monotonic() > end:
            return True
    if not is_there():
        return True
    free(path)
    return False


def free(path: Path) -> None:
    """Give the lock back, if this process has it."""
    file = _held.pop(path, None)
    if file is not None:
        with suppress(OSError):
            path.with_name(path.name + ENDING).unlink(missing_ok=True)
        os.close(file)


def _locked(path: Path) -> int | None:
    """The open file that is locked; None if another process has it, and -1 where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return -1
    try:
        file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except OSError:
        os.close(file)
        return -1
    return file
