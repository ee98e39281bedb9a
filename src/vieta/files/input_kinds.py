"""What the columns of inputs hold: numbers, times or categories; and what trend and season are measured in."""

from dataclasses import replace

from vieta.errors import BadFileError
from vieta.files.columns import Head, levels_of
from vieta.files.layout import Layout, Wishes
from vieta.files.survey import MOST_LEVELS
from vieta.files.terms import CALENDAR
from vieta.files.times import Form

SHORTEST = 2.0  # period of a season, in sets


def is_usable(head: Head, name: str) -> bool:
    """Whether a column without numbers can be an input: it holds times, or few different texts."""
    return head.form(name) is not None or (
        levels_of(head, name) <= min(MOST_LEVELS, len(head.columns[name]) // 2) and not _has_commas(head, name)
    )


def _has_commas(head: Head, name: str) -> bool:
    """Whether a column holds numbers that are written with commas."""
    cells = [cell for cell in head.columns[name] if isinstance(cell, str)]
    return any(cell.strip().lstrip("-").replace(",", "").replace(".", "").isdigit() and "," in cell for cell in cells)


def with_inputs(head: Head, layout: Layout, wishes: Wishes) -> Layout:
    """The layout with what its inputs are, and what trend and season are measured in."""
    numeric = set(head.numeric)
    timed = {name: form for name in layout.inputs if name not in wishes.category and (form := head.form(name))}
    categories = tuple(
        name for name in layout.inputs if name in wishes.category or (name not in timed and name not in numeric)
    )
    time = _time(head, layout, wishes)
    if time is not None and (form := head.form(time)):
        timed[time] = form
    for name, form in timed.items():
        _require_plain(head, name, form)
    found = replace(
        layout,
        categories=categories,
        forms=tuple((name, form.text) for name, form in timed.items()),
        time=time,
        trend=wishes.trend,
        season=tuple(map(_period, wishes.season)),
        harmonics=wishes.harmonics,
    )
    implied = bool(found.categories or found.trend or found.season or found.is_timed)
    return replace(found, intercept=implied if wishes.intercept is None else wishes.intercept)


def _time(head: Head, layout: Layout, wishes: Wishes) -> str | None:
    """The column that tells the time, if that is asked for: times or numbers; None for the order of the sets."""
    if not (wishes.trend or wishes.season):
        return None
    column = wishes.time if wishes.time is not None else layout.set
    if column is None or column in head.numeric or head.form(column) is not None:
        return column
    if wishes.time is None:
        return None
    raise BadFileError(
        "no-times",
        "column {column!r} of {file} holds neither times nor numbers: {cell!r} is not known as a time. Write times as 2024-01-31 or "
        "2024-01-31 23:59.",
        column=column,
        file=head.name,
        cell=next((cell for cell in head.columns[column] if cell is not None), ""),
    )


def _require_plain(head: Head, name: str, form: Form) -> None:
    """Refuse dates of which it is not plain which number is the day and which the month."""
    if form.other:
        raise BadFileError(
            "day-or-month",
            "the dates in column {column!r} of {file} may be read in two ways: {cell!r} has the day first, or the month. Write them as "
            "2024-01-31.",
            column=name,
            file=head.name,
            cell=str(next(cell for cell in head.columns[name] if cell is not None)),
        )


def _period(given: str) -> str:
    """A period of the calendar, or a number of at least two, as text."""
    try:
        if given in CALENDAR or SHORTEST <= float(given) < float("inf"):
            return given
    except ValueError:
        pass
    raise BadFileError(
        "no-period",
        "{option.season:{given}} is no period: give one of {known}, or a number of at least {least:g}.",
        given=given,
        known=", ".join(CALENDAR),
        least=SHORTEST,
    )
