"""Where compiled kernels are kept: the first of a few folders that can be written safely.

A kernel on disk is code. So a folder outside the package is used only if it belongs to this user, is no link, and nobody else may write
into it; and a folder for temporary files only if nobody else can put another in its place.
"""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

PACKAGE = Path(__file__).resolve().parent
GIVEN = "NUMBA_CACHE_DIR"  # the variable by which numba is given a folder
TEMPORARY = ("/tmp", "/var/tmp")  # folders for temporary files where no variable names one

Kind = Literal["given", "package", "user", "temporary"]


class Place(NamedTuple):
    """A folder for kernels, and what kind of folder it is in: the one given by the user, the package's, the user's, or a temporary one."""

    kind: Kind
    path: Path


@cache
def chosen() -> Place | None:
    """Where this process keeps kernels; None if there is no place."""
    return cache_directory(os.environ)


@cache
def readable() -> tuple[Path, ...]:
    """Where this process looks for kernels: where it keeps them, and where those who installed the package may have put some."""
    kept = chosen()
    trusted = [place.path for place in candidates(os.environ) if place.kind in {"given", "package"}]
    return tuple(dict.fromkeys([kept.path, *trusted] if kept else trusted))


def cache_directory(environ: Mapping[str, str], package: Path = PACKAGE) -> Place | None:
    """The first of the candidates into which files can be written; it is made if it is not there."""
    return next((place for place in candidates(environ, package) if _usable(place)), None)


def candidates(environ: Mapping[str, str], package: Path = PACKAGE) -> Iterator[Place]:
    """Folders in the order in which they are tried; those outside the package have a name of its own for each installation."""
    own = f"vieta-{hashlib.sha256(os.fsencode(package)).hexdigest()[:12]}"
    if environ.get(GIVEN):
        yield Place("given", Path(environ[GIVEN]).absolute() / own)
    yield Place("package", package / "__pycache__" / "kernels")
    user = _user_cache(environ)
    if user is not None:
        yield Place("user", user / "vieta" / own)
    if os.name == "posix":
        for folder in dict.fromkeys([environ.get("TMPDIR", ""), *TEMPORARY]):
            if os.path.isabs(folder):
                yield Place("temporary", Path(folder) / f"vieta-{os.getuid()}" / own)


def _user_cache(environ: Mapping[str, str]) -> Path | None:
    """The folder for caches of this user, by the custom of the system."""
    if sys.platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return Path(local) if local else None
    if os.path.isabs(environ.get("XDG_CACHE_HOME", "")):
        return Path(environ["XDG_CACHE_HOME"])
    home = environ.get("HOME") or _home_of_account()
    if not os.path.isabs(home):
        return None
    return Path(home, "Library/Caches" if sys.platform == "darwin" else ".cache")


def _home_of_account() -> str:
    """The home of this user where no variable names it; empty if the system does not know the user."""
    home = os.path.expanduser("~")
    return "" if home == "~" else home


def _usable(place: Place) -> bool:
    """Whether files can be written into a place, and nobody else can who should not."""
    with suppress(OSError):
        if place.kind == "temporary":
            _make_private(place.path.parent)
        if place.kind in {"given", "package"}:
            place.path.mkdir(parents=True, exist_ok=True)
        else:
            _make_private(place.path)
        tempfile.TemporaryFile(dir=place.path).close()
        return True
    return False


def _make_private(path: Path) -> None:
    """Make a folder that nobody else may enter; raises PermissionError if there is one that is not this user's alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.mkdir(exist_ok=True, mode=0o700)
    if os.name == "posix" and not (_own(path.lstat()) and _kept_by_parent(path.parent.stat())):
        raise PermissionError(path)


def _own(found: os.stat_result) -> bool:
    """Whether this is a folder, no link to one, that belongs to this user and into which nobody else may write."""
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _kept_by_parent(parent: os.stat_result) -> bool:
    """Whether nobody else can rename what is in a folder: it is this user's or root's, and others may not write or it is sticky."""
    shared = parent.st_mode & 0o022 and not parent.st_mode & stat.S_ISVTX
    return parent.st_uid in {0, os.getuid()} and not shared
