"""Lists in Parquet as columns, named as those of NDJSON are: y1 is the first entry of the list y."""

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from vieta.files.bad_file import REPAIR, BadFileError, unreadable
from vieta.files.nested import Shape, columns_of, difference, usual_shapes

if TYPE_CHECKING:
    import polars as pl

ROWS = 1000  # that are looked at
DEEPEST = 2  # lists within one another


def parquet_shapes(path: Path, name: str) -> dict[str, Shape]:
    """The usual shape of each column of lists, of numbers or of lists of numbers, in a file that messages call `name`."""
    import polars as pl

    try:
        kinds = pl.scan_parquet(path, glob=False).collect_schema()
        listed = [column for column, kind in kinds.items() if isinstance(kind, pl.List | pl.Array)]
        rows = pl.read_parquet(path, columns=listed, n_rows=ROWS, glob=False).to_dicts() if listed else []
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(name, error) from None
    return {column: shape for column, shape in usual_shapes(rows).items() if len(shape) <= DEEPEST}


def column(name: str, lists: Mapping[str, Shape]) -> "pl.Expr":
    """The column of that name, of the file or of its lists; missing where a list is too short."""
    import polars as pl

    for field, shape in lists.items():
        names = columns_of(field, shape)
        if name in names:
            at, entry = names.index(name), _as_lists(field, shape)
            for depth in range(len(shape)):
                size = prod(shape[depth + 1 :])
                entry, at = entry.list.get(at // size, null_on_oob=True), at % size
            return entry.alias(name)
    return pl.col(name)


def is_misfit(field: str, shape: Shape) -> "pl.Expr":
    """Whether a list is of another shape; one that is missing is not."""
    import polars as pl

    entry = _as_lists(field, shape)
    wrong = entry.list.len() != shape[0]
    if len(shape) > 1:
        wrong |= entry.list.eval(pl.element().list.len() != shape[1]).list.any()
    return wrong.fill_null(False).alias(field)


def _as_lists(field: str, shape: Shape) -> "pl.Expr":
    import polars as pl

    kind: pl.DataType = pl.Float64()
    for _ in shape:
        kind = pl.List(kind)
    return pl.col(field).cast(kind)


def refuse(path: Path, name: str, field: str, shape: Shape, row: int) -> BadFileError:
    """The error for a list of another shape in a row, counted from zero."""
    import polars as pl

    cell = pl.scan_parquet(path, glob=False).select(field).slice(row, 1).collect()[field].to_list()[0]
    return BadFileError(f"row {row + 1:,} of {name}: {difference(field, cell, shape)}. {REPAIR}")
