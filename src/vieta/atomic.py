"""Files that are replaced whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vieta.errors import BadFileError


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of the one at `path` once all is written and on disk.

    Until then it stands beside that place, under a name that begins with a point: nobody ever sees half of it.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
