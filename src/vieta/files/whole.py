"""Files written whole or not at all."""

import os
from pathlib import Path

from vieta.atomic import replacing
from vieta.files.bad_file import BadFileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there at once: nobody ever sees half of it.

    A link stays and leads to the file; a pipe or a device takes the content as it is.
    """
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(content)
        else:
            with replacing(place) as file:
                file.write(content)
    except OSError as error:
        raise BadFileError(f"{path} cannot be written: {error.strerror or error}.") from None
