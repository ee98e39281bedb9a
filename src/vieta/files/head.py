"""The first rows of a file, to recognise its layout by."""

import csv
import io
from dataclasses import dataclass
from typing import Any

from vieta.files.bad_file import BadFileError, unreadable
from vieta.files.blocks import IdType
from vieta.files.cells import MISSING
from vieta.files.nested import as_record, unfolded
from vieta.files.source import HEAD, Source
from vieta.files.text_pieces import pieces

ROWS = 1000
EXACT = 2**53  # whole numbers below are exact as numbers of 64 bits


@dataclass(frozen=True, slots=True)
class Head:
    """The first rows, column by column: numbers, text, or None where a cell is missing."""

    name: str
    columns: dict[str, list[Any]]

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns most of whose cells are numbers."""
        return tuple(name for name, cells in self.columns.items() if _mostly_numbers(cells))

    def id_type(self, name: str) -> IdType:
        """How the names of the sets are to be read."""
        cells = [cell for cell in self.columns[name] if cell is not None]
        if not all(isinstance(cell, int | float) for cell in cells):
            return "text"
        if all(isinstance(cell, int) for cell in cells) and any(abs(cell) >= EXACT for cell in cells):
            return "whole" if all(abs(cell) < 2**63 for cell in cells) else "text"
        return "number"


def _mostly_numbers(cells: list[Any]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return 2 * sum(isinstance(cell, int | float) for cell in known) >= max(len(known), 1)


def head(source: Source) -> Head:
    """The first thousand rows; at least one is needed."""
    columns = {"csv": _csv, "ndjson": _ndjson, "parquet": _parquet}[source.kind](source)
    if not any(cell is not None for cells in columns.values() for cell in cells):
        unit = "object" if source.kind == "ndjson" else "row"
        raise BadFileError(f"{_emptiness(source)} One {unit} a reading, or one {unit} a set, is needed.")
    return Head(source.name, columns)


def _emptiness(source: Source) -> str:
    """What a file looks like in which no cell was found."""
    if source.kind == "parquet":
        return f"{source.name} has no rows, or nothing in them."
    if source.kind == "csv":
        return f"{source.name} has no rows below its first line, {source.delimiter.join(source.names)[:40]!r}."
    line = _text(source).strip().split(b"\n")[0]
    what = "holds nothing" if as_record(line) is not None else "is no whole JSON object by itself"
    return f"line 1 of {source.name} {what}: {line[:40].decode('utf-8', 'replace')!r}."


def _text(source: Source) -> bytes:
    return next((piece.text for piece in pieces(source, lambda _: None, HEAD)), b"")


def _csv(source: Source) -> dict[str, list[Any]]:
    text = io.StringIO(_text(source).decode("utf-8", "replace"), newline="")
    rows = []
    try:
        for row in csv.reader(text, delimiter=source.delimiter):
            rows += [row] if row else []
            if len(rows) == ROWS:
                break
    except csv.Error as error:
        raise BadFileError(f"{source.name} cannot be read as CSV: {error}.") from None
    return {name: [_guessed(row[i]) if i < len(row) else None for row in rows] for i, name in enumerate(source.names)}


def _ndjson(source: Source) -> dict[str, list[Any]]:
    return _columns([as_record(line) or {} for line in _text(source).split(b"\n")[:ROWS]])


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [_guessed(record.get(name)) for record in records] for name in names}


def _parquet(source: Source) -> dict[str, list[Any]]:
    import polars as pl

    try:
        frame = pl.read_parquet(source.path, n_rows=ROWS, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(source.name, error) from None
    plain = {name: _listed(frame[name]) for name in frame.columns if name not in source.lists}
    return plain | _columns([unfolded(record, source.lists) for record in frame.select(list(source.lists)).to_dicts()])


def _listed(column: Any) -> list[Any]:
    """Dates count as whole numbers, so that they sort as such, and decimals as numbers."""
    plain = column.to_physical() if column.dtype.is_temporal() else column
    return list((plain.cast(float) if plain.dtype.is_decimal() else plain).to_list())


def _guessed(cell: Any) -> Any:
    """A cell of text as a number if it is one."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text == "" or text in MISSING:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
