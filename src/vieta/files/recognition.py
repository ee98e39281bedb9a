"""The layout of a file, recognised by the names of its columns and its first rows, unless they are named."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from vieta.errors import BadFileError
from vieta.files.columns import (
    Head,
    Names,
    counts_rows,
    groups_rows,
    is_constant_in_sets,
    levels_of,
    names_systems,
    repeats,
    stands_together,
)
from vieta.files.input_kinds import is_usable, with_inputs
from vieta.files.layout import Kind, Layout, Wishes

SETS = ("set", "set_id", "setid", "time", "t", "timestamp", "datetime", "date", "k", "record", "group", "id", "index")
# These name sets, or when in a day or a week something was.
SPANS = ("hour", "day", "week", "month", "period", "when", "batch", "trial", "sample", "visit")
WHEN = ("year", "quarter", "weekday", "minute", "second")  # no readings either
VALUES = ("y", "value", "values", "reading", "readings", "observation", "obs", "measurement", "response", "answer")
INPUTS = ("psi", "ψ", "x", "u", "input", "inputs", "regressor", "phi")
WHICH_ROWS = "{option.set:COLUMN} if rows share a set, or {option.layout:wide} if each is one"
MAY_NAME = "whether {column!r} says which rows form a set"
COMMA = re.compile(r"\s*-?\d+,\d+\s*")
THOUSANDS = re.compile(r"\s*-?\d{1,3}(,\d{3})+(\.\d*)?\s*")
POINTS = re.compile(r"\s*-?\d{1,3}(\.\d{3})+,\d+\s*")  # points between thousands, and a comma before the decimals
DRESSED = re.compile(
    r"\s*([$€£¥]\s*-?[\d,]+\.?\d*|-?[\d,]+\.?\d*\s*([^\W\d_]|[$€£¥%°²³/])+)\s*"
)  # with a currency, or a unit
PADDED = 0.1  # of the rows, that have so many readings that these are no vectors
FEW_LEVELS = 20  # of a column of text that looks like a category
NUMBERED = re.compile(r"(.*?)[\s_.\-\[(]*(\d+)(?:[\s_.,\-x]+(\d+))?[\])]?")


def recognise(head: Head, wishes: Wishes) -> Layout:
    """The layout of a file from its first rows."""
    _require_present(head, wishes)
    set_column = wishes.set or _set_column(head, wishes)
    named = {set_column, *wishes.value, *wishes.input, *wishes.category, wishes.time}
    free = [name for name in head.numeric if name not in named]
    given = (*wishes.input, *(name for name in wishes.category if name not in wishes.input))
    inputs = given if given or wishes.value else _family(INPUTS, free)
    values = wishes.value or _values(head, [name for name in free if name not in inputs], wishes.layout)
    if not values:
        raise _no_readings(head, [name for name in free if name not in inputs])
    if set_column is None and len(values) == 1 and wishes.layout != "wide":
        set_column = _first((*SETS, *SPANS), list(inputs))
    used = {set_column, *values, *inputs, wishes.time}
    unused = tuple(name for name in head.columns if name not in used)
    kind = wishes.layout or _kind(head, set_column, values, unused)
    if kind == "long" and set_column is None:
        raise _undecided(head, "unknown-sets", "which rows form a set", "{option.set:COLUMN}")
    layout = Layout(kind, set_column, values, inputs, wishes.systems, bool(wishes.intercept), unused)
    layout = with_inputs(head, layout, wishes)
    layout = _judged(head, layout) if kind == "long" else _wide(_judged(head, layout), head)
    _require_inputs_fit(layout)
    return layout


def _set_column(head: Head, wishes: Wishes) -> str | None:
    """The column with a usual name.

    One that may also say when in a day or a week counts only if its entries do not come again.
    """
    named = {*wishes.value, *wishes.input, *wishes.category}
    free = [name for name in head.columns if name not in named]
    span = _first(SPANS, free)
    usual = _first(SETS, free)
    if usual is not None or span is None:
        return usual
    if wishes.layout == "wide":
        return None if repeats(head.columns[span]) else span
    if not stands_together(head.columns[span]):
        raise _undecided(head, "unknown-sets", MAY_NAME, WHICH_ROWS, column=span)
    return span


def _judged(head: Head, layout: Layout) -> Layout:
    """With what the first rows say about the columns that are not used."""
    numeric = set(head.numeric)
    if layout.kind == "wide" or layout.set is None:
        likely = tuple(name for name in layout.unused if name in numeric and _number(name)[0] in INPUTS)
        return replace(layout, likely_inputs=likely)
    others, times = layout.unused, {*SETS, *SPANS}
    inputs = [
        name
        for name in others
        if name.strip().lower() not in times and (name in numeric or _has_few_levels(head, name))
    ]
    likely = tuple(name for name in inputs if is_constant_in_sets(head, name, layout.set))
    naming = tuple(name for name in others if names_systems(head, name, layout.set))
    return replace(layout, likely_inputs=likely, naming=naming)


def _has_few_levels(head: Head, name: str) -> bool:
    """Whether a column of text may be a category."""
    return 1 < levels_of(head, name) <= min(FEW_LEVELS, len(head.columns[name]) // 2)


def _no_readings(head: Head, free: list[str]) -> BadFileError:
    usual = _family(VALUES, list(head.columns))
    if usual and all(cell in (None, []) for name in usual for cell in head.columns[name]):
        return BadFileError(
            "empty-sets-only",
            "{file}: its first sets are all empty, {columns} without any reading. At least some readings are needed; if they are in other "
            "columns, name these with {option.value}.",
            file=head.name,
            columns=Names(usual),
        )
    give = "{option.value:COLUMN} (once for each)"
    if len(free) > 1:
        give += ", or {option.layout:wide} if a row is a set and all of {free} are readings"
    return _undecided(head, "unknown-readings", "which columns hold the readings", give, free=Names(free))


def _require_present(head: Head, wishes: Wishes) -> None:
    """Refuse columns that are not there or hold no numbers, and readings that are something else too.

    The column of the sets, and the one that tells the time, may be inputs as well.
    """
    also = [name for name in (wishes.set, wishes.time) if name is not None and name in wishes.value]
    inputs = [*wishes.input, *(name for name in wishes.category if name not in wishes.input)]
    others = [name for name in (wishes.set, wishes.time) if name is not None and name not in (*wishes.value, *inputs)]
    for name, times in Counter([*also, *wishes.value, *inputs, *dict.fromkeys(others)]).items():
        if times > 1:
            raise BadFileError(
                "column-named-twice",
                "column {column!r} was named {times} times. Name each column once, for one purpose.",
                column=name,
                times=times,
            )
        if name not in head.columns:
            raise BadFileError(
                "no-column",
                "{file} has no column {column!r}. Its columns are: {columns}.",
                file=head.name,
                column=name,
                columns=Names(head.columns),
            )
    numeric = set(head.numeric)
    for name in [*wishes.value, *wishes.input]:
        if name not in numeric and (name in wishes.value or not is_usable(head, name)):
            advice, facts = _on_commas(head, [name])
            advice = advice or _on_units(head.columns[name])
            raise BadFileError(
                "no-numbers",
                "column {column!r} of {file} holds no numbers"
                + (f". {advice}" if advice else _no_category(head, name, wishes)),
                file=head.name,
                column=name,
                numeric=Names(head.numeric),
                **facts,
            )


def _no_category(head: Head, name: str, wishes: Wishes) -> str:
    """How an error about a column goes on that is neither numbers nor anything else that can be used."""
    if name in wishes.value:
        return f". {_others(head)}"
    return f", and {levels_of(head, name)} different texts in its first rows: too many for a category. {_others(head)}"


def _others(head: Head) -> str:
    """Which columns hold numbers."""
    return "Those that do: {numeric}." if head.numeric else "None does."


def _kind(head: Head, set_column: str | None, values: tuple[str, ...], unused: tuple[str, ...]) -> Kind:
    """Long if most sets have several rows, wide if most have one and it is plain that rows are not merely shuffled.

    With one value a row they must be long.
    """
    if set_column is None:
        grouping = [name for name in unused if groups_rows(head.columns[name])]
        if grouping:
            raise _undecided(head, "unknown-sets", MAY_NAME, WHICH_ROWS, column=grouping[0])
        if len(values) == 1:
            raise _undecided(head, "unknown-sets", "which rows form a set", WHICH_ROWS)
        return "wide"
    ids = [cell for cell in head.columns[set_column] if cell is not None]
    counts = Counter(map(str, ids))
    alone = sum(count == 1 for count in counts.values())
    if len(values) == 1 or 2 * alone <= len(counts):
        return "long"
    is_text = head.id_type(set_column) == "text"
    if (is_text and alone == len(ids)) or ids == sorted(ids, key=str if is_text else None):
        return "wide"
    give = "{option.layout:long} or {option.layout:wide}"
    raise _undecided(head, "unknown-layout", "whether a row is a reading or a whole set", give)


def _wide(layout: Layout, head: Head) -> Layout:
    """Values in the order of members, and how many members there are.

    Names of two indices tell them. Else columns that divide among the systems that were asked for are vectors; if they do not, or rows
    are so full that vectors would be cut, a row has room for more readings than there are systems.
    """
    places = [_number(name)[1:] for name in layout.values]
    members = {member for member, _ in places}
    two_indices = all(coordinate is not None for _, coordinate in places)
    columns, L = len(layout.values), layout.n_systems
    slots = (
        len(members) if two_indices else L if L and columns % L == 0 and not _cut(head, layout.values, L) else columns
    )
    if columns % slots:
        raise BadFileError(
            "columns-do-not-divide",
            "{count} columns of readings do not divide among {systems} systems: {columns}. Name the right ones with {option.value}, or "
            "their number with {option.systems}.",
            count=columns,
            systems=L or slots,
            columns=Names(layout.values),
        )
    order = range(len(places)) if not two_indices else sorted(range(len(places)), key=lambda i: places[i])
    return replace(layout, values=tuple(layout.values[i] for i in order), slots=slots)


def _cut(head: Head, values: tuple[str, ...], n_systems: int) -> bool:
    """Whether rows are filled from the left, and in a tenth of them the last reading would be cut if readings were vectors."""
    p = len(values) // n_systems
    rows = [[cell is not None for cell in row] for row in zip(*(head.columns[name] for name in values))]
    from_left = all(row == sorted(row, reverse=True) for row in rows)
    return p > 1 and from_left and sum(sum(row) % p != 0 for row in rows) >= max(PADDED * len(rows), 1)


def _require_inputs_fit(layout: Layout) -> None:
    p, q = layout.reading_dim, len(layout.inputs)
    if not layout.is_plain:
        if p > 1:
            raise BadFileError(
                "terms-for-vectors",
                "trends, seasons, times and categories are for readings of one number; these have {p}.",
                p=p,
            )
        return
    if layout.intercept and (p > 1 or q == 0):
        reason = "these have {p}" if p > 1 else "none was found: name them with {option.input}"
        template = f"{{flag.intercept}} is for readings of one number that have inputs; {reason}."
        raise BadFileError("intercept-without-inputs", template, p=p, inputs=Names(layout.inputs))
    if q > 1 and q % p:
        raise BadFileError(
            "inputs-do-not-fit",
            "{count} input columns ({columns}) do not fit readings of {p} numbers: give none, one (a scalar), or {p} for each parameter, "
            "row by row of the matrix.",
            count=q,
            columns=Names(layout.inputs),
            p=p,
        )


def _values(head: Head, free: list[str], layout: Kind | None) -> tuple[str, ...]:
    """Columns with a usual name; else a numbered family; else the only one; or all, if rows are known to be sets.

    Columns that say when something was are no readings, nor are those that number the rows, as some programs write unasked.
    """
    usual = _family(VALUES, free)
    if usual:
        return usual
    stems = {_number(name)[0] for name in free if _number(name)[1] is not None}
    numbered = tuple(name for name in free if _number(name)[1] is not None)
    if len(stems) == 1 and len(numbered) > 1:
        return numbered
    if layout == "wide":
        named = [name for name in free if name.strip().lower() not in {*SETS, *SPANS, *WHEN}]
        return tuple(name for name in named if not counts_rows(head.columns[name]))
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


def _undecided(head: Head, code: str, what: str, give: str, **facts: Any) -> BadFileError:
    """The error for a layout that is not plain: which option to give, or what the file looks like if it is no table of numbers."""
    begin = f"{{file}}: cannot tell {what}"
    facts |= {"file": head.name, "columns": Names(head.columns)}
    alone = next(iter(head.columns)) if len(head.columns) == 1 else ""
    other = next((d for d in ",;\t|: " if d in alone), "")
    if other:
        return BadFileError(
            "one-column",
            begin
            + ": it has one column only, '{columns}'. If it is a table, perhaps its delimiter is {delimiter!r}: give "
            "{option.delimiter}.",
            delimiter=other,
            **facts,
        )
    numeric = set(head.numeric)
    words = [name for name in head.columns if name not in numeric]
    advice, commas = _on_commas(head, words)
    if advice:
        return BadFileError("commas-in-numbers", f"{begin}. {advice}", **facts, **commas)
    hint = " ({words} without numbers)" if words else ""
    template = f"{begin}. Its columns are: {{columns}}{hint}. Give {give}."
    return BadFileError(code, template, words=Names(words), **facts)


def _on_commas(head: Head, names: list[str]) -> tuple[str, dict[str, Any]]:
    """What to do about columns of numbers with commas, as a template and its facts; nothing if there are none."""
    commas = {name: cells for name in names if (cells := _with_commas(head.columns[name]))}
    if not commas:
        return "", {}
    cells = [cell for found in commas.values() for cell in found]
    write = "write numbers with a point, not a comma"
    if all(THOUSANDS.fullmatch(cell) for cell in cells):
        write = "remove the commas between thousands"
    elif any(POINTS.fullmatch(cell) for cell in cells):
        write = "remove the points between thousands, and write a point, not a comma, before the decimals"
    return f"In {{commas}}, {write}.", {"commas": Names(commas)}


def _with_commas(cells: list[Any]) -> list[str]:
    """Those cells that are numbers with commas."""
    forms = (COMMA, THOUSANDS, POINTS)
    return [cell for cell in cells if isinstance(cell, str) and any(form.fullmatch(cell) for form in forms)]


def _on_units(cells: list[Any]) -> str:
    """What to do about a column of numbers with a unit, a currency or a per cent sign; nothing if it is none."""
    dressed = sum(isinstance(cell, str) and DRESSED.fullmatch(cell) is not None for cell in cells)
    return "In it, write the numbers alone, without units or signs." if 2 * dressed > len(cells) else ""
