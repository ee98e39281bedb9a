"""Rows that stand for readings or sets, each with its line in the file, and the order of time among them."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import kernel
from vieta.errors import BadFileError
from vieta.files.reasons import NO_NAME, REPAIR
from vieta.files.source import Source

if TYPE_CHECKING:
    import polars as pl

    from vieta.files.layout import Layout

IdType = Literal["number", "whole", "text"]
MANY = 1 << 16  # rows from which on a compiled sort is worth loading
EXACT = 2.0**53  # whole numbers below it are exact
SPARSE = 4  # numbers in the range of the keys, for each key, up to which counting is faster than sorting


class Wanted(NamedTuple):
    """The columns to read.

    Attributes
    ----------
    numbers : tuple of str
    id : str or None
        The column that names the set, of type `id_type`.
    members : tuple of str
        Those of the numbers that are the readings of a whole set, if a row is one.
    texts : tuple of str
        Columns of text: times that are written out, and categories.
    """

    numbers: tuple[str, ...]
    id: str | None
    id_type: IdType
    members: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def schema(self) -> "dict[str, pl.DataType]":
        """Name to type, the set first."""
        import polars as pl

        kinds: dict[str, pl.DataType] = {"number": pl.Float64(), "whole": pl.Int64(), "text": pl.String()}
        first = {} if self.id is None else {self.id: kinds[self.id_type]}
        numbers = {name: pl.Float64() for name in self.numbers if name != self.id}
        return first | numbers | {name: pl.String() for name in self.texts if name != self.id}


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of the wanted columns.

    Attributes
    ----------
    frame : DataFrame
    lines : (n,)
        Where each stands in the file.
    source : Source
    members : str or None
        The column that holds the readings of a whole set as a list, in place of those in `Wanted.members`.
    misfits : int
        How many rows were blanked because their readings are no list of readings of the usual length.
    unclosed : int
        How many lines at the end of the file are lost within a quote that is not closed.
    """

    frame: "pl.DataFrame"
    lines: Integers
    source: Source
    members: str | None = None
    misfits: int = 0
    unclosed: int = 0

    def __len__(self) -> int:
        return len(self.lines)

    def part(self, start: int, stop: int) -> "Rows":
        """Some of them."""
        return replace(self, frame=self.frame[start:stop], lines=self.lines[start:stop])

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        return f"{self.source.unit} {int(self.lines[row]):,} of {self.source.name}"

    def numbers(self, names: tuple[str, ...], order: Integers | None) -> Floats:
        """Columns (n, q) in the given order, NaN where cells are missing."""
        array = self.frame.select(as_numbers(self.frame[name]) for name in names).to_numpy(order="c")
        return array if order is None else np.take(array, order, axis=0)  # twice as fast as array[order]

    def flattened(self, order: Integers | None, usual: int) -> tuple[Integers, Floats]:
        """How many numbers (n,) the list of each set has, and these numbers; `usual` times NaN for a list that is missing."""
        import polars as pl

        column = self.frame[self.members or ""]
        column = column if order is None else column.gather(order)
        is_deep = column.dtype == pl.List(pl.List(pl.Float64()))
        if is_deep:  # of lists of one length each, as readings are
            inner = column.explode().drop_nulls().list.len()
            length = int(inner[0]) if len(inner) else 1
            counts = column.list.len() * length
        else:
            counts = column.list.len()
        known = column.filter((counts > 0).fill_null(False))
        flat = (known.explode() if is_deep else known).explode().cast(pl.Float64()).to_numpy()
        sizes = counts.fill_null(usual).to_numpy().astype(np.int64)
        absent = counts.is_null().to_numpy()
        if not absent.any():
            return sizes, flat
        numbers = np.full(int(sizes.sum()), np.nan)
        numbers[np.repeat(~absent, sizes)] = flat
        return sizes, numbers


