"""Readings as dots, systems as lines or marks, over numbers, counts, times and levels."""

import numpy as np
import pytest

from vieta.report.scatter import MOST_POINTS, Panel, panels_of, places, readings
from vieta.sets import as_data

THETA = np.array([[1.0, 2.0], [4.0, -1.0]])
AT = np.array([2.0, 1.0, 3.0])
ROWS = np.column_stack([np.ones(3), AT])
SETS = ROWS @ THETA.T


def drawn(panel, truth=None):
    figure = readings((panel,), THETA, truth)
    figure.draw_without_rendering()
    return figure, figure.axes[0]


def test_where_inputs_follow_the_axis_systems_are_lines():
    grid = np.array([1.0, 3.0])
    rows = np.column_stack([np.ones(2), grid])
    figure, ax = drawn(Panel("dose", AT, SETS, ROWS, grid, rows, value="kwh"), THETA + 1.0)
    first, second, *truth, dots = ax.lines
    np.testing.assert_array_equal(first.get_ydata(), rows @ THETA[0])
    np.testing.assert_array_equal(second.get_ydata(), rows @ THETA[1])
    assert [line.get_linestyle() for line in truth] == ["--", "--"]
    assert sorted(dots.get_ydata()) == sorted(SETS.ravel())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dose", "kwh")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["system 1", "system 2", "truth"]
    assert not figure.legends[0].get_window_extent().overlaps(ax.get_window_extent())


def test_where_they_depend_on_more_systems_are_marks_at_the_sets():
    _, ax = drawn(Panel("dose", AT, SETS, ROWS), THETA)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), ROWS @ THETA[0])
    assert {line.get_linestyle() for line in ax.lines} == {"None"}


def test_times_and_levels_have_axes_of_their_own():
    _, ax = drawn(Panel("date", AT * 30 * 86_400e6, SETS, ROWS, kind="time"))
    assert ax.lines[-1].get_xdata(orig=True).dtype.kind == "M"
    _, ax = drawn(Panel("group", np.array([0.0, 1.0, 0.0]), SETS, ROWS, kind="level", levels=("a", "$b$")))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "$b$"]
    across = ax.lines[-1].get_xdata()
    assert np.array_equal(np.round(across), np.repeat([0.0, 1.0, 0.0], 2))


def test_one_set_is_in_sight():
    _, ax = drawn(Panel("dose", AT[:1], SETS[:1], ROWS[:1], AT[:1], ROWS[:1]))
    assert [line.get_marker() for line in ax.lines[:2]] == ["_", "_"]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_several_panels(count):
    figure = readings((Panel("x" * 500, AT, SETS, ROWS),) * count, THETA)
    figure.draw_without_rendering()
    assert sum(bool(ax.lines) for ax in figure.axes) == min(count, 4)


@pytest.mark.parametrize("name", ["$", "a_b^2\\", "", "温度 🌡"])
def test_any_name_of_a_column_is_drawn(name):
    drawn(Panel(name, AT, SETS, ROWS, value=name))


def test_panels_of_sets_in_memory():
    rng = np.random.default_rng(0)
    sets, x = rng.normal(size=(5000, 2)), rng.normal(size=5000)
    (panel,) = panels_of(as_data(sets, np.column_stack([np.ones(5000), x])), ["dose"])
    assert panel.sets.size <= MOST_POINTS
    assert np.all(np.diff(panel.grid) >= 0)
    assert np.array_equal(panel.grid_rows[:, 1], panel.grid)
    (panel,) = panels_of(as_data(sets, None), [])
    assert (panel.label, panel.at[0], panel.at[-1]) == ("set", 1.0, 5000.0)
    assert panels_of(as_data(sets, rng.normal(size=(5000, 2))), ["a", "b"]) == ()
    assert panels_of(as_data(rng.normal(size=(9, 2, 2)), None), []) == ()
    (panel,) = panels_of(as_data([[1.0], [1.0, 2.0]], None), [])
    assert np.array_equal(panel.sets, [[1.0, np.nan], [1.0, 2.0]], equal_nan=True)
    assert len(places(10, 3)) == 3
