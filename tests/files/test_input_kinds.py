"""What the columns of inputs are taken for."""

import pytest

from vieta.errors import BadFileError
from vieta.files.columns import Head
from vieta.files.input_kinds import is_usable
from vieta.files.layout import Wishes
from vieta.files.recognition import recognise

DATES = ["2020-01-01", "2020-01-01", "2020-02-01", "2020-02-01"]
COLUMNS = {
    "set": [0, 0, 1, 1],
    "y": [1.0, 2.0, 3.0, 4.0],
    "x": [5.0, 5.0, 6.0, 6.0],
    "date": DATES,
    "group": ["a", "a", "b", "b"],
    "code": [7, 7, 9, 9],
    "note": ["p", "q", "r", "s"],
    "comma": ["1,5", "1,5", "2,5", "2,5"],
    "odd": ["01/02/2020", "01/02/2020", "03/04/2020", "03/04/2020"],
    "stamp": [20200131, 20200131, 20200229, 20200229],
}


def layout(**wishes):
    return recognise(Head("a.csv", COLUMNS), Wishes(**({"value": ("y",)} | wishes)))


def test_numbers_times_and_categories():
    found = layout(input=("x", "date", "group", "code", "stamp"), category=("code",))
    assert found.categories == ("group", "code")
    assert dict(found.forms) == {"date": "%Y-%m-%d", "stamp": "%Y%m%d"}
    assert found.inputs == ("x", "date", "group", "code", "stamp")
    assert found.intercept
    assert layout(category=("code",)).inputs == ("code",)


@pytest.mark.parametrize(
    ("wishes", "intercept"),
    [
        ({"input": ("x",)}, False),
        ({"input": ("x",), "intercept": True}, True),
        ({"input": ("date",)}, True),
        ({"input": ("group",)}, True),
        ({"trend": True}, True),
        ({"season": ("12",)}, True),
        ({"season": ("12",), "intercept": False}, False),
    ],
)
def test_an_intercept_stands_beside_what_is_measured_from_somewhere(wishes, intercept):
    assert layout(**wishes).intercept is intercept


def test_what_trend_and_season_are_measured_in():
    assert layout(trend=True).time == "set"
    assert layout(trend=True, time="date").time == "date"
    assert layout(trend=True, set="date").forms == (("date", "%Y-%m-%d"),)
    assert layout(trend=True, set="group").time is None  # the order of the sets
    assert layout(input=("x",)).time is None


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"input": ("note",)}, "'note' of a.csv holds no numbers, and 4 different texts in its first rows: too many for a category"),
        ({"input": ("comma",)}, "In comma, write numbers with a point, not a comma"),
        ({"input": ("odd",)}, "'odd' of a.csv may be read in two ways: '01/02/2020' has the day first, or the month"),
        ({"trend": True, "time": "group"}, "'group' of a.csv holds neither times nor numbers: 'a' is not known as a time"),
        ({"season": ("decade",)}, "season=decade is no period: give one of minute, hour, day, week, month, quarter, year, or a number"),
        ({"season": ("1",)}, "season=1 is no period"),
        ({"season": ("nan",)}, "season=nan is no period"),
        ({"value": ("y", "x"), "trend": True}, "are for readings of one number; these have 2"),
        ({"value": ("group",)}, "column 'group' of a.csv holds no numbers. Those that do: set, y, x, code, stamp."),
    ],
)  # fmt: skip
def test_what_is_refused(wishes, message):
    with pytest.raises(BadFileError) as error:
        layout(**wishes)
    assert message in str(error.value)


def test_texts_that_can_be_used():
    head = Head("a.csv", COLUMNS)
    assert [name for name in COLUMNS if is_usable(head, name)] == ["set", "x", "date", "group", "code", "odd", "stamp"]
