"""NDJSON: an object a line, or a list, which is the readings of a set; by polars if all is well, line by line where it is not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from vieta.errors import BadFileError
from vieta.files import cells, lists
from vieta.files.json_line import as_record, fault, numbers, without_nulls
from vieta.files.reasons import NOT_A_NUMBER, REPAIR
from vieta.files.rows import Rows, Wanted
from vieta.files.source import Progress, Source
from vieta.files.text_pieces import Piece, ahead, first_text, pieces

if TYPE_CHECKING:
    import polars as pl

ROWS = 1000  # that are looked at
ESTIMATE = re.compile(rb'\{\s*"theta"\s*:')

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ndjson(Source):
    """A file of JSON, one object or list a line.

    Attributes
    ----------
    lists : mapping of str to shape
        Fields that hold lists, each entry of which counts as a column.
    """

    lists: lists.Lists

    kind: ClassVar[str] = "ndjson"

    @classmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """The file, if it begins with an object or a list."""
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not text.startswith((b"{", b"[")):
            return None
        if ESTIMATE.match(text) and b'"cov"' in text:
            raise BadFileError(
                "estimate-file", "{file} is an estimate, not records: {call.audit} takes it, as a file.", file=name
            )
        first, _, rest = text.partition(b"\n")
        if text.startswith(b"[") and not (_is_record(first) and rest.strip()):
            raise BadFileError(
                "json-array",
                "{file} is a JSON array. One object or list a line is needed (NDJSON), or CSV or Parquet.",
                file=name,
            )
        return cls(path, name, zipped, lists.usual_shapes(_records(head)) if b"[" in head else {})

    def first_rows(self) -> dict[str, list[Any]]:
        """The first objects, column by column."""
        columns = lists.unfolded(_records(first_text(self)), self.lists)
        return {name: [cells.guessed(cell) for cell in column] for name, column in columns.items()}

    def describe_empty(self) -> BadFileError:
        """The error for a file whose first lines hold nothing."""
        line = first_text(self).strip().split(b"\n")[0]
        what = "holds nothing" if _is_record(line) else "is no whole JSON object by itself"
        return BadFileError(
            "ndjson-without-rows",
            f"line 1 of {{file}} {what}: {{text!r}}. One object a reading, or one object a set, is needed.",
            file=self.name,
            text=line[:40].decode("utf-8", "replace"),
        )

    def rows(self, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Rows]:
        """The wanted columns."""
        return ahead(self._rows(ahead(pieces(self, progress)), wanted, strict))

    def _rows(self, found: Iterator[Piece], wanted: Wanted, strict: bool) -> Iterator[Rows]:
        for piece in found:
            frame, misfits = self._fast(piece.text, wanted), 0
            if frame is None:
                frame, misfits = self._careful(piece, wanted, strict)
            rows = lists.as_columns(self, frame, piece.first_line, self.lists, wanted, strict=strict)
            yield replace(rows, misfits=rows.misfits + misfits)

    def _fast(self, text: bytes, wanted: Wanted) -> "pl.DataFrame | None":
        """The fields of some lines; None if something in them is not as it should be, a line is blank, or a key comes twice.

        Readers of JSON differ about keys that come twice.
        """
        import polars as pl

        if text.startswith(b"["):
            text = b'{"y":' + text.rstrip().replace(b"\n", b'}\n{"y":') + b"}"
        schema = lists.fields(self.lists, wanted)
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        try:
            frame = pl.read_ndjson(text, schema=schema)
        except pl.exceptions.PolarsError:
            return None
        return frame if frame.height == count and not any(_comes_twice(column, text) for column in frame) else None

    def _careful(self, piece: Piece, wanted: Wanted, strict: bool) -> "tuple[pl.DataFrame, int]":
        """The fields of some lines, and how many lines were blanked because their readings are no list as they should be."""
        import polars as pl

        schema = lists.fields(self.lists, wanted)
        names = [name for name in schema if name not in self.lists]
        records = list(self._parsed(piece, strict))
        plain = ((line, _plain(record, names)) for line, record in records)
        columns = cells.as_frame(self, plain, wanted, names, strict=strict).to_dict()
        members, blank = lists.members_of(self.lists, wanted), [False] * len(records)
        for name in (name for name in schema if name in self.lists):
            column: list[Any] = []
            for at, (line, record) in enumerate(records):
                try:
                    column.append(self._list(name, line, record))
                except BadFileError as error:
                    if strict:
                        raise
                    is_number = error.code != NOT_A_NUMBER
                    column.append(None if is_number else self._unknown(name))
                    blank[at] |= is_number and name == members
            columns[name] = pl.Series(name, column, dtype=schema[name])
        frame = pl.DataFrame(columns)
        if any(blank):
            keep = pl.Series(blank, dtype=pl.Boolean).not_()
            frame = frame.with_columns(pl.when(keep).then(pl.all()))
        return frame.select(list(schema)), sum(blank)

    def _parsed(self, piece: Piece, strict: bool) -> Iterator[tuple[int, Record | None]]:
        """Each line as an object, an empty one if it is blank. Anything else is an error if `strict` is true, and None otherwise."""
        texts = piece.text.split(b"\n")
        for line, text in enumerate(texts if texts[-1] else texts[:-1], start=piece.first_line):
            try:
                yield line, as_record(text) if text.strip() else {}
            except BadFileError as error:
                if strict:
                    raise BadFileError(
                        error.code,
                        "line {line:,} of {file} is not a JSON object: {text!r}. " + REPAIR,
                        line=line,
                        file=self.name,
                        text=text[:40].decode("utf-8", "replace"),
                    ) from None
                yield line, None

    def _list(self, name: str, line: int, record: Record | None) -> list[Any] | None:
        """The list in a field; NaN stands for what is missing, and for all of a line that cannot be read."""
        if record is None:
            return self._unknown(name)
        if record.get(name) is None:
            return None
        cell, shape = without_nulls(record[name]), self.lists[name]
        is_deep = isinstance(cell, list) and any(isinstance(item, list) for item in cell)
        if not isinstance(cell, list) or (cell and is_deep != (len(shape) > 1)):
            raise lists.misfit(self, line, name, cell, shape)
        try:
            found, flat = numbers(cell)
        except BadFileError as error:
            if error.code != NOT_A_NUMBER:
                raise lists.misfit(self, line, name, cell, shape) from None
            raise BadFileError(
                NOT_A_NUMBER,
                "line {line:,} of {file}: {field!r} holds {reason}. " + REPAIR,
                line=line,
                file=self.name,
                field=name,
                reason=fault(NOT_A_NUMBER),
            ) from None
        return _shaped(flat, found if is_deep else (len(flat),))

    def _unknown(self, name: str) -> list[Any]:
        shape = self.lists[name]
        return _shaped([nan] * prod(shape), shape)


def _comes_twice(column: "pl.Series", text: bytes) -> bool:
    """Whether the key of a column may come twice in a line: there are more of it than lines that have it."""
    key = f'"{column.name}"'.encode()
    missing = column.null_count()
    absent = missing - len(re.findall(re.escape(key) + rb"\s*:\s*null", text)) if missing else 0
    return text.count(key) != len(column) - absent


def _shaped(flat: list[float], shape: tuple[int, ...]) -> list[Any]:
    if len(shape) == 1:
        return list(flat)
    return [flat[at : at + shape[1]] for at in range(0, len(flat), shape[1])]


def _plain(record: Record | None, names: list[str]) -> list[Any]:
    return [cells.BROKEN if record is None else record.get(name) for name in names]


def _is_record(line: bytes) -> bool:
    try:
        as_record(line)
    except BadFileError:
        return False
    return True


def _records(text: bytes) -> Iterator[Record]:
    """The objects on the first lines."""
    for line in text.split(b"\n")[:ROWS]:
        if _is_record(line):
            yield as_record(line)


FORMAT = Ndjson
