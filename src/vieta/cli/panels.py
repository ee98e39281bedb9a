"""Which panels show the readings of files: over time, over the part of a season, over each input."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.files.terms import Dummies, Linear, Number, Season
from vieta.report.scatter import MOST_PANELS, MOST_POINTS, Panel
from vieta.sets import padded

if TYPE_CHECKING:
    from vieta.files.layout import Layout
    from vieta.files.reader import Reader

GRID = 1200  # places of a line
MOST_CYCLES = 40  # of a season that a panel can show
SHOWN_CYCLES = 8  # where there are more
# What the part of a period is shown in: how many units it has, and their name.
UNITS = {
    "minute": (60, "seconds into the minute"),
    "hour": (60, "minutes into the hour"),
    "day": (24, "hours into the day"),
    "week": (7, "days into the week, from Monday"),
    "month": (30, "days into the month"),
    "quarter": (3, "months into the quarter"),
    "year": (12, "months into the year"),
}


class Picked(NamedTuple):
    """Some sets (n, L), NaN where readings are missing, their inputs (n, D), the columns (n, r) these are made of, and their numbers (n,)."""

    sets: Floats
    rows: Floats
    read: Floats
    number: Floats


def panels(reader: "Reader", n_sets: int, n_systems: int) -> tuple[Panel, ...]:
    """The panels for readings that are numbers; none for others. The files are read once more, and few sets are kept."""
    layout = reader.layout
    if layout.reading_dim > 1:
        return ()
    most = max(MOST_POINTS // n_systems, 1)
    some = _picked(reader, _spread(n_sets, most))
    over_time = _over_time(reader, layout, some, most)
    is_part = any(panel.note for panel in over_time)
    seasons = _over_seasons(layout, some) if is_part or len(layout.made) == 1 else []
    found = [*over_time, *seasons, *_over_numbers(layout, some)]
    called = layout.values[0] if layout.kind == "long" else "reading"
    return tuple(replace(one, value=called) for one in (found or _over_categories(layout, some))[:MOST_PANELS])


def _spread(count: int, most: int) -> "np.ndarray":
    """At most so many of `count` numbers: one of each stretch of equal length, at random, so that no season is missed."""
    if count <= most:
        return np.arange(count)
    return np.floor((np.arange(most) + np.random.default_rng(0).random(most)) * (count / most)).astype(np.int64)


def _picked(reader: "Reader", wanted: "np.ndarray") -> Picked:
    block = reader.picked(wanted)
    rows = block.data.inputs.reshape(len(block.data), -1)
    return Picked(padded(block.data)[:, :, 0], rows, block.read, block.number)


def _column(layout: "Layout", picked: Picked, name: str | None) -> Floats:
    """Entries of a column, or numbers of sets from 1 on."""
    return picked.number + 1.0 if name is None else picked.read[:, layout.reads.index(name)]


def _over_time(reader: "Reader", layout: "Layout", some: Picked, most: int) -> list[Panel]:
    """Over the time of a trend, a season or a date; over the number of the set if nothing else is there."""
    lines = [term for term in layout.made if isinstance(term, Linear)]
    seasons = [term for term in layout.made if isinstance(term, Season)]
    if not (lines or seasons or not layout.made):
        return []
    name = [*(one.reads for one in lines), *(one.reads for one in seasons), None][0]
    note, at = "", _column(layout, some, name)
    low, high = float(at.min()), float(at.max())
    shortest = min((_length(term) for term in seasons if term.reads == name), default=0.0)
    if shortest and (high - low) / shortest > MOST_CYCLES:
        share = SHOWN_CYCLES * shortest / (high - low)
        some = _picked(reader, _spread(max(int(share * reader.n_sets), 1), most))
        at = _column(layout, some, name)
        low = float(at.min())
        high = min(low + SHOWN_CYCLES * shortest, float(at.max()))
        some = Picked(*(part[at <= high] for part in some))
        at, note = at[at <= high], "the first of them"
    grid, rows = _line(layout, some, name, low, high)
    kind = "time" if name in dict(layout.forms) else "count" if name is None else "number"
    return [Panel(name or "set", at, some.sets, some.rows, grid, rows, kind, note=note)]  # type: ignore[arg-type]


def _length(season: Season) -> float:
    """A period in the units of its column."""
    from vieta.files.times import DAY

    days = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.2}
    return days[season.period] * DAY if isinstance(season.period, str) else season.period


def _line(
    layout: "Layout", some: Picked, name: str | None, low: float, high: float
) -> tuple[Floats | None, Floats | None]:
    """Places along a column and the inputs there, if these depend on nothing else that differs among the sets."""
    if any(term.reads != name and np.ptp(_column(layout, some, term.reads)) > 0.0 for term in layout.made):
        return None, None
    grid = np.linspace(low, high, GRID)
    number = grid - 1.0 if name is None else np.zeros(GRID)
    read = np.repeat(some.read[:1], GRID, axis=0)
    if name is not None:
        read[:, layout.reads.index(name)] = grid
    return grid, layout.psi(read, number) if layout.made else np.ones((GRID, 1))


def _over_seasons(layout: "Layout", some: Picked) -> list[Panel]:
    """Over the part of each season that has passed."""
    found = []
    for season in (term for term in layout.made if isinstance(term, Season)):
        at = some.number if season.reads is None else _column(layout, some, season.reads)
        units, label = _units(season)
        grid = rows = None
        if len(layout.made) == 1:
            grid = np.linspace(0.0, units, GRID)
            u = np.linspace(0.0, 1.0, GRID)
            waves = Season(None, 1.0, season.harmonics).columns(u)
            rows = np.hstack([np.ones((GRID, int(layout.intercept))), waves])
            rows = rows if rows.shape[1] == some.rows.shape[1] else None
        grid = None if rows is None else grid
        found.append(Panel(label, season.phase(at) * units, some.sets, some.rows, grid, rows, "count"))
    return found


def _units(season: Season) -> tuple[float, str]:
    if isinstance(season.period, str):
        return UNITS[season.period]
    what = "set" if season.reads is None else season.reads
    return season.period, f"{what}, modulo {season.period:g}"


def _over_numbers(layout: "Layout", some: Picked) -> list[Panel]:
    """Over each input that is a number, and not the same in all sets."""
    found = []
    for name in (term.reads for term in layout.made if isinstance(term, Number)):
        at = _column(layout, some, name)
        grid, rows = _line(layout, some, name, float(at.min()), float(at.max()))
        found.append(Panel(name, at, some.sets, some.rows, grid, rows))
    return [one for one in found if np.ptp(one.at) > 0.0] or found


def _over_categories(layout: "Layout", some: Picked) -> list[Panel]:
    """Over each input that is a category."""
    return [
        Panel(term.column, _column(layout, some, term.reads), some.sets, some.rows, kind="level", levels=term.levels)
        for term in layout.made
        if isinstance(term, Dummies)
    ]
