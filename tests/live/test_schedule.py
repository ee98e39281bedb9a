"""When a watch reports and saves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.live.schedule import Rhythm, Timer

every = st.one_of(st.none(), st.integers(1, 9))


@given(every, every, st.integers(0, 50), st.integers(0, 50))
def test_pauses_are_after_every_multiple_of_either_number(reports, saves, count, more):
    """Against a plain walk over all sets."""
    periods = [period for period in (reports, saves) if period is not None]
    expected = [k for k in range(1, more + 1) if any((count + k) % period == 0 for period in periods)]
    assert Rhythm(report_sets=reports, save_sets=saves).pauses(count, more) == expected


def test_a_timer_rings_when_its_time_is_up_and_something_came(monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    timer, never = Timer(2.0, 0), Timer(None, 0)
    assert (timer.left, never.left) == (2.0, None)
    assert not timer.rings(5)
    now = 102.5
    assert timer.left == 0.0
    assert timer.rings(5)
    assert timer.left == 2.0
    now = 105.0
    assert not timer.rings(5)
    assert not never.rings(9)
    now = 107.0
    assert timer.rings(6)


@pytest.mark.parametrize(
    ("rest", "took", "left"),
    [(0.0, 0.5, 0.0), (20.0, 0.01, 0.24), (20.0, 0.03, 0.6), (20.0, 0.5, 1.0), (20.0, 3.0, 3.0)],
)
def test_the_rest_after_a_report_is_a_second_at_the_most_or_as_long_as_it_took(monkeypatch, rest, took, left):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    timer = Timer(0.25, 0, rest)
    now = 101.0
    assert timer.rings(1)
    now += took
    timer.done()
    assert timer.left == pytest.approx(left)
