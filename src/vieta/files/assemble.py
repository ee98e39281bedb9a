"""From rows to sets: counted, checked and reshaped; nothing is lost without a word."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats, Integers
from vieta.files.bad_file import REPAIR, WRONG_COUNT, BadFileError
from vieta.files.layout import Layout
from vieta.files.rows import Rows, keys, time_order
from vieta.sets import LARGEST

Mask = NDArray[np.bool_]

TWICE = "a name that occurs more than once (rows)"
UNKNOWN_READING = "a reading that is missing or no finite number"
UNKNOWN_INPUT = "an input that is missing or no finite number"
TOO_LARGE = f"a number beyond {LARGEST:g}, which cannot be squared"
INPUT_VARIES = "an input that varies within the set"


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sets, as `vieta.fit` takes them.

    Attributes
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    dropped : Counter
        How many sets were left out, by reason.
    """

    sets: Floats
    inputs: Floats | None
    dropped: Counter[str] = field(default_factory=Counter)


def as_batch(rows: Rows, layout: Layout, n_systems: int | None, *, strict: bool) -> Batch:
    """The sets of some rows; a bad set is refused if `strict` is true, and left out and counted otherwise."""
    key = keys(rows, layout)
    order = time_order(key)
    sorted_key = key if order is None else key.take(order)
    size = (n_systems or _counted_size(rows, layout, sorted_key)) if layout.kind == "long" else 1
    table = _Table(rows, layout, size, order)
    dropped: Counter[str] = Counter()
    if not is_regular(sorted_key, size):
        table, dropped = _of_right_size(table, sorted_key, strict)
    return _checked(table, dropped, strict)


def _counted_size(rows: Rows, layout: Layout, sorted_key: "Integers | Floats") -> int:
    """How many rows most sets have; several, or the column of the sets is not what it was taken for."""
    size = usual_count(sorted_key)
    if size == 1:
        raise BadFileError(
            f"most sets of {rows.source.name} have one row: {layout.set!r} does not say which readings form a set. Name the "
            "column that does with --set, or give --layout wide if a row is a whole set, or --systems 1."
        )
    return size


def usual_count(sorted_key: "Integers | Floats") -> int:
    """How many rows most sets have, the larger of two numbers that are as frequent.

    >>> usual_count(np.array([1, 1, 2, 2, 3, 4, 4])), usual_count(np.array([1, 2, 2]))
    (2, 2)
    """
    different = sorted_key[: 1 << 12] != sorted_key[0]
    first = int(different.argmax()) or len(sorted_key)
    if is_regular(sorted_key, first):
        return first
    times = np.bincount(np.diff(_bounds(sorted_key)))
    return int(np.flatnonzero(times == times.max())[-1])


def is_regular(sorted_key: "Integers | Floats", size: int) -> bool:
    """Whether every set has `size` rows: those at its two ends agree, and neighbours differ."""
    if len(sorted_key) % size:
        return False
    table = sorted_key.reshape(-1, size)
    return bool((table[:, 0] == table[:, -1]).all() and (table[1:, 0] != table[:-1, -1]).all())


