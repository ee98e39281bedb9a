"""Dates and times in text, against Python's own parser."""

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.errors import BadFileError
from vieta.files.rows import as_rows
from vieta.files.source import Source
from vieta.files.times import BINARY, DAY, UNITS, form_of, parsed, said, suited_unit, timed

WRITTEN = [
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%Y%m%d", "%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S+00:00",
]  # fmt: skip
MOMENTS = st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2150, 1, 1))


class Place(Source):
    """Rows of no file."""

    unit = "line"

    def __init__(self):
        object.__setattr__(self, "name", "a.csv")

    recognise = first_rows = describe_empty = rows = None


Place.__abstractmethods__ = frozenset()


@pytest.mark.parametrize("written", WRITTEN)
@given(moments=st.lists(MOMENTS, min_size=1, max_size=5))
def test_what_python_writes_is_read(written, moments):
    texts = [moment.strftime(written) for moment in moments]
    form = form_of(texts)
    assert form is not None
    plain = written.replace("Z", "").replace("+00:00", "")
    expected = [dt.datetime.strptime(text.removesuffix("Z").removesuffix("+00:00"), plain) for text in texts]
    assert parsed(texts, form.text).to_list() == expected


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1949-03", dt.datetime(1949, 3, 1)),
        ("1949M03", dt.datetime(1949, 3, 1)),
        ("Mar 1949", dt.datetime(1949, 3, 1)),
        ("1949Q2", dt.datetime(1949, 4, 1)),
        ("1949-Q4", dt.datetime(1949, 10, 1)),
        ("2020-01-01T02:00:00+02:00", dt.datetime(2020, 1, 1)),
        (" 2020-01-01 ", dt.datetime(2020, 1, 1)),
    ],
)
def test_months_quarters_and_zones(text, time):
    assert parsed([text], form_of([text]).text).to_list() == [time]


@pytest.mark.parametrize(
    "cells", [["x"], [3, 4], ["2020-01-01", "soon"], ["2020-13-01"], [], [None], ["1.5", "2.5"], ["-3"], ["group 7"]]
)
def test_what_is_no_time(cells):
    assert form_of(cells) is None


def test_day_or_month_first():
    assert form_of(["31/01/2020", "01/02/2020"]) == ("%d/%m/%Y", "")
    assert form_of(["01/31/2020", "02/01/2020"]) == ("%m/%d/%Y", "")
    assert form_of(["01/02/2020", "02/03/2020"]) == ("%d/%m/%Y", "%m/%d/%Y")


def test_cells_that_are_no_times_are_refused_by_their_place_or_missing():
    rows = as_rows(Place(), pl.DataFrame({"t": ["2020-01-01", "NA", " ", "later"]}), 2)
    assert timed(rows, "t", "%Y-%m-%d", strict=False).to_list() == [dt.datetime(2020, 1, 1), None, None, None]
    with pytest.raises(BadFileError, match=r"line 5 of a.csv: 'later' in column 't' is not a time of the form"):
        timed(rows, "t", "%Y-%m-%d", strict=True)


def test_columns_that_hold_times():
    days = pl.DataFrame({"t": [dt.date(2020, 1, 2)], "c": [dt.time(6)]})
    assert timed(as_rows(Place(), days, 2), "t", BINARY, strict=True).to_list() == [dt.datetime(2020, 1, 2)]
    assert timed(as_rows(Place(), days, 2), "c", BINARY, strict=True).to_list() == [dt.datetime(1970, 1, 1, 6)]
    zoned = pl.Series([dt.datetime(2020, 1, 2)]).dt.replace_time_zone("Europe/Berlin")
    assert parsed(zoned, BINARY).to_list() == [dt.datetime(2020, 1, 1, 23)]


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_suits_a_span_of_several(unit):
    assert suited_unit(3.5 * UNITS[unit]) == unit


def test_times_in_words():
    assert said(0.0) == "1970-01-01"
    assert said(3600e6) == "1970-01-01 01:00"
    assert said(DAY + 1e6) == "1970-01-02 00:00:01"