def as_numbers(column: "pl.Series") -> "pl.Series":
    """A column as numbers: times in their unit, and text that is a number, where the column is read as text because it names sets."""
    import polars as pl

    if column.dtype == pl.Float64():
        return column
    plain = column.str.strip_chars() if column.dtype == pl.String() else column.to_physical()
    return plain.cast(pl.Float64(), strict=False)


def as_rows(source: Source, frame: "pl.DataFrame", first: int, members: str | None = None, misfits: int = 0) -> Rows:
    """Rows of which the first has the number `first` in its file."""
    stop = first + frame.height
    small = np.uint32 if stop < 2**32 else np.int64
    return Rows(frame, np.arange(first, stop, dtype=small), source, members, misfits)


def join(parts: list[Rows]) -> Rows:
    """Rows of one file, one after another."""
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    frame, lines = pl.concat([r.frame for r in parts]), np.concatenate([r.lines for r in parts])
    return replace(parts[0], frame=frame, lines=lines, misfits=sum(r.misfits for r in parts))


def tidy(rows: Rows, layout: "Layout", *, strict: bool) -> tuple[Rows, Counter[str]]:
    """Without blank lines, and without rows that name no set, which are counted, or refused if `strict` is true."""
    import polars as pl

    frame = rows.frame
    if all(column.null_count() == 0 for column in frame):
        return rows, Counter()
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    nameless = (
        pl.repeat(False, frame.height, eager=True) if layout.set is None else frame[layout.set].is_null() & ~blank
    )
    if strict and nameless.any():
        raise BadFileError(
            "no-name",
            "{place} names no set: its entry in {column!r} is missing. " + REPAIR,
            place=rows.place(int(nameless.arg_true()[0])),
            column=layout.set,
        )
    keep = ~(blank | nameless)
    count = int(nameless.sum())
    left = replace(rows, frame=frame.filter(keep), lines=rows.lines[keep.to_numpy()])
    return left, Counter({NO_NAME: count} if count else {})


def keys(rows: Rows, layout: "Layout") -> "Integers | Floats":
    """One number a row, the same for rows of the same set, and ascending in time.

    Numbers are their own. Text counts in the order of the file where the rows of each set stand together, and in
    alphabetical order, which is right for dates, where they do not.
    """
    import polars as pl

    if layout.set is None:
        return np.arange(len(rows))
    ids = rows.frame[layout.set]
    if ids.dtype != pl.String():
        return np.asarray(ids.to_physical().to_numpy())
    return np.asarray((ids.rle_id() if is_ordered(ids) else ids.rank("dense")).to_numpy())


def is_ordered(ids: "pl.Series") -> bool:
    """Whether names of sets tell their order: numbers and times do, text where the rows of each set stand together."""
    import polars as pl

    return ids.dtype != pl.String() or ids.n_unique() == int(ids.rle_id()[-1]) + 1


def time_order(key: "Integers | Floats") -> Integers | None:
    """The order (n,) that sorts the keys and keeps equal ones as they stand; None if they are sorted."""
    if bool((key[1:] >= key[:-1]).all()):
        return None
    if len(key) > MANY:
        low, high = key.min(), key.max()
        if high - low < SPARSE * len(key) and max(-low, high) < EXACT:
            whole = key.astype(np.int64, copy=False)
            if key.dtype.kind in "iu" or bool((whole == key).all()):
                return _counted(whole, int(low), int(high - low) + 1)
    return np.argsort(key, kind="stable")


@kernel
def _counted(key: Integers, low: int, size: int) -> Integers:
    """The stable order of whole numbers in a range of `size` from `low` on, by counting: three times as fast as a sort."""
    ends = np.zeros(size + 1, dtype=np.int64)
    for k in key:
        ends[k - low + 1] += 1
    for i in range(size):
        ends[i + 1] += ends[i]
    order = np.empty(len(key), dtype=np.int64)
    for i in range(len(key)):
        order[ends[key[i] - low]] = i
        ends[key[i] - low] += 1
    return order
