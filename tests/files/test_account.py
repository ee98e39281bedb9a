"""What is said of sets that were left out."""

from collections import Counter

import numpy as np
import pytest

from vieta.files.account import Steps, accounts

CHICKS = Counter({50: 2, 49: 5, 48: 1, 47: 2, 46: 1, 45: 1})


def test_sets_that_lack_readings_and_a_size_that_is_not_the_commonest():
    left, counted = accounts({"wrong-count": 10}, CHICKS, 50, counted=True)
    assert (left.code, left.severity) == ("sets-left-out", "serious")
    assert str(left).startswith("10 of the 12 sets were left out: 10 with fewer than 50 readings. ")
    assert (counted.facts["size"], counted.facts["usual"], counted.facts["times"]) == (50, 49, 5)
    assert [one.code for one in accounts({"wrong-count": 10}, CHICKS, 50, counted=False)] == ["sets-left-out"]


def test_sets_that_are_larger_are_named():
    (left,) = accounts({"wrong-count": 9}, Counter({2: 3, 3: 91, 4: 6}), 3, counted=True)
    assert ": 3 with fewer than 3 readings and 6 with more. " in str(left)


@pytest.mark.parametrize(
    ("dropped", "severity"),
    [({"unknown-reading": 1}, "note"), ({"input-varies": 30}, "caution"), ({"too-large": 60}, "serious")],
)
def test_how_much_it_matters(dropped, severity):
    (left,) = accounts(dropped, Counter({3: 100}), 3, counted=True)
    assert left.severity == severity
    assert "of the 100 sets were left out. The estimate" in str(left)


def test_nothing_is_said_where_nothing_is_left_out():
    assert accounts({}, Counter({3: 100}), 3, counted=True) == ()
    assert accounts({"no-name": 2}, Counter({3: 100}), 3, counted=True) == ()


def test_lines_within_a_quote():
    (found,) = accounts({"quote-not-closed": 7}, Counter({3: 100}), 3, counted=True)
    assert (found.code, found.severity, found.facts["lines"]) == ("quote-not-closed", "serious", 7)


@pytest.mark.parametrize(("lost", "found"), [([], []), ([7], ["uneven-steps"])])
@pytest.mark.parametrize("cuts", [1, 5])
def test_months_are_even_unless_one_is_missing(lost, found, cuts):
    months = np.array([f"20{y:02d}-{m:02d}-01" for y in range(3) for m in range(1, 13)], dtype="datetime64[us]")
    times = np.delete(months.astype(np.float64), lost)
    steps = Steps()
    for part in np.array_split(np.arange(len(times)), cuts):
        steps.add(times[part], part.astype(float))
    steps.add(times[:0], times[:0])
    assert [one.code for one in steps.findings()] == found
    if lost:
        assert str(steps.findings()[0]).startswith(
            "The season counts sets, and their times are unevenly spaced: 28 to 62 days apart."
        )


def test_a_set_that_is_left_out_is_no_gap():
    steps = Steps()
    steps.add(np.array([0.0, 1e9, 3e9]), np.array([0.0, 1.0, 3.0]))
    assert steps.findings() == ()
    assert Steps().findings() == ()
