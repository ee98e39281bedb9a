"""Regular files where nothing else will do: opened without waiting for a pipe, a device or anything else in their place."""

import errno
import os
import stat
from os import PathLike
from typing import IO

from vieta.errors import BadFileError

KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link",
}


def open_regular(path: str | PathLike[str]) -> IO[bytes]:
    """The regular file at `path`, to be read; links are followed.

    A folder is an IsADirectoryError, as for `open`; anything else is refused at once.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        require_regular(path, os.fstat(handle))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def require_regular(path: str | PathLike[str], found: os.stat_result) -> None:
    """Refuse what is at `path`, which `stat` found, unless it is a regular file."""
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise BadFileError(
        "not-a-regular-file",
        "{file} is {kind}, and a regular file is needed there. Name another file.",
        file=os.fspath(path),
        kind=KINDS.get(stat.S_IFMT(found.st_mode), "no file"),
    )
