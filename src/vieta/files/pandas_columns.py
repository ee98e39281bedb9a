"""Frames of pandas as frames of polars: column by column, with numpy alone between them, and what the index holds.

polars would take a nullable, categorical or text column of pandas through pyarrow only, and so does every library between the two.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.errors import BadFileError

if TYPE_CHECKING:
    import polars as pl

UNNAMED = "index"  # what an index of times is called that has no name
DATES = "mM"  # kinds of arrays that hold times or spans of time


def columns_of(frame: Any) -> Iterator[tuple[str, Any]]:
    """Names and columns: the levels of the index that have a name, or hold times, then the columns. Names are text."""
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise BadFileError(
            "column-levels",
            "the columns of the frame have {levels} levels of names, for example {example!r}. Give them one name each.",
            levels=frame.columns.nlevels,
            example=frame.columns[0],
        )
    index = frame.index
    levels = [index.get_level_values(i) for i in range(index.nlevels)]
    for i, level in enumerate(levels):
        name = level.name if level.name is not None else f"level_{i}" if len(levels) > 1 else _called(level)
        if name is not None:
            yield str(name), level.to_series()
    for i, name in enumerate(frame.columns):
        yield str(name), frame.iloc[:, i]


def _called(index: Any) -> str | None:
    """The name of an index that has none: one if it holds times, for numbers of rows are no data."""
    return UNNAMED if hasattr(index, "to_timestamp") or index.dtype.kind == "M" or hasattr(index, "tz") else None


def as_series(name: str, column: Any) -> "pl.Series":
    """A column of pandas, missing where it is.

    Numbers of any type, nullable or not, stay numbers; times with a zone are in UTC; a category of text keeps its levels and their order,
    and one of numbers or times is what its levels are. Anything else is text.
    """
    import polars as pl

    if hasattr(column, "cat"):
        return _of_category(name, column)
    column, missing = _plain(column), column.isna().to_numpy()
    kind = getattr(column.dtype, "kind", "O")
    if kind in DATES:
        return pl.Series(name, column.to_numpy(dtype=f"{kind}8[us]"))
    if kind in "iu" and not missing.any():
        return pl.Series(name, column.to_numpy(dtype="int64" if kind == "i" else "uint64"))
    if kind in "iufb" or kind == "c":
        return pl.Series(name, _known_numbers(column, missing, kind))
    return _of_objects(name, [None if absent else cell for cell, absent in zip(column.tolist(), missing)])


def _known_numbers(column: Any, missing: Any, kind: str) -> Any:
    if kind == "c":
        return [None if absent else str(cell) for cell, absent in zip(column.tolist(), missing)]
    if kind == "b":
        return [None if absent else bool(cell) for cell, absent in zip(column.tolist(), missing)]
    if kind in "iu":  # whole numbers beyond 2^53 stay exact
        return [None if absent else int(cell) for cell, absent in zip(column.tolist(), missing)]
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _plain(column: Any) -> Any:
    """Times as they are in UTC, and periods as the times at which they begin."""
    kind = str(column.dtype)
    if kind.startswith("period"):
        return column.dt.to_timestamp()
    return column.dt.tz_convert("UTC").dt.tz_localize(None) if getattr(column.dtype, "tz", None) is not None else column


def _of_category(name: str, column: Any) -> "pl.Series":
    import polars as pl

    levels = as_series(name, column.cat.categories.to_series())
    codes = pl.Series(column.cat.codes.to_numpy().astype(np.int64))
    if not len(levels):
        return pl.Series(name, [None] * len(codes), dtype=pl.String())
    missing = codes < 0
    found = levels.gather(codes.set(missing, 0)).set(missing, None)
    return found.cast(pl.Enum(levels)) if levels.dtype == pl.String() else found


def _of_objects(name: str, cells: list[Any]) -> "pl.Series":
    """Numbers, or objects of one type, as such; those of several, and those that polars does not know, as text."""
    import polars as pl

    numbers = any(isinstance(cell, float) for cell in cells) and all(
        cell is None or isinstance(cell, int | float) for cell in cells
    )
    try:
        found = pl.Series(name, cells, dtype=pl.Float64() if numbers else None, strict=not numbers)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        found = pl.Series(name, [None], dtype=pl.Object())
    if found.dtype in (pl.Object, pl.Null, pl.Binary):
        return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String())
    return found
