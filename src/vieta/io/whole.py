"""Files written whole or not at all."""

import os
import tempfile
from pathlib import Path

from vieta.io.errors import BadFileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there at once: nobody ever sees half of it.

    A link stays and leads to the file; a pipe or a device takes the content as it is.
    """
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(content)
        else:
            _replace(place, content)
    except OSError as error:
        raise BadFileError(f"{path} cannot be written: {error.strerror or error}.") from None


def _replace(place: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