def _bounds(sorted_key: "Integers | Floats") -> Integers:
    """Where sets begin, and where the last one ends."""
    return np.concatenate([[0], np.flatnonzero(sorted_key[1:] != sorted_key[:-1]) + 1, [len(sorted_key)]])


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Rows of which, in the given order (None: as they stand), every `size` form a set."""

    rows: Rows
    layout: Layout
    size: int
    order: Integers | None

    def original(self, row: int) -> int:
        return row if self.order is None else int(self.order[row])

    def columns(self, names: tuple[str, ...]) -> Floats:
        """(N, size, q)."""
        return self.rows.numbers(names, self.order).reshape(-1, self.size, len(names))

    def name(self, row: int) -> str:
        """The set of a row, in words."""
        if self.layout.set is None:
            return "the set"
        entry = self.rows.frame[self.layout.set][self.original(row)]
        return f"set {entry:.15g}" if isinstance(entry, float) else f"set {entry}"


def _of_right_size(table: _Table, sorted_key: "Integers | Floats", strict: bool) -> tuple[_Table, Counter[str]]:
    """Without the sets that have more or fewer rows than they should."""
    bounds = _bounds(sorted_key)
    counts = np.diff(bounds)
    wrong = counts != table.size
    if strict:
        first = int(wrong.argmax())
        raise BadFileError(_of_count(table, int(bounds[first]), int(counts[first]), int(wrong.sum()), len(counts)))
    keep = np.flatnonzero(np.repeat(~wrong, counts))
    order = keep if table.order is None else table.order[keep]
    left_out = {WRONG_COUNT: wrong.sum()} if table.layout.kind == "long" else {TWICE: counts[wrong].sum()}
    return replace(table, order=order), Counter({reason: int(count) for reason, count in left_out.items()})


def _of_count(table: _Table, row: int, count: int, wrong: int, sets: int) -> str:
    """What is wrong with a set that has `count` rows."""
    where, name = table.rows.place(table.original(row)), table.name(row)
    if table.layout.kind == "wide":
        advice = "Give --layout long if a row is a reading" if 2 * wrong > sets else REPAIR[:-1]
        return f"{where}: {name} occurs {count} times, and every set needs a name of its own. {advice}."
    came = f"{where}: {name} has {count} reading(s) where {table.size} were expected"
    if wrong == sets > 1:
        return f"{came}, and none of the {sets:,} sets has so many. Correct --systems, --set or --value."
    doubled = " (two sets may share this name)" if count > table.size and count % table.size == 0 else ""
    repair = REPAIR if table.layout.n_systems else f"{REPAIR[:-1]}, or give --systems if there are not {table.size}."
    return f"{came}{doubled}; {_share(wrong, sets)} a wrong number. {repair}"


def _share(some: int, sets: int) -> str:
    """
    >>> _share(1, 2000)
    '1 of the 2,000 sets read has'
    """
    return f"{some:,} of the {sets:,} sets read {'has' if some == 1 else 'have'}"


def _checked(table: _Table, dropped: Counter[str], strict: bool) -> Batch:
    """Sets whose numbers are all known and can be squared, and whose inputs agree."""
    layout = table.layout
    values = table.columns(layout.values)
    inputs = table.columns(layout.inputs) if layout.inputs else None
    bad = np.zeros(len(values), dtype=bool)
    for reason, cells, advice in _faults(values, inputs):
        found = cells.any(axis=1) & ~bad
        if found.any() and strict:
            raise BadFileError(_of_cell(table, cells, advice))
        dropped[reason] += int(found.sum())
        bad |= found
    sets = values if layout.kind == "long" else values.reshape(len(values), layout.n_systems or 1, layout.reading_dim)
    sets, psi = (sets, inputs) if not bad.any() else (sets[~bad], None if inputs is None else inputs[~bad])
    sets = sets[:, :, 0] if layout.reading_dim == 1 else sets
    return Batch(sets, None if psi is None else _as_inputs(psi[:, 0], layout), +dropped)


def _faults(values: Floats, inputs: Floats | None) -> Iterator[tuple[str, Mask, str]]:
    """What is wrong with some cells: reason, cells (N, size) it holds for, and words."""
    yield from _unusable(values, UNKNOWN_READING, "a reading")
    if inputs is None:
        return
    yield from _unusable(inputs, UNKNOWN_INPUT, "an input")
    varies = inputs != inputs[:, :1]
    if varies.any():
        advice = "its input differs from that of another reading of the set (if it is a reading, use --value)"
        yield INPUT_VARIES, _in_any(varies), advice


def _unusable(numbers: Floats, unknown: str, what: str) -> Iterator[tuple[str, Mask, str]]:
    """What is wrong with single cells; no mask is made if there is nothing."""
    if not numbers.size or (numbers.min() >= -LARGEST and numbers.max() <= LARGEST):
        return
    yield unknown, _in_any(~np.isfinite(numbers)), f"{what} is missing or not a finite number"
    large = np.isfinite(numbers) & (abs(numbers) > LARGEST)
    yield (
        TOO_LARGE,
        _in_any(large),
        f"{what} lies beyond {LARGEST:g} and cannot be squared (if all do, use another unit)",
    )


def _in_any(cells: Mask) -> Mask:
    """(N, size): rows of which one number or more has what `cells` (N, size, q) marks."""
    return np.asarray(cells.any(axis=2))


def _of_cell(table: _Table, cells: Mask, advice: str) -> str:
    row = int(cells.ravel().argmax())
    sets = int(cells.any(axis=1).sum())
    where = f"{table.rows.place(table.original(row))}: {table.name(row)}"
    return f"{where} cannot be used: {advice}; {_share(sets, len(cells))} this. {REPAIR}"


def _as_inputs(psi: Floats, layout: Layout) -> Floats:
    """Inputs (N, q) as (N,), (N, D) or (N, p, D)."""
    p = layout.reading_dim
    if layout.intercept:
        return np.column_stack([np.ones(len(psi)), psi])
    if psi.shape[1] == 1:
        return psi[:, 0].copy()
    return psi.copy() if p == 1 else psi.reshape(len(psi), p, psi.shape[1] // p)
