"""CSV and its like, with any delimiter: a header, and a row a line; by polars if all is well, cell by cell where it is not."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from vieta.errors import BadFileError
from vieta.files import cells
from vieta.files.reasons import REPAIR
from vieta.files.rows import Rows, Wanted, as_rows
from vieta.files.source import Progress, Source
from vieta.files.text_pieces import Piece, ahead, first_text, pieces

if TYPE_CHECKING:
    import polars as pl

DELIMITERS = ",\t;|"
ROWS = 1000  # that are looked at


@dataclass(frozen=True, slots=True)
class Csv(Source):
    """A file of delimited text.

    Attributes
    ----------
    separator : str
        Between cells.
    names : tuple of str
        The columns of the header.
    """

    separator: str
    names: tuple[str, ...]

    kind: ClassVar[str] = "csv"
    rank: ClassVar[int] = 100  # any text may be CSV: asked last

    @property
    def delimiter(self) -> str | None:
        """Between cells."""
        return self.separator

    @classmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """The file, by its header; the delimiter is the most frequent of the usual ones unless it is given."""
        try:
            text = head.split(b"\n", 1)[0].decode("utf-8-sig").rstrip("\r")
        except UnicodeDecodeError:
            raise BadFileError(
                "header-not-utf8", "the header of {file} is not UTF-8 text. Save the file as UTF-8.", file=name
            ) from None
        used = delimiter or max(DELIMITERS, key=text.count)
        try:
            names = tuple(cell.strip() for cell in next(csv.reader([text], delimiter=used)))
        except (csv.Error, StopIteration):
            template = "line 1 of {file} cannot be read as names of columns: {text!r}."
            raise BadFileError("header-unreadable", template, file=name, text=text[:80]) from None
        names = tuple(cell or f"column {i}" for i, cell in enumerate(names, start=1))
        _require_names(names, name)
        return cls(path, name, zipped, used, names)

    def first_rows(self) -> dict[str, list[Any]]:
        """The first rows that are not blank, column by column."""
        text = io.StringIO(first_text(self, header=True, quotes=True).decode("utf-8", "replace"), newline="")
        rows: list[list[str]] = []
        try:
            for row in csv.reader(text, delimiter=self.separator):
                rows += [row] if row else []
                if len(rows) == ROWS:
                    break
        except csv.Error as error:
            template = "{file} cannot be read as CSV: {reason}."
            raise BadFileError("csv-unreadable", template, file=self.name, reason=str(error)) from None
        return {
            name: [cells.guessed(row[i]) if i < len(row) else None for row in rows] for i, name in enumerate(self.names)
        }

    def describe_empty(self) -> BadFileError:
        """The error for a file without rows."""
        return BadFileError(
            "csv-without-rows",
            "{file} has no rows below its first line, {text!r}. One row a reading, or one row a set, is needed.",
            file=self.name,
            text=self.separator.join(self.names)[:40],
        )

    def rows(self, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Rows]:
        """The wanted columns."""
        return ahead(self._rows(ahead(pieces(self, progress, header=True, quotes=True)), wanted, strict))

    def _rows(self, found: Iterator[Piece], wanted: Wanted, strict: bool) -> Iterator[Rows]:
        for piece in found:
            frame, lost = self._fast(piece, wanted), list[int]()
            if frame is None:
                names = list(wanted.schema())
                frame = cells.as_frame(self, self._cells(piece, names, strict, lost), wanted, names, strict=strict)
            yield replace(as_rows(self, frame, piece.first_line), unclosed=sum(lost))

    def _fast(self, piece: Piece, wanted: Wanted) -> "pl.DataFrame | None":
        """The rows of a piece; None if something in it is not as it should be."""
        import polars as pl

        if b'"' in piece.text and not _closes_on_each_line(piece.text):
            return None
        schema = wanted.schema()
        everything = {name: schema.get(name, pl.String()) for name in self.names}
        places = self._places(schema)
        for missing in (None, list(cells.MISSING)):  # looking for words takes time
            try:
                return pl.read_csv(
                    piece.text,
                    has_header=False,
                    schema=everything,
                    columns=places,
                    separator=self.separator,
                    null_values=missing,
                ).select(list(schema))
            except (pl.exceptions.PolarsError, UnicodeDecodeError):
                continue
        return None

    def _places(self, names: Iterable[str]) -> list[int]:
        """At which columns names stand; there may be thousands."""
        places = {name: at for at, name in enumerate(self.names)}
        return [places[name] for name in names]

    def _cells(self, piece: Piece, names: list[str], strict: bool, lost: list[int]) -> Iterator[tuple[int, list[Any]]]:
        """Line and cells of each row of a piece; how many lines a quote that is not closed has swallowed is added to `lost`."""
        places = self._places(names)
        lines = list(io.StringIO(piece.text.decode("utf-8", "replace"), newline=""))
        rows = csv.reader(lines, delimiter=self.separator)
        line, columns = piece.first_line, len(self.names)
        try:
            for row in rows:
                if rows.line_num == len(lines) and self._ends_quoted(lines[line - piece.first_line :]):
                    lost.append(piece.first_line + len(lines) - line)
                    if strict:
                        raise self._unclosed(line, lost[-1])
                    yield line, [row[places[0]] if len(row) > places[0] else None, *[cells.BROKEN for _ in places[1:]]]
                    return
                if len(row) > columns and strict:
                    raise BadFileError(
                        "too-many-cells",
                        "line {line:,} of {file} has {given} cells, and the header {needed}. " + REPAIR,
                        line=line,
                        file=self.name,
                        given=len(row),
                        needed=columns,
                    )
                if len(row) > columns:
                    yield line, [row[places[0]], *[cells.BROKEN for _ in places[1:]]]
                else:
                    yield line, [row[i] if i < len(row) else None for i in places]
                line = piece.first_line + rows.line_num
        except csv.Error as error:
            template = "line {line:,} of {file} cannot be read: {reason}."
            raise BadFileError("csv-line-unreadable", template, line=line, file=self.name, reason=str(error)) from None

    def _ends_quoted(self, lines: list[str]) -> bool:
        """Whether a row ends within quotes."""
        try:
            list(csv.reader(lines, delimiter=self.separator, strict=True))
        except csv.Error as error:
            return "unexpected end" in str(error)
        return False

    def _unclosed(self, line: int, count: int) -> BadFileError:
        return BadFileError(
            "quote-not-closed",
            "line {line:,} of {file} opens a quote that is not closed: from there to the end of the file, {count:,} line(s) cannot be read. "
            "Close it, or fetch the file again if it is cut off; {option.on_bad_set:drop} leaves these lines out.",
            line=line,
            file=self.name,
            count=count,
        )


def _closes_on_each_line(text: bytes) -> bool:
    """Whether each line has an even number of quotes. Elsewhere polars panics, or takes lines for one that are not.

    >>> _closes_on_each_line(b'1,"a"\\n2,b\\n'), _closes_on_each_line(b'1,5" pipe\\n2,5" pipe\\n')
    (True, False)
    """
    letters = np.frombuffer(text, dtype=np.uint8)
    quotes, ends = (np.flatnonzero(letters == ord(letter)) for letter in '"\n')
    return len(quotes) % 2 == 0 and not (np.searchsorted(quotes, ends) % 2).any()


def _require_names(names: tuple[str, ...], file: str) -> None:
    if not names:
        raise BadFileError(
            "blank-header", "line 1 of {file} is blank. The names of the columns belong there.", file=file
        )
    if all(isinstance(cells.guessed(cell), int | float) for cell in names):
        raise BadFileError(
            "numbers-for-header",
            "line 1 of {file} holds numbers where the names of the columns should be. Add a header, for example set,y,psi.",
            file=file,
        )
    twice = [cell for cell, count in Counter(names).items() if count > 1]
    if twice:
        places = ", ".join(str(i) for i, cell in enumerate(names, start=1) if cell == twice[0])
        raise BadFileError(
            "column-twice",
            "{file} has the column {column!r} more than once (columns {places}). Rename them.",
            file=file,
            column=twice[0],
            places=places,
        )


FORMAT = Csv
