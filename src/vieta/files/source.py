"""A file of rows, zipped or not: where it is, and what every format can do with it."""

import gzip
import shutil
import stat
import sys
import tempfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self

from vieta.errors import BadFileError
from vieta.files.reasons import unreadable

if TYPE_CHECKING:
    import polars as pl

    from vieta.files.rows import Rows, Wanted

HEAD = 1 << 18  # bytes that are looked at

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Source(ABC):
    """A file of a format. A format is a subclass in a module of its own, which `vieta.files.formats` finds.

    Attributes
    ----------
    path : Path
    name : str
        What messages call it.
    zipped : bool
    """

    path: Path
    name: str
    zipped: bool

    kind: ClassVar[str]  # the name of the format
    is_text: ClassVar[bool] = True
    rank: ClassVar[int] = 0  # formats of text are asked in this order whether a file is theirs
    unit: ClassVar[str] = "line"  # what rows are counted in

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size

    @property
    def delimiter(self) -> str | None:
        """Between cells, in formats that have one."""
        return None

    @property
    def timed(self) -> tuple[str, ...]:
        """Columns that hold times, in formats that tell; their cells in the first rows are whole numbers."""
        return ()

    def levels(self, name: str) -> tuple[str, ...]:
        """Those of a column of categories, in their order, in formats that tell."""
        return ()

    def original(self, name: str, column: "pl.Series") -> "pl.Series":
        """Entries of a column as the file has them."""
        return column

    @classmethod
    @abstractmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """The file, if its first bytes are of this format, else None; `delimiter` is for formats that have one."""

    @abstractmethod
    def first_rows(self) -> dict[str, list[Any]]:
        """About a thousand rows, column by column: numbers, text, or None where a cell is missing."""

    @abstractmethod
    def describe_empty(self) -> BadFileError:
        """The error for a file in whose first rows no cell was found."""

    @abstractmethod
    def rows(self, wanted: "Wanted", *, strict: bool, progress: Progress) -> "Iterator[Rows]":
        """The wanted columns, in blocks of rows; `progress` is called with the number of bytes read.

        A cell that is not a number, or a line with too many cells, is an error if `strict` is true and NaN otherwise.
        Every line below a header is a row; those that are blank hold nothing but missing cells.
        """


def is_stream(path: str) -> bool:
    """Whether what is at `path` can be read once only: standard input, or a pipe."""
    try:
        return path == "-" or stat.S_IFMT(Path(path).stat().st_mode) not in {stat.S_IFREG, stat.S_IFDIR}
    except (OSError, ValueError):
        return False


def spooled(stack: ExitStack, path: str, name: str) -> Path:
    """A temporary file with what comes from a stream; it is removed when the stack is closed."""
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vieta-"))) / "input"
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as stream, open(place, "wb") as kept:
            shutil.copyfileobj(stream, kept, 1 << 20)
    except OSError as error:
        raise BadFileError(
            "not-spooled",
            "{file} cannot be kept in a temporary file: {reason}.",
            file=name,
            reason=error.strerror or str(error),
        ) from None
    return place


def read_bounded(file: IO[bytes] | gzip.GzipFile, most: int, name: str) -> bytes:
    """What is left of a file, unzipped; one that holds more than `most` bytes is refused before more is read."""
    content = file.read(most + 1)
    if len(content) > most:
        raise BadFileError(
            "too-long",
            "{file} holds more than {megabytes} MB, unpacked: it is not such a file. Check its name.",
            file=name,
            megabytes=most >> 20,
        )
    return content


@contextmanager
def opened(path: Path, name: str) -> Iterator[tuple[IO[bytes] | gzip.GzipFile, bool]]:
    """The file, unzipped if it is zipped, and whether it is; whatever goes wrong with reading is a `BadFileError`."""
    try:
        with open(path, "rb") as raw:
            zipped = raw.peek(2).startswith(b"\x1f\x8b")
            if not zipped:
                yield raw, False
                return
            with gzip.open(raw) as file:
                yield file, True
    except EOFError:
        raise BadFileError(
            "gzip-cut-off", "{file} ends too early: the gzip file is cut off. Fetch or write it again.", file=name
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadFileError(
            "gzip-damaged",
            "{file} is a damaged gzip file ({reason}). Fetch or write it again.",
            file=name,
            reason=str(error),
        ) from None
    except IsADirectoryError:
        what = "{file} is a folder" if name else "an empty name was given"
        raise BadFileError("folder", what + ": name a file, or - for standard input.", file=name) from None
    except OSError as error:
        raise unreadable(name, error) from None
