"""Lists as columns, in formats that have them: y1 is the first entry of the list y, y2_1 the first of the second list in it.

{"y": [1.2, 3.4], "psi": 0.5} has the columns y1, y2 and psi. Where the lists of a field are the readings of whole sets, they stay
lists, because sets may differ in size.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.errors import BadFileError
from vieta.files.reasons import REPAIR
from vieta.files.rows import Rows, Wanted, as_rows
from vieta.files.source import Source
from vieta.sets import common_size

if TYPE_CHECKING:
    import polars as pl

Shape = tuple[int, ...]
Lists = Mapping[str, Shape]  # the usual shape of each field that holds lists
DEEPEST = 2  # lists within one another


def usual_shapes(records: Iterable[Mapping[str, Any]]) -> dict[str, Shape]:
    """The usual shape of each field that usually holds a list of numbers, or of lists of numbers.

    Lists of several lengths count as long as the largest that is common (`vieta.sets.common_size`): sets may lack readings.

    >>> usual_shapes([{"y": [1, 2], "psi": 3}, {"y": [4, 5], "psi": 6}, {"y": [4], "psi": 6}])
    {'y': (2,)}
    """
    seen: dict[str, Counter[Shape]] = defaultdict(Counter)
    for record in records:
        for name, cell in record.items():
            shape = shape_of(cell)
            if shape is not None and cell is not None and 0 not in shape:
                seen[name][shape] += 1
    usual = {name: _usual(counts) for name, counts in seen.items()}
    return {name: shape for name, shape in usual.items() if 0 < len(shape) <= DEEPEST}


def _usual(counts: Counter[Shape]) -> Shape:
    """The commonest shape of lists, with the largest length that is common among those that are otherwise like it."""
    commonest = counts.most_common(1)[0][0]
    if not commonest:
        return commonest
    alike = {shape[0]: count for shape, count in counts.items() if shape and shape[1:] == commonest[1:]}
    return (common_size(np.repeat(list(alike), list(alike.values()))), *commonest[1:])


def shape_of(cell: Any) -> Shape | None:
    """Of a list of numbers or of lists, () of anything else; None if it is not rectangular.

    >>> shape_of([[1, 2], [3, 4]]), shape_of(5), shape_of([[1], [2, 3]])
    ((2, 2), (), None)
    """
    if not isinstance(cell, list):
        return ()
    inner = {shape_of(item) for item in cell}
    if len(inner) > 1 or None in inner:
        return None
    return (len(cell), *(inner.pop() or () if inner else ()))


@cache
def columns_of(name: str, shape: Shape) -> tuple[str, ...]:
    """The names of the columns that a list becomes.

    >>> columns_of("y", (2,)), columns_of("psi", (1, 2))
    (('y1', 'y2'), ('psi1_1', 'psi1_2'))
    """
    return tuple(name + "_".join(str(i + 1) for i in place) for place in product(*map(range, shape)))


def unfolded(records: Iterable[Mapping[str, Any]], lists: Lists) -> dict[str, list[Any]]:
    """Records as columns, column by column; a list that is shorter leaves cells missing.

    >>> unfolded([{"y": [1, 2], "psi": 3}, {"y": [4]}], {"y": (2,)})
    {'y1': [1, 4], 'y2': [2, None], 'psi': [3, None]}
    """
    flat = [dict(_cells(record, lists)) for record in records]
    names = dict.fromkeys(name for record in flat for name in record)
    return {name: [record.get(name) for record in flat] for name in names}


def _cells(record: Mapping[str, Any], lists: Lists) -> Iterator[tuple[str, Any]]:
    for name, cell in record.items():
        if name not in lists:
            yield name, cell
        elif cell is not None:
            shape = lists[name]
            for place, column in zip(product(*map(range, shape)), columns_of(name, shape)):
                yield column, _entry(cell, place)


def _entry(cell: Any, place: Shape) -> Any:
    for i in place:
        cell = cell[i] if isinstance(cell, list) and i < len(cell) else None
    return cell


def members_of(lists: Lists, wanted: Wanted) -> str | None:
    """The field whose lists are the readings of whole sets."""
    return next((name for name, shape in lists.items() if columns_of(name, shape) == wanted.members), None)


def fields(lists: Lists, wanted: Wanted) -> "dict[str, pl.DataType]":
    """The fields to read, and their types."""
    import polars as pl

    schema = wanted.schema()
    found: dict[str, pl.DataType] = {}
    for name, shape in lists.items():
        columns = {*columns_of(name, shape)}
        if columns & schema.keys():
            found[name] = pl.List(pl.Float64()) if len(shape) == 1 else pl.List(pl.List(pl.Float64()))
            schema = {column: kind for column, kind in schema.items() if column not in columns}
    return schema | found


def as_columns(
    source: Source, frame: "pl.DataFrame", first: int, lists: Lists, wanted: Wanted, *, strict: bool
) -> Rows:
    """Rows of the wanted columns, from the fields of a file.

    A list of another shape is an error if `strict` is true, and missing otherwise; but readings of whole sets may be more or fewer.
    """
    import polars as pl

    members = members_of(lists, wanted)
    misfits = 0
    for name, shape in lists.items():
        if name not in frame.columns:
            continue
        wrong = frame.select(_is_misfit(name, shape, is_set=name == members)).to_series()
        if not wrong.any():
            continue
        row = int(wrong.arg_max() or 0)
        if strict:
            raise misfit(source, first + row, name, frame[name][row].to_list(), shape)
        misfits += int(wrong.sum()) if name == members else 0
        gone = frame.columns if name == members else [name]
        frame = frame.with_columns(pl.when(~wrong).then(pl.col(column)).alias(column) for column in gone)
    return as_rows(source, frame.select(_selection(lists, wanted, members)), first, members, misfits)


def _selection(lists: Lists, wanted: Wanted, members: str | None) -> "list[pl.Expr]":
    """The wanted columns, of the file or of its lists; the readings of whole sets as one of lists."""
    import polars as pl

    replaced = {*wanted.members} if members is not None else set[str]()
    names = [name for name in wanted.schema() if name not in replaced]
    return [_column(name, lists) for name in names] + ([pl.col(members)] if members is not None else [])


def _column(name: str, lists: Lists) -> "pl.Expr":
    """The column of that name; missing where a list is too short."""
    import polars as pl

    for field, shape in lists.items():
        names = columns_of(field, shape)
        if name in names:
            at, entry = names.index(name), pl.col(field)
            for depth in range(len(shape)):
                size = prod(shape[depth + 1 :])
                entry, at = entry.list.get(at // size, null_on_oob=True), at % size
            return entry.alias(name)
    return pl.col(name)


def _is_misfit(field: str, shape: Shape, *, is_set: bool) -> "pl.Expr":
    """Whether a list is of another shape; one that is missing is not, nor is a set of more or fewer readings."""
    import polars as pl

    entry = pl.col(field)
    wrong = pl.lit(False) if is_set else entry.list.len() != shape[0]
    if len(shape) > 1:
        wrong = wrong | entry.list.eval((pl.element().list.len() != shape[1]).fill_null(True)).list.any()
    return wrong.fill_null(False).alias(field)


def misfit(source: Source, row: int, field: str, cell: Any, shape: Shape) -> BadFileError:
    """The error for a list of another shape."""
    return BadFileError(
        "other-shape",
        "{unit} {row:,} of {file}: {field!r} is {given}, not {needed}. " + REPAIR,
        unit=source.unit,
        row=row,
        file=source.name,
        field=field,
        given=_size(shape_of(cell)),
        needed=_size(shape),
    )


def _size(shape: Shape | None) -> str:
    if not shape:
        return "a ragged list" if shape is None else "no list"
    return f"a list of {' x '.join(str(size) for size in shape)}"
