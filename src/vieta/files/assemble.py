"""From rows to sets: counted, checked and reshaped; every row is used, refused with its place, or counted as left out."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats, Integers
from vieta.errors import BadFileError
from vieta.files.layout import Layout
from vieta.files.reasons import (
    INCOMPLETE,
    INPUT_VARIES,
    REPAIR,
    REPEATED_NAME,
    TOO_LARGE,
    UNKNOWN_INPUT,
    UNKNOWN_READING,
    WRONG_COUNT,
)
from vieta.files.rows import Rows, is_ordered, keys, time_order
from vieta.files.set_sizes import Bounds, any_of, bounds_of, common_count, is_regular
from vieta.sets import LARGEST, Data, common_size

Mask = NDArray[np.bool_]
OnBadSet = Literal["error", "drop"]
SAMPLE = 1000  # names of each kind that are kept of a block, to be compared with those of other files


class Edge(NamedTuple):
    """The first or the last set of a block: its name and the hash of it, its place, its readings (m, p), and the entries of its inputs (r,)."""

    name: Any
    key: int
    place: str
    readings: Floats
    inputs: Floats


class Names(NamedTuple):
    """Some sets of a file, by the hashes (m,) of their names, with their sizes (m,)."""

    file: str
    hashes: "NDArray[np.uint64]"
    sizes: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Sets that were read together.

    Attributes
    ----------
    data : Data
        Dense if the sets have one size; readings and offsets if they differ.
    dropped : Counter
        How many sets were left out, by code (`vieta.files.reasons`).
    place : callable
        Where set k of the block stands, in words.
    sizes : Counter
        How many sets had how many readings, those that were left out too.
    read : (N, r)
        Entries of the columns that the inputs are made of (`Layout.reads`).
    number : (N,)
        The numbers of the sets among all that were read, those that were left out too, from 0 on.
    names : callable
        Entries of the column that names the sets, one a set; those of `number` from 1 on where there is none.
    file : str
        What the sets were read from.
    edges : pair of Edge, optional
        The first and the last set, where sets have names and several rows.
    some_names : Names, optional
        Of incomplete sets: those with the smallest hashes, of all and of those that lack readings.
    """

    data: Data
    dropped: Counter[str] = field(default_factory=Counter)
    place: Callable[[int], str] = str
    sizes: Counter[int] = field(default_factory=Counter)
    read: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    number: Floats = field(default_factory=lambda: np.zeros(0))
    names: Callable[[], list[Any]] = list
    file: str = ""
    edges: tuple[Edge, Edge] | None = None
    some_names: Names | None = None


def names_of_all(blocks: Sequence[Block]) -> Names | None:
    """Those of the names that blocks of one file kept with the smallest hashes."""
    found = [block.some_names for block in blocks if block.some_names is not None]
    if not found:
        return None
    hashes, sizes = (np.concatenate(one) for one in zip(*((names.hashes, names.sizes) for names in found)))
    some = np.argsort(hashes)[: 2 * SAMPLE]
    return Names(found[0].file, hashes[some], sizes[some])


def as_block(rows: Rows, layout: Layout, size: int | None, on_bad_set: OnBadSet, before: int = 0) -> Block:
    """The sets of some rows, at least one, of `size` readings each if that is known, after so many sets `before` them.

    A bad set is refused, or left out and counted. Sets of another size are left out too; if bad sets are refused, they stay: the
    data are incomplete then, and it is for the method to take or refuse them.
    """
    if layout.counts_sets:
        _require_order(rows, layout)
    key = keys(rows, layout)
    order = time_order(key)
    sorted_key = key if order is None else key.take(order)
    if layout.kind == "wide":
        return _wide(rows, layout, order, sorted_key, on_bad_set, before)
    return _long(rows, layout, order, sorted_key, size, on_bad_set, before)


