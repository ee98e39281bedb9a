"""Text files in pieces of whole lines, so that memory does not grow with the file."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from gzip import GzipFile
from typing import IO, NamedTuple, TypeVar

from vieta.errors import BadFileError
from vieta.files.source import HEAD, Progress, Source, opened

SIZE = 16 << 20  # bytes of a piece
LONGEST = 64 << 20  # bytes of a line

Item = TypeVar("Item")


class Piece(NamedTuple):
    """Whole lines, and the number of the first of them in its file."""

    text: bytes
    first_line: int


def pieces(
    source: Source, progress: Progress, *, header: bool = False, quotes: bool = False, size: int | None = None
) -> Iterator[Piece]:
    """The lines in pieces of about `size` bytes, without the first if it is a header; `progress` is called with bytes read.

    If there are quotes, a line end between them does not end a line.
    """
    line, before = 1, 0
    with opened(source.path, source.name) as (file, _):
        if header:
            file.readline(LONGEST)
            line = 2
        for text in _cut(file, source, quotes, size or SIZE):
            yield Piece(text, line)
            line += text.count(b"\n")
            at = _position(file)
            progress(at - before)
            before = at


def first_text(source: Source, *, header: bool = False, quotes: bool = False) -> bytes:
    """The first lines."""
    found = pieces(source, lambda _: None, header=header, quotes=quotes, size=HEAD)
    return next((piece.text for piece in found), b"")


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each made in another thread while the one before it is used.

    Nothing waits for that thread if the rest is not wanted: it may be the one in which this is found out.
    """
    pool = ThreadPoolExecutor(1)
    try:
        following = pool.submit(next, items, None)
        while (item := following.result()) is not None:
            following = pool.submit(next, items, None)
            yield item
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _position(file: IO[bytes] | GzipFile) -> int:
    """Bytes read from disk, of the zipped file if it is zipped."""
    raw = getattr(file, "fileobj", None) or file
    return int(raw.tell())


def _cut(file: IO[bytes] | GzipFile, source: Source, quotes: bool, size: int) -> Iterator[bytes]:
    """About `size` bytes to the end of a line that is not inside quotes."""
    while text := _lines(file, size, source):
        more = 0
        if quotes and _quotes(text) % 2:
            parts, inside = [text], 1
            while inside and more <= LONGEST and (line := file.readline(LONGEST)):
                parts.append(line)
                inside ^= _quotes(line) % 2
                more += len(line)
            text = b"".join(parts)
        if more > LONGEST:
            raise _too_long(source)
        yield text


def _lines(file: IO[bytes] | GzipFile, size: int, source: Source) -> bytes:
    """About `size` bytes to the end of a line."""
    if source.zipped:
        text, rest = file.read(size), file.readline(LONGEST)
    else:  # looked for first, so that nothing is copied
        at = file.tell()
        file.seek(at + size)
        rest = file.readline(LONGEST)
        file.seek(at)
        text = file.read(size + len(rest))
    if len(rest) >= LONGEST:
        raise _too_long(source)
    return text + rest if source.zipped else text


def _too_long(source: Source) -> BadFileError:
    return BadFileError(
        "line-too-long",
        "{file} has a line of more than {megabytes} MB: it is no table, or a quote is not closed.",
        file=source.name,
        megabytes=LONGEST >> 20,
    )


def _quotes(text: bytes) -> int:
    return text.count(b'"') if b'"' in text else 0
