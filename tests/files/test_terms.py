"""Regressors from columns, against the calendar of Python and the formulas."""

import calendar
import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.files.terms import CODE, Dummies, Linear, Number, Season

EPOCH = dt.datetime(1970, 1, 1)
MOMENTS = st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2150, 1, 1))


def micros(moment):
    return float((moment - EPOCH) // dt.timedelta(microseconds=1))


def passed(moment, period):
    """The part of a period that has passed, by Python's calendar."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    month = day.replace(day=1)
    quarter = month.replace(month=3 * ((moment.month - 1) // 3) + 1)
    length = calendar.monthrange(moment.year, moment.month)[1]
    year = dt.datetime(moment.year, 1, 1)
    begin, days = {
        "minute": (moment.replace(second=0, microsecond=0), 1 / 1440),
        "hour": (moment.replace(minute=0, second=0, microsecond=0), 1 / 24),
        "day": (day, 1),
        "week": (day - dt.timedelta(days=moment.weekday()), 7),
        "month": (month, length),
        "quarter": (quarter, sum(calendar.monthrange(moment.year, quarter.month + i)[1] for i in range(3))),
        "year": (year, 366 if calendar.isleap(moment.year) else 365),
    }[period]
    return (moment - begin) / dt.timedelta(days=days)


@pytest.mark.parametrize("period", ["minute", "hour", "day", "week", "month", "quarter", "year"])
@given(moment=MOMENTS)
def test_parts_of_the_calendar(period, moment):
    u = Season("date", period, 1).phase(np.array([micros(moment)]))[0]
    assert u == pytest.approx(passed(moment, period), abs=1e-6)


@pytest.mark.parametrize("period", [12.0, 7.5])
def test_waves_of_a_number(period):
    t = np.arange(40.0)
    season = Season("k", period, 2)
    expected = [f(2 * np.pi * h * t / period) for h in (1, 2) for f in (np.cos, np.sin)]
    np.testing.assert_allclose(season.columns(t), np.stack(expected, axis=1), atol=1e-12)
    assert season.names == tuple(f"{w} {period:g} k{h}" for h in ("", "/2") for w in ("cos", "sin"))


def test_a_wave_of_two_sets_has_no_sine():
    season = Season(None, 4.0, 2)
    assert season.names == ("cos 4 sets", "sin 4 sets", "cos 4 sets/2")
    columns = season.columns(np.arange(8.0))
    assert columns.shape == (8, 3)
    np.testing.assert_allclose(columns[:, 2], (-1.0) ** np.arange(8))
    assert np.linalg.matrix_rank(np.column_stack([np.ones(8), columns])) == 4
    assert season.note == "4 sets: in their order, from the first"


def test_lines_and_numbers():
    t = np.array([3.0, 5.0])
    line = Linear("t", "trend per day", 3.0, 2.0, "trend: days since ..")
    assert line.names == ("trend per day",)
    np.testing.assert_array_equal(line.columns(t), [[0.0], [1.0]])
    number = Number("x")
    np.testing.assert_array_equal(number.columns(t), t[:, None])
    assert (number.names, number.note) == (("x",), "")


def test_dummies_name_their_reference():
    dummies = Dummies("group", ("a", "b", "c"))
    np.testing.assert_array_equal(dummies.columns(np.array([0.0, 2.0, 1.0])), [[0, 0], [0, 1], [1, 0]])
    assert (dummies.names, dummies.note) == (("group=b", "group=c"), "reference group=a")
    assert dummies.reads == "group" + CODE
    every = Dummies("group", ("a", "b"), reference=False)
    np.testing.assert_array_equal(every.columns(np.array([0.0, 1.0])), np.eye(2))
    assert (every.names, every.note) == (("group=a", "group=b"), "")
