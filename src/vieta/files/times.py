"""Dates and times in text: in which form a column is written, its cells as times, and the unit that suits them."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from vieta.errors import BadFileError
from vieta.files.cells import MISSING
from vieta.files.reasons import REPAIR

if TYPE_CHECKING:
    import polars as pl

    from vieta.files.rows import Rows

BINARY = ""  # the form of a column that holds times, not text
QUARTERS = "quarter"  # the form of 1949Q1, which polars does not have
SECOND = 1e6  # microseconds, in which times are counted
DAY = 86_400 * SECOND
YEAR = 365.2425 * DAY
UNITS = {"second": SECOND, "minute": 60 * SECOND, "hour": 3600 * SECOND, "day": DAY, "year": YEAR}
FEW = 0.05  # of different cells that may be no times, in a column of times
SPANNED = 3  # of a unit that times must span for it to suit them

_DATES = {
    r"\d{4}-\d\d?-\d\d?": "%Y-%m-%d",
    r"\d{4}/\d\d?/\d\d?": "%Y/%m/%d",
    r"\d{4}\.\d\d?\.\d\d?": "%Y.%m.%d",
    r"\d\d?\.\d\d?\.\d{4}": "%d.%m.%Y",
    r"\d\d?/\d\d?/\d{4}": "%d/%m/%Y",
    r"\d\d?-\d\d?-\d{4}": "%d-%m-%Y",
    r"\d\d? [A-Za-z]+ \d{4}": "%d %b %Y",
    r"\d\d?-[A-Za-z]+-\d{4}": "%d-%b-%Y",
    r"[A-Za-z]+ \d\d?, \d{4}": "%b %d, %Y",
    r"\d{8}": "%Y%m%d",
}
_CLOCKS = {
    "": "",
    r"[T ]\d\d?:\d\d": "{sep}%H:%M",
    r"[T ]\d\d?:\d\d:\d\d": "{sep}%H:%M:%S",
    r"[T ]\d\d?:\d\d:\d\d\.\d+": "{sep}%H:%M:%S%.f",
    r"[T ]\d\d?:\d\d:\d\d(\.\d+)?": "{sep}%H:%M:%S%.f",  # with and without
}
_ZONES = {"": "", r" ?(Z|[+-]\d\d(:?\d\d)?)": "%#z"}
_MONTHS = {
    r"\d{4}-\d\d": "%Y-%m",
    r"\d{4}/\d\d": "%Y/%m",
    r"\d{4}M\d\d": "%YM%m",
    r"[A-Za-z]+ \d{4}": "%b %Y",
    r"\d{4}[- ]?Q[1-4]": QUARTERS,
}
_AMBIGUOUS = {"%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y"}  # which of the two comes first is not plain


class Form(NamedTuple):
    """The form in which a column writes times, as `strptime` has it, or `BINARY`; `other` if another one fits as well."""

    text: str
    other: str = ""


def form_of(cells: Iterable[Any]) -> Form | None:
    """The form in which all but a few of the cells are written that are not missing; None if they are no times.

    >>> form_of(["2024-03-01", "2024-04-01", None]), form_of(["31/01/2024", "01/02/2024"]), form_of([3, 7])
    (Form(text='%Y-%m-%d', other=''), Form(text='%d/%m/%Y', other=''), None)
    """
    texts = sorted({str(cell).strip() for cell in cells if cell is not None})
    few = FEW * len(texts)
    if sum(text[:1].isalnum() and text[-1:].isalnum() for text in texts) < max(len(texts) - few, 1):
        return None
    for pattern, form in _forms():
        if sum(re.fullmatch(pattern, text) is None for text in texts) <= few:
            written = _both(form.format(sep="T" if "T" in texts[0] else " "))
            wrong = [parsed(texts, one).null_count() for one in written]
            if min(wrong) <= few:
                best = [one for one, count in zip(written, wrong) if count == min(wrong)]
                return Form(best[0], best[1] if len(best) > 1 else "")
    return None


def _forms() -> Iterable[tuple[str, str]]:
    yield from _MONTHS.items()
    for date, day in _DATES.items():
        for clock, time in _CLOCKS.items():
            for zone, offset in _ZONES.items():
                if time or not offset:
                    yield date + clock + zone, day + time + offset


def _both(form: str) -> list[str]:
    """The form, and the one with day and month exchanged where that is usual too."""
    swapped = [form.replace(one, other) for one, other in _AMBIGUOUS.items() if one in form]
    return [form, *swapped]


def parsed(texts: "list[str] | pl.Series", form: str) -> "pl.Series":
    """Times in microseconds without a zone, those with one in UTC; missing where a text is none of this form."""
    import polars as pl

    series = pl.Series(texts, dtype=pl.String()) if isinstance(texts, list) else texts
    if form == BINARY:
        found = series.cast(pl.Datetime("us")) if series.dtype != pl.Time() else _of_clock(series)
    else:
        found = _plain(series, form).str.strptime(pl.Datetime("us"), _polars(form), strict=False)
    zoned = getattr(found.dtype, "time_zone", None) is not None
    return found.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else found


def _of_clock(series: "pl.Series") -> "pl.Series":
    import polars as pl

    return (series.to_physical() // 1000).cast(pl.Datetime("us"))  # nanoseconds since midnight


def _plain(series: "pl.Series", form: str) -> "pl.Series":
    text = series.str.strip_chars()
    if form != QUARTERS:
        return text
    year, quarter = text.str.slice(0, 4), text.str.slice(-1)
    month = quarter.replace({"1": "-01", "2": "-04", "3": "-07", "4": "-10"})
    return year + month


def _polars(form: str) -> str:
    return "%Y-%m" if form == QUARTERS else form


def timed(rows: "Rows", column: str, form: str, *, strict: bool) -> "pl.Series":
    """A column of rows as times; a cell that is none is an error if `strict` is true, and missing otherwise."""
    import polars as pl

    series = rows.frame[column]
    if series.dtype == pl.String():
        text = series.str.strip_chars()
        series = text.set(text.is_in([*MISSING, ""]), None)
    elif form != BINARY:
        series = series.cast(pl.Int64()).cast(pl.String())
    found = parsed(series, form)
    wrong = found.is_null() & series.is_not_null()
    if strict and wrong.any():
        row = int(wrong.arg_max() or 0)
        raise BadFileError(
            "not-a-time",
            "{place}: {cell!r} in column {column!r} is not a time of the form of the first rows. " + REPAIR,
            place=rows.place(row),
            cell=str(series[row])[:40],
            column=column,
        )
    return found


def suited_unit(span: float) -> str:
    """The largest unit of which times that span so many microseconds have several.

    >>> suited_unit(10 * DAY), suited_unit(10 * YEAR), suited_unit(0.0)
    ('day', 'year', 'second')
    """
    suiting = [unit for unit, size in UNITS.items() if span >= SPANNED * size]
    return suiting[-1] if suiting else "second"


def said(time: float) -> str:
    """A time in microseconds in words.

    >>> said(0.0), said(86_400e6 + 1.5e6)
    ('1970-01-01', '1970-01-02 00:00:01.500000')
    """
    import numpy as np

    text = str(np.datetime64(round(time), "us")).replace("T", " ")
    return text.removesuffix(".000000").removesuffix(":00").removesuffix(" 00:00")