def _require_order(rows: Rows, layout: Layout) -> None:
    """Refuse names of sets that are neither numbers nor times nor together in the file, where an input counts the sets."""
    if layout.set is None or is_ordered(rows.frame[layout.set]):
        return
    raise BadFileError(
        "order-unknown",
        "the order of the sets of {file} is not known: {column!r} holds neither numbers nor times, and the rows of a set do not stand "
        "together. Sort the file, or name a column that tells the time with {option.time}.",
        file=rows.source.name,
        column=layout.set,
    )


def _long(
    rows: Rows,
    layout: Layout,
    order: Integers | None,
    sorted_key: "Integers | Floats",
    size: int | None,
    on_bad_set: OnBadSet,
    before: int,
) -> Block:
    """Sets of several rows."""
    size = size or _counted_size(rows, layout, sorted_key)
    dropped: Counter[str] = Counter()
    bounds: Bounds = size
    number: Integers | None = None
    sizes = Counter({size: len(sorted_key) // size})
    if not is_regular(sorted_key, size):
        bounds = bounds_of(sorted_key)
        counts = np.diff(bounds)
        sizes = Counter(dict(zip(*(part.tolist() for part in np.unique(counts, return_counts=True)))))
        if on_bad_set == "drop":
            number, order = np.flatnonzero(counts == size), _of_one_size(counts, size, order)
            dropped[WRONG_COUNT] = len(counts) - len(number)
            bounds = size
    table = _Table(rows, layout, order, bounds, before, number)
    return _checked(table, table.numbers(layout.values), on_bad_set, dropped, sizes=sizes)


def _of_one_size(counts: Integers, size: int, order: Integers | None) -> Integers:
    """The order without sets that have more or fewer rows than `size`."""
    keep = np.flatnonzero(np.repeat(counts == size, counts))
    return keep if order is None else order[keep]


def _wide(
    rows: Rows,
    layout: Layout,
    order: Integers | None,
    sorted_key: "Integers | Floats",
    on_bad_set: OnBadSet,
    before: int,
) -> Block:
    """Sets of one row, each with a name of its own if it has one."""
    dropped: Counter[str] = Counter()
    number: Integers | None = None
    if not is_regular(sorted_key, 1):
        bounds = bounds_of(sorted_key)
        counts = np.diff(bounds)
        if on_bad_set == "error":
            raise _repeated(_Table(rows, layout, order, 1), bounds, counts)
        keep = np.flatnonzero(np.repeat(counts == 1, counts))
        order = keep if order is None else order[keep]
        number = np.flatnonzero(counts == 1)
        dropped[REPEATED_NAME] = int(counts[counts > 1].sum())
    table = _Table(rows, layout, order, 1, before, number)
    if rows.members is None:
        return _checked(table, table.numbers(layout.values), on_bad_set, dropped)
    return _listed(table, on_bad_set, dropped)


def _listed(table: "_Table", on_bad_set: OnBadSet, dropped: Counter[str]) -> Block:
    """Sets of one row whose readings are a list."""
    layout, order, number = table.layout, table.order, table.number
    L, p = layout.slots or 1, layout.reading_dim
    counts, numbers = table.rows.flattened(order, L * p)
    wrong = counts != L * p
    sizes = Counter(dict(zip(*(part.tolist() for part in np.unique(counts // p, return_counts=True)))))
    if on_bad_set == "drop" and wrong.any():
        dropped[WRONG_COUNT] += int(wrong.sum())
        numbers = numbers[~np.repeat(wrong, counts)]
        kept = np.flatnonzero(~wrong)
        order, number = (kept if one is None else one[kept] for one in (order, number))
        table, wrong = replace(table, order=order, number=number), wrong[:0]
    if not wrong.any():
        return _checked(table, numbers.reshape(-1, L * p), on_bad_set, dropped, sizes=sizes)
    uneven = counts % p != 0
    if uneven.any():
        raise BadFileError(
            "uneven-readings",
            "{place} has {count} numbers, which are not readings of {p} numbers each. " + REPAIR,
            place=table.row_place(int(uneven.argmax())),
            count=int(counts[uneven.argmax()]),
            p=p,
        )
    offsets = np.concatenate([[0], np.cumsum(counts // p)])
    return _checked(table, numbers.reshape(-1, p), on_bad_set, dropped, offsets)


def _repeated(table: "_Table", bounds: Integers, counts: Integers) -> BadFileError:
    """The error for a name that occurs more than once in a wide file."""
    first, several = int((counts > 1).argmax()), int((counts > 1).sum())
    advice = "Give {option.layout:long} if a row is a reading." if 2 * several > len(counts) else REPAIR
    return BadFileError(
        "repeated-name",
        "{place} occurs {times} times, and every set needs a name of its own. " + advice,
        place=table.row_place(int(bounds[first])),
        times=int(counts[first]),
    )


def _counted_size(rows: Rows, layout: Layout, sorted_key: "Integers | Floats") -> int:
    """How many rows the largest sets have that are common; several, or the column of the sets is not what it was taken for."""
    size = common_count(sorted_key)
    if size == 1 or (not is_regular(sorted_key, size) and np.median(np.diff(bounds_of(sorted_key))) == 1):
        raise BadFileError(
            "sets-of-one-row",
            "most sets of {file} have one row: {column!r} does not say which readings form a set. Name the column that does with "
            "{option.set}, or give {option.layout:wide} if a row is a whole set, or {option.systems:1}.",
            file=rows.source.name,
            column=layout.set,
        )
    return size


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Rows in an order (None: as they stand), every `bounds` of which form a set; or set k is those from bounds[k] on.

    The first set is that of number `before` among all sets, and the others follow; or `number` (N,) says how far behind it each is.
    """

    rows: Rows
    layout: Layout
    order: Integers | None
    bounds: Bounds
    before: int = 0
    number: Integers | None = None

    def numbers(self, names: tuple[str, ...]) -> Floats:
        """(R, q)."""
        return self.rows.numbers(names, self.order)

    def first_row(self, k: int) -> int:
        """Where set k begins."""
        return k * self.bounds if isinstance(self.bounds, int) else int(self.bounds[k])

    def names(self, sets: Integers, number: Floats) -> list[Any]:
        """Names of some sets, which have these numbers among all."""
        if self.layout.set is None:
            return [int(one) + 1 for one in number]
        first = sets * self.bounds if isinstance(self.bounds, int) else self.bounds[sets]
        column = self.rows.source.original(self.layout.set, self._named(first))
        return [int(one) if isinstance(one, float) and one.is_integer() else one for one in column.to_list()]

    def _named(self, first: Integers) -> Any:
        """The entries, in some rows, of the column that names sets."""
        return self.rows.frame[self.layout.set or ""].gather(first if self.order is None else self.order[first])

    def hashes(self, sets: Integers) -> "NDArray[np.uint64]":
        """Of the names of some sets; the same in every file."""
        first = sets * self.bounds if isinstance(self.bounds, int) else self.bounds[sets]
        return np.asarray(self._named(first).hash(seed=0).to_numpy())

    def row_place(self, row: int) -> str:
        """Where a row stands, and the name of its set."""
        original = row if self.order is None else int(self.order[row])
        if self.layout.set is None:
            return f"{self.rows.place(original)}: the set"
        entry = self.rows.source.original(self.layout.set, self.rows.frame[self.layout.set].gather([original]))[0]
        return f"{self.rows.place(original)}: set {f'{entry:.15g}' if isinstance(entry, float) else entry}"


class _Fault(NamedTuple):
    """What is wrong with some rows (R,): a code, and words."""

    code: str
    rows: Mask
    words: str


def _checked(
    table: _Table,
    values: Floats,
    on_bad_set: OnBadSet,
    dropped: Counter[str],
    offsets: Integers | None = None,
    sizes: Counter[int] | None = None,
) -> Block:
    """Sets whose numbers are all known and can be squared, and whose inputs agree.

    `values` has a row for each row of the table; or one for each reading, where `offsets` say which of them are of which row.
    """
    layout, bounds = table.layout, table.bounds
    inputs = table.numbers(layout.reads) if layout.reads else None
    if on_bad_set == "error":
        values, offsets = _present(values, offsets, layout)
    rows = len(values) if offsets is None else len(offsets) - 1
    n_sets = rows // bounds if isinstance(bounds, int) else len(bounds) - 1
    bad = np.zeros(n_sets, dtype=bool)
    for fault in _faults(values, offsets, inputs, bounds, layout.reading_dim):
        found = any_of(fault.rows, bounds) & ~bad
        if found.any() and on_bad_set == "error":
            raise _refused(table, fault, int(any_of(fault.rows, bounds).sum()), n_sets)
        dropped[fault.code] += int(found.sum())
        bad |= found
    first = None if inputs is None else inputs[::bounds] if isinstance(bounds, int) else inputs[bounds[:-1]]
    where = bounds if offsets is None else offsets[::bounds] if isinstance(bounds, int) else offsets[bounds]
    kept = np.flatnonzero(~bad) if bad.any() else None
    number = table.before + (np.arange(n_sets) if table.number is None else table.number).astype(np.float64)
    read = np.zeros((n_sets, 0)) if first is None else np.ascontiguousarray(first)
    number, read = (number, read) if kept is None else (number[kept], read[kept])
    psi = layout.psi(read, number) if layout.made else None
    data = _as_data(values, psi, layout, where, None if kept is None else ~bad)

    def place(k: int) -> str:
        return table.row_place(table.first_row(k if kept is None else int(kept[k])))

    def names() -> list[Any]:
        return table.names(np.arange(n_sets) if kept is None else kept, number)

    if table.rows.members is not None and layout.n_systems is None:
        data = replace(data, size=0)  # lists have room for any number of readings
    if not isinstance(where, int):
        sizes = Counter(np.diff(where).tolist())
    return Block(
        data,
        +dropped,
        place,
        sizes or Counter({layout.slots or 1: n_sets}),
        read,
        number,
        names,
        table.rows.source.name,
        *_ends(table, data, read, kept),
    )


def _ends(
    table: _Table, data: Data, read: Floats, kept: Integers | None
) -> tuple[tuple[Edge, Edge] | None, Names | None]:
    """The first and the last set, and some names where sets are incomplete; none where a set is a row, or has no name."""
    if table.layout.set is None or table.layout.kind == "wide" or not len(data):
        return None, None
    at = np.array([0, len(data) - 1])
    sets = at if kept is None else kept[at]
    names, keys = table.names(sets, at.astype(np.float64)), table.hashes(sets)
    first, last = (
        Edge(names[i], int(keys[i]), table.row_place(table.first_row(int(sets[i]))), _of_one(data, k), read[k].copy())
        for i, k in enumerate(at.tolist())
    )
    return (first, last), None if data.is_complete else _some_names(table, data, kept)


def _of_one(data: Data, k: int) -> Floats:
    """(m, p) the readings of a set."""
    return data.part(k, k + 1).readings.reshape(-1, data.reading_dim).copy()


def _some_names(table: _Table, data: Data, kept: Integers | None) -> Names:
    """The names with the smallest hashes, of all sets and of those that lack readings."""
    hashes, sizes = table.hashes(np.arange(len(data)) if kept is None else kept), data.sizes
    order = np.argsort(hashes)
    short = order[sizes[order] < (data.size or common_size(sizes))]
    some = np.union1d(order[:SAMPLE], short[:SAMPLE])
    return Names(table.rows.source.name, hashes[some], sizes[some])


def _present(values: Floats, offsets: Integers | None, layout: Layout) -> tuple[Floats, Integers | None]:
    """Readings (R, p) without those that are missing, and where those of each row begin; as they are if none is missing."""
    readings = values.reshape(-1, layout.reading_dim)
    missing = np.isnan(readings).all(axis=1)
    if not missing.any():
        return values, offsets
    rows = len(values) if offsets is None else len(offsets) - 1
    each = len(readings) // rows if offsets is None else np.diff(offsets)
    row = np.repeat(np.arange(rows), each)
    counts = np.bincount(row[~missing], minlength=rows)
    return readings[~missing], np.concatenate([[0], np.cumsum(counts)])


def _faults(
    values: Floats, offsets: Integers | None, inputs: Floats | None, bounds: Bounds, reading_dim: int
) -> Iterator[_Fault]:
    """What is wrong with some rows; no mask is made if there is nothing."""
    missing = "missing in part" if reading_dim > 1 else "missing"
    for fault in _unusable(values, UNKNOWN_READING, "a reading", missing):
        yield fault if offsets is None else fault._replace(rows=any_of(fault.rows, offsets))
    if inputs is None:
        return
    for fault in _unusable(inputs, UNKNOWN_INPUT, "an input"):
        first = int(fault.rows.argmax())
        is_empty = offsets is not None and offsets[first] == offsets[first + 1]
        yield (
            fault._replace(words=f"{fault.words} (a set without readings needs its inputs too)") if is_empty else fault
        )
    if isinstance(bounds, int):
        table = inputs.reshape(-1, bounds, inputs.shape[1])
        varies = (table != table[:, :1]).reshape(inputs.shape)
    else:
        varies = inputs != np.repeat(inputs[bounds[:-1]], np.diff(bounds), axis=0)
    if varies.any():
        words = "its input differs from that of another reading of the set (if it is a reading, use {option.value})"
        yield _Fault(INPUT_VARIES, np.asarray(varies.any(axis=1)), words)


def _unusable(numbers: Floats, unknown: str, what: str, missing: str = "missing") -> Iterator[_Fault]:
    """What is wrong with single numbers (R, q)."""
    if not numbers.size or (numbers.min() >= -LARGEST and numbers.max() <= LARGEST):
        return
    finite = np.isfinite(numbers)
    yield _Fault(unknown, np.asarray(~finite.all(axis=1)), f"{what} is {missing} or not a finite number")
    large = np.asarray((finite & (abs(numbers) > LARGEST)).any(axis=1))
    yield _Fault(
        TOO_LARGE, large, f"{what} lies beyond {LARGEST:g} and cannot be squared (if all do, use another unit)"
    )


def _refused(table: _Table, fault: _Fault, count: int, n_sets: int) -> BadFileError:
    has = "has" if count == 1 else "have"
    facts: dict[str, Any] = {"count": count, "n_sets": n_sets}
    advice = INCOMPLETE if fault.code == UNKNOWN_READING else REPAIR
    return BadFileError(
        fault.code,
        f"{{place}} cannot be used: {fault.words}; {{count:,}} of the {{n_sets:,}} sets read {has} this. {advice}",
        place=table.row_place(int(fault.rows.argmax())),
        **facts,
    )


def _as_data(values: Floats, inputs: Floats | None, layout: Layout, bounds: Bounds, keep: Mask | None) -> Data:
    """Sets of the readings (R, q), all of them or those to keep, and of the inputs (N, q) of these."""
    p = layout.reading_dim
    offsets: Integers | None = None
    if not isinstance(bounds, int):
        readings, offsets = values, bounds
    elif layout.kind == "wide":
        readings = values.reshape(len(values), layout.slots or 1, p)
    else:
        readings = values.reshape(-1, bounds, p)
    if keep is not None:
        readings = readings[keep]
    psi, dim = _as_inputs(inputs, len(readings) if offsets is None else len(offsets) - 1, layout)
    if offsets is None and layout.n_systems not in {None, readings.shape[1]}:  # more readings than systems in every set
        offsets, readings = np.arange(len(readings) + 1) * readings.shape[1], readings.reshape(-1, p)
    size = 0 if offsets is None else layout.n_systems or layout.slots
    return Data(np.ascontiguousarray(readings), psi, dim, offsets, size)


def _as_inputs(psi: Floats | None, n_sets: int, layout: Layout) -> tuple[Floats, int]:
    """Inputs (N, q) as (N,) or (N, p, D), and D."""
    p = layout.reading_dim
    if psi is None:
        return np.ones(n_sets), p
    if psi.shape[1] == 1:
        return psi[:, 0].copy(), p
    D = psi.shape[1] // p
    return psi.reshape(n_sets, p, D).copy(), D
