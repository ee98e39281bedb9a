"""Text read cell by cell, to say which cell is wrong and on which line, or to leave it out."""

import csv
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vieta.files.bad_file import REPAIR, BadFileError
from vieta.files.nested import misfit
from vieta.files.source import Source
from vieta.files.text_pieces import Piece

if TYPE_CHECKING:
    import polars as pl

    from vieta.files.blocks import Wanted

MISSING = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "-", "?", ".")

Row = tuple[int, list[Any]]  # line and cells
BROKEN: list[Any] = []  # a cell of a line that cannot be read


def read(source: Source, piece: Piece, wanted: "Wanted", *, strict: bool) -> "tuple[pl.DataFrame, int]":
    """The wanted columns, and how many rows were blanked because their list of readings is of another size.

    What is no number is an error if `strict` is true and NaN otherwise, a set without name None.
    """
    import polars as pl

    schema = wanted.schema()
    names, numbers = list(schema), set(wanted.numbers)
    rows = (_csv if source.kind == "csv" else _ndjson)(source, piece, names, strict)
    columns: list[list[Any]] = [[] for _ in names]
    misfits = 0
    for line, came in rows:
        is_misfit = not strict and any(misfit(cell) for name, cell in zip(names, came) if name in wanted.members)
        misfits += is_misfit
        cells = [None for _ in names] if is_misfit else came
        for column, name, cell in zip(columns, names, cells, strict=True):
            try:
                column.append(_converted(cell, schema[name]))
            except (ValueError, OverflowError):
                if strict:
                    raise BadFileError(_complaint(source, line, name, cell)) from None
                column.append(float("nan") if name in numbers else None)
    return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=schema), misfits


def _complaint(source: Source, line: int, name: str, cell: Any) -> str:
    hint = ", which is written with a point, and without commas" if isinstance(cell, str) and "," in cell else ""
    what = misfit(cell) or f"{str(cell)[:40]!r} in column {name!r} is not a number{hint}"
    return f"line {line:,} of {source.name}: {what}. {REPAIR}"


def _converted(cell: Any, kind: "pl.DataType") -> Any:
    import polars as pl

    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "" or text in MISSING:
        return None
    if kind == pl.String():
        return str(text)
    if isinstance(text, bool | list | dict) or (isinstance(text, str) and "_" in text):
        raise ValueError
    if kind != pl.Int64():
        return float(text)
    number = int(text)
    if (number != text and not isinstance(text, str)) or abs(number) >= 2**63:
        raise ValueError
    return number


def _csv(source: Source, piece: Piece, names: list[str], strict: bool) -> Iterator[Row]:
    places = [source.names.index(name) for name in names]
    text = io.StringIO(piece.text.decode("utf-8", "replace"), newline="")
    rows = csv.reader(text, delimiter=source.delimiter)
    line = piece.first_line
    try:
        for cells in rows:
            if len(cells) > len(source.names) and strict:
                raise BadFileError(
                    f"line {line:,} of {source.name} has {len(cells)} cells, and the header {len(source.names)}. {REPAIR}"
                )
            if len(cells) > len(source.names):
                yield line, [cells[places[0]], *[BROKEN for _ in places[1:]]]
            else:
                yield line, [cells[i] if i < len(cells) else None for i in places]
            line = piece.first_line + rows.line_num
    except csv.Error as error:
        raise BadFileError(f"line {line:,} of {source.name} cannot be read: {error}.") from None


def _ndjson(source: Source, piece: Piece, names: list[str], strict: bool) -> Iterator[Row]:
    lines = piece.text.split(b"\n")
    for line, text in enumerate(lines if lines[-1] else lines[:-1], start=piece.first_line):
        record = _record(text)
        if record is None and strict:
            shown = text[:40].decode("utf-8", "replace")
            raise BadFileError(f"line {line:,} of {source.name} is no JSON object: {shown!r}. {REPAIR}")
        yield line, [BROKEN if record is None else record.get(name) for name in names]


def _record(text: bytes) -> dict[str, Any] | None:
    """The object on a line, an empty one for a blank line; None if it is no object."""
    try:
        record = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
