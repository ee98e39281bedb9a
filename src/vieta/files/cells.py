"""Text cell by cell: numbers, text or missing; which cell is wrong and on which line."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from vieta.errors import BadFileError
from vieta.files.reasons import REPAIR

if TYPE_CHECKING:
    import polars as pl

    from vieta.files.rows import Wanted
    from vieta.files.source import Source

MISSING = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "-", "?", ".")
BROKEN: list[Any] = []  # a cell of a line that cannot be read


def guessed(cell: Any) -> Any:
    """A cell of text as a number if it is one, None if it is missing.

    >>> guessed(" 3 "), guessed("1e2"), guessed("NA"), guessed("x")
    (3, 100.0, None, 'x')
    """
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


def as_frame(
    source: "Source", lines: Iterable[tuple[int, list[Any]]], wanted: "Wanted", names: list[str], *, strict: bool
) -> "pl.DataFrame":
    """The named columns, from cells line by line.

    A cell that is not a number is an error if `strict` is true and NaN otherwise, or None where it would name the set.
    """
    import polars as pl

    schema = {name: kind for name, kind in wanted.schema().items() if name in names}
    columns: list[list[Any]] = [[] for _ in names]
    for line, cells in lines:
        for column, name, cell in zip(columns, names, cells, strict=True):
            try:
                column.append(_converted(cell, schema[name]))
            except (ValueError, OverflowError):
                if strict:
                    raise _not_a_number(source, line, name, cell) from None
                column.append(None if name == wanted.id or schema[name] == pl.String() else float("nan"))
    return pl.DataFrame(dict(zip(names, columns, strict=True)), schema={name: schema[name] for name in names})


def _not_a_number(source: "Source", line: int, name: str, cell: Any) -> BadFileError:
    hint = ", which is written with a point, and without commas" if isinstance(cell, str) and "," in cell else ""
    return BadFileError(
        "not-a-number",
        f"line {{line:,}} of {{file}}: {{cell!r}} in column {{column!r}} is not a number{hint}. {REPAIR}",
        line=line,
        file=source.name,
        cell=str(cell)[:40],
        column=name,
    )


def _converted(cell: Any, kind: "pl.DataType") -> Any:
    import polars as pl

    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "" or text in MISSING:
        return None
    if text is BROKEN:
        raise ValueError
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
