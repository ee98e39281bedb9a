"""Lines of a live input as they arrive, and how far it has been read."""

import os
import select
from dataclasses import dataclass
from zlib import crc32

from vieta.errors import BadFileError, VietaError
from vieta.files.json_line import decode
from vieta.files.reasons import unreadable
from vieta.files.text_pieces import LONGEST

SIZE = 1 << 20  # bytes read at once, at the most


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the input: how many bytes and line ends come before it, a checksum of those bytes, and whether it lies
    behind a line that has no end.
    """

    size: int = 0
    lines: int = 0
    checksum: int = 0
    is_open: bool = False

    @property
    def lines_read(self) -> int:
        """Lines before it, with or without an end."""
        return self.lines + self.is_open

    def after(self, text: bytes) -> "Position":
        """The place behind some more text.

        >>> Position().after(b"[1]\\n[2]\\n") == Position().after(b"[1]\\n[").after(b"2]\\n")
        True
        """
        if not text:
            return self
        ends, is_open = text.count(b"\n"), not text.endswith(b"\n")
        return Position(self.size + len(text), self.lines + ends, crc32(text, self.checksum), is_open)


START = Position()


class Feed:
    """Whole lines of a file descriptor, handed on as soon as they arrive.

    Attributes
    ----------
    ended : bool
        Whether the input has ended (and was not merely interrupted).
    """

    number = 0  # of the input that was read last

    def __init__(self, descriptor: int, interruption: int, rest: bytes = b"", name: str = "standard input") -> None:
        """Read `descriptor` until it ends or something can be read from `interruption`."""
        self._descriptor, self._interruption, self.name = descriptor, interruption, name
        self.ended = False
        self._parts: list[bytes] = []
        self._size, self._has_line = 0, False
        self._keep(rest)

    @property
    def rest(self) -> bytes:
        """What has arrived and was not handed on: the beginning of a line."""
        return b"".join(self._parts)

    def take_rest(self) -> bytes:
        """Hand it on."""
        rest = self.rest
        self._parts, self._size, self._has_line = [], 0, False
        return rest

    def give_back(self, text: bytes) -> None:
        """Take back the end of what was handed on last."""
        if text:
            self._keep(text + self.take_rest())

    def read(self, seconds: float | None) -> bytes | None:
        """Whole lines; nothing if none arrive within so many seconds (None: however long); None at the end."""
        if not self._has_line:
            chunk = self._chunk(seconds)
            if not chunk:
                return chunk
            self._keep(chunk)
            if not self._has_line:
                return b""
        text = self.take_rest()
        end = text.rfind(b"\n") + 1
        self._keep(text[end:])
        return text[:end]

    @property
    def descriptor(self) -> int:
        """What is read."""
        return self._descriptor

    def skip(self, count: int, checksum: int = 0) -> int | None:
        """Pass over so many bytes and return their checksum, going on from `checksum`; None if there are fewer."""
        while count:
            chunk = self.take_rest() or self._chunk(None)
            if chunk is None:
                return None
            checksum = crc32(chunk[:count], checksum)
            self._keep(chunk[count:])
            count -= min(count, len(chunk))
        return checksum

    def _chunk(self, seconds: float | None) -> bytes | None:
        """What has arrived, nothing if the time is up, None at the end or if interrupted."""
        try:
            ready, _, _ = select.select([self._descriptor, self._interruption], [], [], seconds)
            if self._interruption in ready:
                return None
            chunk = os.read(self._descriptor, SIZE) if ready else b""
        except OSError as error:
            raise unreadable(self.name, error) from None
        self.ended = bool(ready) and not chunk
        return None if self.ended else chunk

    def _keep(self, chunk: bytes) -> None:
        self._parts.append(chunk)
        self._size += len(chunk)
        self._has_line |= b"\n" in chunk
        if self._size > LONGEST and not self._has_line:
            raise BadFileError(
                "input-line-too-long",
                "{name} has a line of more than {megabytes} MB: it is no NDJSON.",
                name=self.name,
                megabytes=LONGEST >> 20,
            )


def is_whole(line: bytes) -> bool:
    """Whether a line without its end may be a whole one: it is JSON, a list or an object.

    >>> is_whole(b"[1.0, 2.0]"), is_whole(b"[1.0, 2."), is_whole(b"12")
    (True, False, False)
    """
    try:
        return isinstance(decode(line), dict | list)
    except VietaError:
        return False
