"""What must be known of whole columns before inputs can be made of them: the first time, and the levels of categories.

One pass over these columns alone, in bounded memory; none where inputs are numbers as they are.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vieta.errors import BadFileError
from vieta.files.cells import MISSING
from vieta.files.layout import Layout
from vieta.files.rows import Rows, Wanted, as_numbers
from vieta.files.source import Source
from vieta.files.terms import CALENDAR, Dummies, Linear, Number, Season, Term
from vieta.files.times import UNITS, said, suited_unit, timed

if TYPE_CHECKING:
    import polars as pl

MOST_LEVELS = 100  # of a category


@dataclass(slots=True)
class Facts:
    """Of whole columns: least and greatest entry, and different entries."""

    least: dict[str, float] = field(default_factory=dict)
    greatest: dict[str, float] = field(default_factory=dict)
    levels: dict[str, set[str]] = field(default_factory=dict)

    def add(self, rows: Rows, layout: Layout, *, strict: bool) -> None:
        """Take in some rows."""
        forms = dict(layout.forms)
        for name in spanned(layout):
            column = timed(rows, name, forms[name], strict=strict) if name in forms else rows.frame[name]
            known = as_numbers(column).drop_nulls().drop_nans()
            if len(known):
                low, high = float(known.min()), float(known.max())  # type: ignore[arg-type]
                self.least[name] = min(low, self.least.get(name, low))
                self.greatest[name] = max(high, self.greatest.get(name, high))
        for name in layout.categories:
            self.levels.setdefault(name, set()).update(as_text(rows.frame[name]).drop_nulls().unique().to_list())
            if len(self.levels[name]) > MOST_LEVELS:
                raise _too_many(rows.source.name, name)


def spanned(layout: Layout) -> tuple[str, ...]:
    """Columns whose first entry must be known: times, and what a trend is in."""
    times = [name for name, _ in layout.forms if name in layout.inputs or (name == layout.time and layout.trend)]
    return tuple(dict.fromkeys([*times, *([layout.time] if layout.trend and layout.time is not None else [])]))


def surveyed(sources: list[Source], layout: Layout, wanted: Wanted, *, strict: bool) -> Layout:
    """The layout with what its inputs become."""
    if layout.is_plain:
        return layout
    facts = Facts()
    names = (*spanned(layout), *layout.categories)
    if names:
        kinds = wanted.schema()
        asked = {name: kinds[name] for name in names}
        reading = _reading(asked)
        for source in sources:
            for rows in source.rows(reading, strict=strict, progress=lambda _: None):
                facts.add(rows, layout, strict=strict)
    return replace(layout, terms=tuple(_terms(layout, facts, sources)))


def _reading(kinds: "dict[str, pl.DataType]") -> Wanted:
    """These columns alone, numbers as numbers and everything else as text."""
    import polars as pl

    texts = tuple(name for name, kind in kinds.items() if kind == pl.String())
    return Wanted(tuple(name for name in kinds if name not in texts), None, "text", (), texts)


def _terms(layout: Layout, facts: Facts, sources: list[Source]) -> list[Term]:
    found: list[Term] = []
    reference, file = layout.intercept, sources[0].name
    for name in layout.inputs:
        if name in layout.categories:
            found.append(Dummies(name, _levels(facts, name, sources), reference))
            reference = True
        else:
            found.append(_line(layout, facts, name, name) if name in dict(layout.forms) else Number(name))
    if layout.trend:
        found.append(_line(layout, facts, layout.time, "trend"))
    return found + [_season(layout, period, file) for period in layout.season]


def _levels(facts: Facts, name: str, sources: list[Source]) -> tuple[str, ...]:
    """In the order that the type of the column tells, else of numbers, if they are such, else of the alphabet."""
    levels = facts.levels.get(name, set())
    if len(levels) < 2:
        raise BadFileError(
            "one-level",
            "column {column!r} of {file} has the same entry everywhere, {level!r}: it is no category that tells sets apart. Leave it out.",
            column=name,
            file=sources[0].name,
            level=next(iter(levels), ""),
        )
    known = {source.levels(name) for source in sources}
    if len(known) == 1 and levels <= set(listed := known.pop()):
        return tuple(level for level in listed if level in levels)
    try:
        return tuple(sorted(levels, key=float))
    except ValueError:
        return tuple(sorted(levels))


def _line(layout: Layout, facts: Facts, column: str | None, label: str) -> Linear:
    """A straight line in a column, or in the order of the sets."""
    if column is None:
        return Linear(None, f"{label} per set", 0.0, 1.0, f"{label}: in the order of the sets, from the first")
    first = facts.least.get(column, 0.0)
    if column in dict(layout.forms):
        unit = suited_unit(facts.greatest.get(column, 0.0) - first)
        return Linear(column, f"{label} per {unit}", first, UNITS[unit], f"{label}: {unit}s since {said(first)}")
    return Linear(column, f"{label} in {column}", first, 1.0, f"{label}: since {column} {first:g}")


def _season(layout: Layout, period: str, file: str) -> Season:
    """A season of the calendar, for times; or of so many units of a column of numbers, or so many sets."""
    is_timed = layout.time is not None and layout.time in dict(layout.forms)
    if period in CALENDAR:
        if not is_timed:
            raise BadFileError(
                "season-without-times",
                "{option.season:{period}} needs a column of dates or times, and {column} of {file} holds none. Name one with {option.time}, "
                "or give the period as a number.",
                period=period,
                column="the order of the sets" if layout.time is None else repr(layout.time),
                file=file,
            )
        return Season(layout.time, period, layout.harmonics)
    column, length = (None if is_timed else layout.time), float(period)
    if column is None and 2 * layout.harmonics > length:
        raise BadFileError(
            "too-many-harmonics",
            "{option.harmonics:{harmonics}} are too many for a period of {period:g} sets: there are {most} of them.",
            harmonics=layout.harmonics,
            period=length,
            most=int(length / 2),
        )
    return Season(column, length, layout.harmonics)


def _too_many(file: str, column: str) -> BadFileError:
    return BadFileError(
        "too-many-levels",
        "column {column!r} of {file} has more than {most} different entries, too many for a category. Leave it out, or write it as a number.",
        column=column,
        file=file,
        most=MOST_LEVELS,
    )


def as_text(column: "pl.Series") -> "pl.Series":
    """Entries of a category, missing where they are."""
    import polars as pl

    if column.dtype.is_float() and bool((column.drop_nulls().drop_nans() % 1 == 0).all()):
        column = column.fill_nan(None).cast(pl.Int64())
    text = column.cast(pl.String()).str.strip_chars()
    return text.set(text.is_in([*MISSING, ""]), None)


def prepared(rows: Rows, layout: Layout, *, strict: bool) -> Rows:
    """Rows with times in place of the text that they are written in, and the numbers of the levels of each category."""
    import polars as pl

    coded = [
        as_text(rows.frame[term.column])
        .replace_strict(dict(zip(term.levels, range(len(term.levels)))), default=None, return_dtype=pl.Float64())
        .alias(term.reads)
        for term in layout.terms
        if isinstance(term, Dummies)
    ]
    times = [timed(rows, name, form, strict=strict).alias(name) for name, form in layout.forms]
    return replace(rows, frame=rows.frame.with_columns(*coded, *times)) if coded or times else rows
