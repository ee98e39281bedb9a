"""Files that the page may read: those named when it was started, and those dropped on it, kept in a temporary folder of bounded size.

The folder is locked for as long as its page lives; one that nobody holds any more, of a page that was killed, is removed by the next page.
"""

import asyncio
import fcntl
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vieta.errors import InputError

PREFIX = "vieta-page-"  # of the folder
MOST_BYTES = 512 * 2**20  # of one file
MOST_IN_ALL = 2 * 2**30
MOST_FILES = 50
LONGEST = 120  # characters of a name
SILENCE = 30.0  # seconds without a byte, after which whoever sends a file is not waited for
UNUSUAL = re.compile(r"[^\w .()+=@-]", re.ASCII)


class Place(NamedTuple):
    """Where a file is: the folder to read it from, its name there, and whether it was dropped on the page."""

    folder: Path
    name: str
    dropped: bool

    @property
    def size(self) -> int:
        """Bytes."""
        with suppress(OSError):
            return (self.folder / self.name).stat().st_size
        return 0


def safe_name(given: str) -> str:
    r"""The last part of a name, with characters that mean something elsewhere replaced; never hidden, an option, or empty.

    >>> safe_name("../../etc/pass wd.csv"), safe_name("-rf"), safe_name("<b>.csv"), safe_name("C:\\x\\y.csv"), safe_name("..")
    ('pass wd.csv', 'rf', '_b_.csv', 'y.csv', 'records')
    """
    last = re.split(r"[/\\]", given)[-1]
    plain = UNUSUAL.sub("_", last).strip().lstrip(".-= ")
    return plain[-LONGEST:].lstrip(".-= ") or "records"


@dataclass(slots=True)
class Uploads:
    """Files by their keys."""

    most_bytes: int = MOST_BYTES
    most_in_all: int = MOST_IN_ALL
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix=PREFIX)))
    places: dict[str, Place] = field(default_factory=dict)
    silence: float = SILENCE
    arriving: dict[Path, int] = field(default_factory=dict)  # bytes so far, by folder
    _lock: int = -1

    def __post_init__(self) -> None:
        self._lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def add(self, path: str) -> str:
        """Name a file of this machine; its key."""
        return self._keep(Place(Path.cwd(), path, dropped=False))

    def place(self, key: str) -> Place:
        """Where the file of a key is; keys are given out here, and no path is made of one."""
        found = self.places.get(key)
        if found is None:
            raise InputError("page-no-file", "that file is not here any more. Drop it again.")
        return found

    def take_in(self, name: str, content: bytes) -> str:
        """Keep some bytes as a file; its key."""
        place = self._new(name)
        (place.folder / place.name).write_bytes(content)
        return self._keep(place)

    async def receive(self, name: str, body: AsyncIterator[bytes]) -> str:
        """Write what arrives to a file, refused and removed when it is too large; its key."""
        if len(self.places) + len(self.arriving) >= MOST_FILES:
            raise InputError(
                "page-many-files", "the page holds {most} files, its limit. Start it again.", most=MOST_FILES
            )
        place = self._new(name)
        self.arriving[place.folder] = 0
        try:
            with (place.folder / place.name).open("xb") as file:
                async for piece in unless_silent(body, self.silence):
                    self.arriving[place.folder] += len(piece)
                    if self._is_full(place.folder):
                        raise too_large(self.most_bytes)
                    file.write(piece)
        except BaseException:
            shutil.rmtree(place.folder, ignore_errors=True)
            raise
        finally:
            del self.arriving[place.folder]
        return self._keep(place)

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)
        self._lock = -1

    def _is_full(self, folder: Path) -> bool:
        """Whether the file that arrives in a folder has become too large, alone or with all others, those that arrive too."""
        used = sum(place.size for place in self.places.values() if place.dropped) + sum(self.arriving.values())
        return self.arriving[folder] > self.most_bytes or used > self.most_in_all

    def _new(self, name: str) -> Place:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return Place(folder, safe_name(name), dropped=True)

    def _keep(self, place: Place) -> str:
        key = secrets.token_urlsafe(12)
        self.places[key] = place
        return key


def remove_left_behind() -> None:
    """Remove folders of this user whose page was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            held = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                if os.fstat(held).st_uid == os.geteuid():
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)


async def unless_silent(body: AsyncIterator[bytes], seconds: float) -> AsyncIterator[bytes]:
    """The pieces of a body, for as long as they come."""
    pieces = aiter(body)
    while True:
        try:
            async with asyncio.timeout(seconds):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise InputError("page-silence", "nothing has arrived for {seconds:g} seconds.", seconds=seconds) from None
        yield piece


def too_large(most: int) -> InputError:
    """The refusal of a file that is too large to drop."""
    return InputError(
        "page-too-large",
        "the file is larger than {most:,} bytes, the most that can be dropped here. Name it when you start the page, which then reads it "
        "where it is.",
        most=most,
    )
