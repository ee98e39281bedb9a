"""What kind of file came: CSV, NDJSON or Parquet, zipped or not; told by its first bytes, not by its name."""

import csv
import gzip
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from vieta.files.bad_file import BadFileError
from vieta.files.list_columns import parquet_shapes
from vieta.files.nested import Shape, as_record, shapes

Kind = Literal["csv", "ndjson", "parquet"]
DELIMITERS = ",\t;|"
HEAD = 1 << 18  # bytes that are looked at
ESTIMATE = re.compile(rb'\{\s*"theta"\s*:')
STRANGERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet. Save the sheet as CSV",
    b"ARROW1": "an Arrow file. Save it as Parquet or CSV",
    b"\xff\xfe": "text in UTF-16. Save it as UTF-8",
    b"\xfe\xff": "text in UTF-16. Save it as UTF-8",
    b"\x89HDF": "an HDF5 file. Save the table as Parquet or CSV",
    b"BZh": "packed with bzip2. Unpack it, or pack it with gzip",
    b"\xfd7zXZ": "packed with xz. Unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "packed with zstd. Unpack it, or pack it with gzip",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file of rows.

    Attributes
    ----------
    path : Path
    name : str
        What messages call it.
    kind : str
        "csv" (whatever its delimiter), "ndjson" or "parquet".
    zipped : bool
    delimiter : str
        Of "csv".
    names : tuple of str
        The columns of the header; empty for the other kinds.
    lists : mapping of str to shape
        Fields of "ndjson" and "parquet" that hold lists, each entry of which counts as a column.
    """

    path: Path
    name: str
    kind: Kind
    zipped: bool = False
    delimiter: str = ","
    names: tuple[str, ...] = ()
    lists: Mapping[str, Shape] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size


@contextmanager
def sources(paths: Iterable[str], delimiter: str | None = None) -> Iterator[list[Source]]:
    """The different files at `paths`, "-" for standard input; what cannot be read twice is kept in a temporary file."""
    with ExitStack() as stack:
        found, seen = list[Source](), dict[str, str]()
        for path in paths:
            name = "standard input" if path == "-" else path
            target = path if path == "-" else str(Path(path).resolve())
            if target in seen:
                also = f", also as {seen[target]}" if seen[target] != name else ""
                raise BadFileError(f"{name} was given twice{also}. Name each file once.")
            seen[target] = name
            place = _spooled(stack, path, name) if flows(path) else Path(path)
            found.append(sniff(place, name, delimiter))
        yield found


def flows(path: str) -> bool:
    """Whether what is at `path` can be read once only: standard input, or a pipe."""
    try:
        return path == "-" or stat.S_IFMT(Path(path).stat().st_mode) not in {stat.S_IFREG, stat.S_IFDIR}
    except (OSError, ValueError):
        return False


def _spooled(stack: ExitStack, path: str, name: str) -> Path:
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vieta-"))) / "input"
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as come, open(place, "wb") as kept:
            shutil.copyfileobj(come, kept, 1 << 20)
    except OSError as error:
        raise BadFileError(f"{name} cannot be kept in a temporary file: {error.strerror or error}.") from None
    return place


def sniff(path: Path, name: str, delimiter: str | None = None) -> Source:
    """What the file at `path` is."""
    with opened(path, name) as (file, zipped):
        head = file.read(HEAD)
    if not head.strip():
        raise BadFileError(f"{name} is empty. A header line and rows of numbers are needed.")
    if head.startswith(b"PAR1"):
        if zipped:
            raise BadFileError(f"{name} is a gzipped Parquet file. Unpack it; Parquet is packed in itself.")
        return Source(path, name, "parquet", lists=parquet_shapes(path, name))
    for magic, what in STRANGERS.items():
        if head.startswith(magic):
            raise BadFileError(f"{name} is {what}.")
    if b"\0" in head:
        raise BadFileError(f"{name} is no text: it holds bytes of zero. CSV, NDJSON or Parquet is needed.")
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if ESTIMATE.match(text) and b'"cov"' in text:
        raise BadFileError(f"{name} is an estimate, as vieta fit --json writes it. vieta audit takes it, as a file.")
    if text.startswith(b"[") and not _has_a_list_a_line(text):
        raise BadFileError(f"{name} is a JSON array. One object or list a line is needed (NDJSON), or CSV or Parquet.")
    if text.startswith((b"{", b"[")):
        return Source(path, name, "ndjson", zipped, lists=shapes(head))
    used, names = _header(head.split(b"\n", 1)[0], name, delimiter)
    return Source(path, name, "csv", zipped, used, names)


def _has_a_list_a_line(text: bytes) -> bool:
    """Whether the first of several lines is a list by itself."""
    first, _, rest = text.partition(b"\n")
    return as_record(first) is not None and bool(rest.strip())


@contextmanager
def opened(path: Path, name: str) -> Iterator[tuple[IO[bytes] | gzip.GzipFile, bool]]:
    """The file, unzipped if it is zipped; whatever goes wrong with reading is told in words."""
    try:
        with open(path, "rb") as raw:
            zipped = raw.peek(2).startswith(b"\x1f\x8b")
            if not zipped:
                yield raw, False
                return
            with gzip.open(raw) as file:
                yield file, True
    except EOFError:
        raise BadFileError(f"{name} ends too early: the gzip file is cut off. Fetch or write it again.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadFileError(f"{name} is a damaged gzip file ({error}). Fetch or write it again.") from None
    except IsADirectoryError:
        what = f"{name} is a folder" if name else "an empty name came"
        raise BadFileError(f"{what}: name a file, or - for standard input.") from None
    except OSError as error:
        raise BadFileError(f"{name} cannot be read: {error.strerror or error}.") from None


def _header(line: bytes, name: str, delimiter: str | None) -> tuple[str, tuple[str, ...]]:
    """The delimiter, the most frequent of the usual ones unless given, and the names of the columns."""
    try:
        text = line.decode("utf-8-sig").rstrip("\r")
    except UnicodeDecodeError:
        raise BadFileError(f"the header of {name} is not UTF-8 text. Save the file as UTF-8.") from None
    used = delimiter or max(DELIMITERS, key=text.count)
    try:
        names = tuple(cell.strip() for cell in next(csv.reader([text], delimiter=used)))
    except (csv.Error, StopIteration):
        raise BadFileError(f"line 1 of {name} cannot be read as names of columns: {text[:80]!r}.") from None
    names = tuple(cell or f"column {i}" for i, cell in enumerate(names, start=1))
    _require_names(names, name)
    return used, names


def _require_names(names: tuple[str, ...], name: str) -> None:
    if not names:
        raise BadFileError(f"line 1 of {name} is blank. The names of the columns belong there.")
    if all(_is_number(cell) for cell in names):
        raise BadFileError(
            f"line 1 of {name} holds numbers where the names of the columns should be. Add a header, for example "
            "set,y,psi."
        )
    twice = [cell for cell, count in Counter(names).items() if count > 1]
    if twice:
        where = ", ".join(str(i) for i, cell in enumerate(names, start=1) if cell == twice[0])
        raise BadFileError(f"{name} has the column {twice[0]!r} more than once (columns {where}). Rename them.")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
