"""Files that are replaced whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from vieta.errors import BadFileError
from vieta.regular import require_regular

PARTIAL = ".vieta-partial"  # ends the name of a file that is being written


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of the one at `path` once all is written and on disk.

    Until then it stands beside that place, under a name that begins with a point and ends in `PARTIAL`: nobody ever sees half of it. It
    has the mode of the file that it replaces, and its owner where that is allowed. Only a regular file is replaced.
    """
    old = _found(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _admit(file.fileno(), old)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file by `replacing` it. A link stays and leads to the file; a pipe or a device takes the content as it is."""
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(content)
        else:
            with replacing(place) as file:
                file.write(content)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> BadFileError:
    """The error for a file that cannot be written."""
    reason = error.strerror or str(error)
    return BadFileError("unwritable", "{file} cannot be written: {reason}.", file=str(path), reason=reason)


def _found(path: Path) -> os.stat_result | None:
    """The regular file at `path`, None if there is nothing."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    require_regular(path, found)
    return found


def _admit(handle: int, old: os.stat_result | None) -> None:
    """Let those use a file who could use the old one; those who may use new files if there was none."""
    if old is None:
        os.fchmod(handle, 0o666 & ~_umask())
        return
    for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
        with suppress(PermissionError):
            os.fchown(handle, owner, group)
    os.fchmod(handle, old.st_mode & 0o777)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
