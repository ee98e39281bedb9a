"""Which columns are what: recognised by their names and the first rows, unless they are named."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal

from vieta.files.bad_file import BadFileError
from vieta.files.columns import groups_rows, is_constant_in_sets, names_systems, repeats, stands_together
from vieta.files.head import Head

Kind = Literal["long", "wide"]
SETS = ("set", "set_id", "setid", "time", "t", "timestamp", "datetime", "date", "k", "record", "group", "id", "index")
# These name sets, or when in a day or a week something was.
SPANS = ("hour", "day", "week", "month", "period", "when", "batch", "trial", "sample", "visit")
VALUES = ("y", "value", "values", "reading", "readings", "observation", "obs", "measurement", "response", "answer")
INPUTS = ("psi", "ψ", "x", "u", "input", "inputs", "regressor", "phi")
WHICH_ROWS = "--set COLUMN if rows share a set, or --layout wide if each is one"
COMMA = re.compile(r"\s*-?\d+,\d+\s*")
THOUSANDS = re.compile(r"\s*-?\d{1,3}(,\d{3})+(\.\d*)?\s*")
NUMBERED = re.compile(r"(.*?)[\s_.\-\[(]*(\d+)(?:[\s_.,\-x]+(\d+))?[\])]?")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user has named; None and empty leave it to be recognised."""

    layout: Kind | None = None
    set: str | None = None
    value: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    systems: int | None = None
    intercept: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file.

    Attributes
    ----------
    kind : str
        "long": one row a reading, those of a set share their entry in the column `set`. "wide": one row a set.
    set : str or None
        The column that names the set.
    values : tuple of str
        Long: the p numbers of a reading. Wide: those of the first member, then those of the second, and so on.
    inputs : tuple of str
        None, one (a scalar), D of them (p = 1), or p D of them (a matrix, row by row).
    n_systems : int or None
        L; None to be counted.
    intercept : bool
        Whether a one stands before the inputs of every set.
    unused : tuple of str
        Columns that are none of these.
    likely_inputs : tuple of str
        Those of them that look like inputs.
    naming : tuple of str
        Those of them that hold the same values in every set, each once: names of the systems.
    """

    kind: Kind
    set: str | None
    values: tuple[str, ...]
    inputs: tuple[str, ...]
    n_systems: int | None
    intercept: bool = False
    unused: tuple[str, ...] = ()
    likely_inputs: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()

    @property
    def reading_dim(self) -> int:
        """p."""
        return len(self.values) if self.kind == "long" else len(self.values) // (self.n_systems or 1)

    @property
    def regressors(self) -> tuple[str, ...]:
        """Names of the inputs, with the intercept if there is one."""
        return ("intercept", *self.inputs) if self.intercept else self.inputs

    def describe(self, audience: object = None) -> str:
        """The layout in words."""
        row = "one row a reading" if self.kind == "long" else "one row a set"
        sets = f", sets by {self.set!r}" if self.set is not None else ""
        inputs = f"inputs {_listing(self.regressors)}" if self.inputs else "no inputs (Psi = I)"
        return f"{self.kind} ({row}{sets}), readings {_listing(self.values)}, {inputs}{self._left()}"

    def _left(self) -> str:
        """The columns that are not used, in words; those that look like inputs first."""
        likely, several = self.likely_inputs, len(self.likely_inputs) > 1
        others = tuple(name for name in self.unused if name not in likely)
        options = " ".join(f"--input {name}" for name in likely[:3])
        look = f"which look{'s' * (not several)} like {'inputs' if several else 'an input'} ({options})"
        parts = [f"{_listing(likely)}, {look}"] if likely else []
        parts += [f"{_listing(others)} (name them with --set, --input or --value)"] if others else []
        return f"; not used: {'; '.join(parts)}" if parts else ""


def recognise(head: Head, wishes: Wishes) -> Layout:
    """The layout of a file from its first rows."""
    _require_present(head, wishes)
    set_column = wishes.set or _set_column(head, wishes)
    named = {set_column, *wishes.value, *wishes.input}
    free = [name for name in head.numeric if name not in named]
    inputs = wishes.input if wishes.input or wishes.value else _family(INPUTS, free)
    values = wishes.value or _values([name for name in free if name not in inputs])
    if not values:
        raise _cannot_tell(head, "which columns hold the readings", "--value COLUMN (once for each)")
    unused = tuple(name for name in head.columns if name not in {set_column, *values, *inputs})
    kind = wishes.layout or _kind(head, set_column, values, unused)
    if kind == "long" and set_column is None:
        raise _cannot_tell(head, "which rows form a set", "--set COLUMN")
    layout = Layout(kind, set_column, values, inputs, wishes.systems, wishes.intercept, unused)
    layout = _judged(head, layout) if kind == "long" else _wide(_judged(head, layout))
    _require_inputs_fit(layout)
    return layout


def _set_column(head: Head, wishes: Wishes) -> str | None:
    """The column with a usual name.

    One that may also say when in a day or a week counts only if its entries do not come again.
    """
    free = [name for name in head.columns if name not in {*wishes.value, *wishes.input}]
    span = _first(SPANS, free)
    usual = _first(SETS, free)
    if usual is not None or span is None:
        return usual
    if wishes.layout == "wide":
        return None if repeats(head.columns[span]) else span
    if not stands_together(head.columns[span]):
        raise _cannot_tell(head, f"whether {span!r} says which rows form a set", WHICH_ROWS)
    return span


def _judged(head: Head, layout: Layout) -> Layout:
    """With what the first rows say about the columns that are not used."""
    if layout.kind == "wide" or layout.set is None:
        likely = tuple(name for name in layout.unused if name in head.numeric and _number(name)[0] in INPUTS)
        return replace(layout, likely_inputs=likely)
    others, times = layout.unused, {*SETS, *SPANS}
    numbers = [name for name in others if name in head.numeric and name.strip().lower() not in times]
    likely = tuple(name for name in numbers if is_constant_in_sets(head, name, layout.set))
    naming = tuple(name for name in others if names_systems(head, name, layout.set))
    return replace(layout, likely_inputs=likely, naming=naming)


def _require_present(head: Head, wishes: Wishes) -> None:
    given = [wishes.set] if wishes.set is not None else []
    for name, times in Counter([*given, *wishes.value, *wishes.input]).items():
        if times > 1:
            raise BadFileError(f"column {name!r} was named {times} times. Name each column once, for one purpose.")
        if name not in head.columns:
            raise BadFileError(f"{head.name} has no column {name!r}. Its columns are: {_listing(head.columns)}.")
    for name in [*wishes.value, *wishes.input]:
        if name not in head.numeric:
            advice = _on_commas(head, [name]) or f"Those that do: {_listing(head.numeric)}."
            raise BadFileError(f"column {name!r} of {head.name} holds no numbers. {advice}")


def _kind(head: Head, set_column: str | None, values: tuple[str, ...], unused: tuple[str, ...]) -> Kind:
    """Long if most sets have several rows, wide if most have one and it is plain that rows are not merely shuffled.

    With one value a row they must be long.
    """
    if set_column is None:
        grouping = [name for name in unused if groups_rows(head.columns[name])]
        if grouping:
            raise _cannot_tell(head, f"whether {grouping[0]!r} says which rows form a set", WHICH_ROWS)
        if len(values) == 1:
            raise _cannot_tell(head, "which rows form a set", WHICH_ROWS)
        return "wide"
    ids = [cell for cell in head.columns[set_column] if cell is not None]
    counts = Counter(map(str, ids))
    alone = sum(count == 1 for count in counts.values())
    if len(values) == 1 or 2 * alone <= len(counts):
        return "long"
    is_text = head.id_type(set_column) == "text"
    if (is_text and alone == len(ids)) or ids == sorted(ids, key=str if is_text else None):
        return "wide"
    raise _cannot_tell(head, "whether a row is a reading or a whole set", "--layout long or --layout wide")


def _wide(layout: Layout) -> Layout:
    """Values in the order of members, and L."""
    places = [_number(name)[1:] for name in layout.values]
    members = {member for member, _ in places}
    two_indices = all(coordinate is not None for _, coordinate in places)
    L = layout.n_systems or (len(members) if two_indices else len(layout.values))
    if len(layout.values) % L:
        raise BadFileError(
            f"{len(layout.values)} columns of readings do not divide among {L} systems: {_listing(layout.values)}. Name "
            "the right ones with --value, or their number with --systems."
        )
    order = range(len(places)) if not two_indices else sorted(range(len(places)), key=lambda i: places[i])
    return replace(layout, values=tuple(layout.values[i] for i in order), n_systems=L)


def _require_inputs_fit(layout: Layout) -> None:
    p, q = layout.reading_dim, len(layout.inputs)
    if layout.intercept and (p > 1 or q == 0):
        reason = f"these have {p}" if p > 1 else "none was found: name them with --input"
        raise BadFileError(f"--intercept is for readings of one number that have inputs; {reason}.")
    if q > 1 and q % p:
        raise BadFileError(
            f"{q} input columns ({_listing(layout.inputs)}) do not fit readings of {p} numbers: give none, one (a scalar), "
            f"or {p} for each parameter, row by row of the matrix."
        )


def _values(free: list[str]) -> tuple[str, ...]:
    """Columns with a usual name; else a numbered family; else the only one."""
    usual = _family(VALUES, free)
    if usual:
        return usual
    stems = {_number(name)[0] for name in free if _number(name)[1] is not None}
    numbered = tuple(name for name in free if _number(name)[1] is not None)
    if len(stems) == 1 and len(numbered) > 1:
        return numbered
    return tuple(free) if len(free) == 1 else ()


def _family(stems: tuple[str, ...], names: list[str]) -> tuple[str, ...]:
    """The columns of the first stem that occurs, with and without numbers: y, or y1, y2, .."""
    for stem in stems:
        found = [name for name in names if _number(name)[0] == stem]
        if found:
            return tuple(found)
    return ()


def _first(usual: tuple[str, ...], names: list[str]) -> str | None:
    plain = {name.strip().lower(): name for name in reversed(names)}
    return next((plain[word] for word in usual if word in plain), None)


def _number(name: str) -> tuple[str, int | None, int | None]:
    """A name without its numbers, and those: y2 is member 2; y2_1 is member 2, coordinate 1.

    >>> _number("y2_1"), _number("Reading 3"), _number("psi")
    (('y', 2, 1), ('reading', 3, None), ('psi', None, None))
    """
    plain = name.strip().lower()
    match = NUMBERED.fullmatch(plain)
    if match is None:
        return plain, None, None
    stem, first, second = match.groups()
    return stem, int(first), None if second is None else int(second)


def _cannot_tell(head: Head, what: str, give: str) -> BadFileError:
    """The error for a layout that is not plain: what to give, or what the file looks like if it is no table of numbers."""
    alone = next(iter(head.columns)) if len(head.columns) == 1 else ""
    other = next((d for d in ",;\t|: " if d in alone), "")
    if other:
        return BadFileError(
            f"{head.name}: cannot tell {what}: it has one column only, {_listing((alone,))!r}. If it is a table, perhaps its "
            f"delimiter is {other!r}: give --delimiter."
        )
    words = [name for name in head.columns if name not in head.numeric]
    advice = _on_commas(head, words)
    if advice:
        return BadFileError(f"{head.name}: cannot tell {what}. {advice}")
    hint = f" ({_listing(tuple(words))} without numbers)" if words else ""
    return BadFileError(
        f"{head.name}: cannot tell {what}. Its columns are: {_listing(head.columns)}{hint}. Give {give}."
    )


def _on_commas(head: Head, names: list[str]) -> str:
    """What to do about columns of numbers with commas; nothing if there are none."""
    commas = {name: cells for name in names if (cells := _with_commas(head.columns[name]))}
    grouped = all(THOUSANDS.fullmatch(cell) for cells in commas.values() for cell in cells)
    write = "remove the commas between thousands" if grouped else "write numbers with a point, not a comma"
    return f"In {_listing(tuple(commas))}, {write}." if commas else ""


def _with_commas(cells: list[Any]) -> list[str]:
    """Those cells that are numbers with commas."""
    return [cell for cell in cells if isinstance(cell, str) and (COMMA.fullmatch(cell) or THOUSANDS.fullmatch(cell))]


def _listing(names: "tuple[str, ...] | dict[str, list[object]]") -> str:
    shown = [name if len(name) <= 40 else f"{name[:37]}..." for name in names]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:10], f".. {len(shown) - 10} more"])
