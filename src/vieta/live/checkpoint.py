"""The state of a watch in a file: the filter and how far the input was read, in one piece, whole or not at all."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vieta.atomic import PARTIAL, unwritable
from vieta.errors import BadFileError
from vieta.estimators import SymmetricFilter
from vieta.files.reasons import unreadable
from vieta.regular import require_regular


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that holds the state."""

    path: Path

    def load(self) -> SymmetricFilter | None:
        """The filter that was saved, None if the file is not there; its notes say the rest."""
        try:
            return SymmetricFilter.load(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(str(self.path), error) from None
        except BadFileError as error:
            raise BadFileError.wrap(
                error, "{cause} Take another file for {option.state}, or remove this one."
            ) from None

    def save(self, running: SymmetricFilter, notes: dict[str, Any]) -> None:
        """Replace the file at once."""
        running.notes = notes
        try:
            running.save(self.path)
        except OSError as error:
            raise unwritable(self.path, error) from None


@contextmanager
def checkpoint(path: Path) -> Iterator[Checkpoint]:
    """The file at `path`, for this process alone; what a killed process left half written is removed.

    A link stays, and leads to the file.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    lock = path.with_name(f".{path.name}.lock")
    try:
        _require_usable(path, lock)
        handle = _locked(lock)
    except BlockingIOError:
        raise BadFileError(
            "state-in-use",
            "{file} is in use by another process. Wait for it to end, or take another file.",
            file=str(path),
        ) from None
    except OSError as error:
        raise unwritable(path, error) from None
    try:
        _clear(path)
        yield Checkpoint(path)
    finally:
        if not os.fstat(handle).st_size:  # ours are empty
            lock.unlink(missing_ok=True)
        os.close(handle)


def _require_usable(path: Path, lock: Path) -> None:
    """Refuse what is no regular file in the place of the state, through links, or of its lock."""
    for place, found in ((path, os.stat), (lock, os.lstat)):
        with suppress(FileNotFoundError):
            require_regular(place, found(place))


def _locked(lock: Path) -> int:
    """A handle of the lock, once it is ours; whoever had it removes it, and then there is a new one to be made."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        try:
            require_regular(lock, os.fstat(handle))
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), lock.lstat()):
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _clear(path: Path) -> None:
    """Remove what `save` had begun to write when its process was killed."""
    left = re.compile(re.escape(f".{path.name}.") + "[a-z0-9_]{8}" + re.escape(PARTIAL))  # as tempfile names them
    for file in path.parent.iterdir():
        if left.fullmatch(file.name) and file.is_file() and not file.is_symlink():
            file.unlink(missing_ok=True)
