"""Text files in pieces of whole lines, so that memory does not grow with the file."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from gzip import GzipFile
from typing import IO, NamedTuple

from vieta.io.errors import BadFileError
from vieta.io.nested import unfold
from vieta.io.sources import Source, opened

SIZE = 8 << 20  # bytes of a piece
LONGEST = 64 << 20  # bytes of a line

Progress = Callable[[int], None]


class Piece(NamedTuple):
    """Whole lines, and the number of the first of them in its file."""

    text: bytes
    first_line: int


def pieces(source: Source, progress: Progress, size: int | None = None) -> Iterator[Piece]:
    """The lines below the header, lists unfolded, in pieces of about `size` bytes; `progress` is told of bytes read."""
    line, before = 1, 0
    with opened(source.path, source.name) as (file, _):
        if source.kind == "csv":
            file.readline(LONGEST)
            line = 2
        for text in _cut(file, source, size or SIZE):
            yield Piece(unfold(text, source.lists) if source.lists else text, line)
            line += text.count(b"\n")
            at = _position(file)
            progress(at - before)
            before = at


def ahead(items: Iterator[Piece]) -> Iterator[Piece]:
    """The same pieces, each read while the one before it is used."""
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(next, items, None)
        while (item := following.result()) is not None:
            following = pool.submit(next, items, None)
            yield item


def _position(file: IO[bytes] | GzipFile) -> int:
    """Bytes read from disk, of the zipped file if it is zipped."""
    raw = getattr(file, "fileobj", None) or file
    return int(raw.tell())


def _cut(file: IO[bytes] | GzipFile, source: Source, size: int) -> Iterator[bytes]:
    """About `size` bytes to the end of a line that is not inside quotes."""
    while text := file.read(size):
        parts = [text, file.readline(LONGEST)]
        inside = source.kind == "csv" and sum(_quotes(part) for part in parts) % 2
        more = 0
        while inside and (line := file.readline(LONGEST)):
            parts.append(line)
            inside ^= _quotes(line) % 2
            more += len(line)
            if more > LONGEST:
                break
        if max(more, len(parts[1])) >= LONGEST:
            raise BadFileError(
                f"{source.name} has a line of more than {LONGEST >> 20} MB: it is no table, or a quote is not closed."
            )
        yield b"".join(parts)


def _quotes(text: bytes) -> int:
    return text.count(b'"') if b'"' in text else 0
