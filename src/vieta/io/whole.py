"""Files written whole or not at all."""

import os
import tempfile
from pathlib import Path

from vieta.io.errors import BadFileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there at once: nobody ever sees half of it."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise BadFileError(f"{path} cannot be written: {error.strerror or error}.") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
