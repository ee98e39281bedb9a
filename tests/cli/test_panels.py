"""Which panels show the readings of files, against the inputs that the estimator had."""

import datetime as dt

import numpy as np
import pytest

from vieta.cli.panels import MOST_CYCLES, SHOWN_CYCLES, panels
from vieta.files.layout import Wishes
from vieta.files.reader import reader


def file(tmp_path, n=48, L=2, hours=None):
    """Long rows: date, k, y, x, group, one."""
    rng = np.random.default_rng(0)
    rows = ["date,k,y,x,group,one"]
    for k in range(n):
        when = dt.datetime(2020, 1 + k % 12, 1).replace(year=2020 + k // 12) if hours is None else None
        when = when or dt.datetime(2020, 1, 1) + dt.timedelta(hours=k)
        x, group = rng.uniform(), "abc"[rng.integers(3)]
        rows += [f"{when},{k},{rng.normal():.3f},{x:.4f},{group},1" for _ in range(L)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def shown(path, **wishes):
    stream = wishes.pop("stream", None)
    with reader([path], Wishes(**({"value": ("y",), "set": "date"} | wishes)), stream=stream) as source:
        data = source.all().data
        return panels(source, len(data), data.n_systems), data, source.layout


@pytest.mark.parametrize(
    ("wishes", "labels", "lines"),
    [
        ({}, ["set"], [True]),
        ({"input": ("x",), "intercept": True}, ["x"], [True]),
        ({"input": ("x", "k")}, ["x", "k"], [False, False]),
        ({"input": ("x", "one")}, ["x"], [True]),
        ({"input": ("one",), "trend": True}, ["date", "one"], [True, False]),
        ({"input": ("group",)}, ["group"], [False]),
        ({"input": ("x", "group")}, ["x"], [False]),
        ({"trend": True}, ["date"], [True]),
        ({"trend": True, "season": ("year",), "harmonics": 2}, ["date"], [True]),
        ({"season": ("year",)}, ["date", "months into the year"], [True, True]),
        ({"season": ("12",)}, ["set", "set, modulo 12"], [True, True]),
        ({"season": ("12",), "time": "k"}, ["k", "k, modulo 12"], [True, True]),
        ({"season": ("year",), "input": ("x",)}, ["date", "x"], [False, False]),
    ],
)
def test_what_is_shown_for_which_inputs(tmp_path, wishes, labels, lines):
    found, data, layout = shown(file(tmp_path), **wishes)
    assert [panel.label for panel in found] == labels
    assert [panel.grid is not None for panel in found] == lines
    for panel in found:
        np.testing.assert_array_equal(panel.rows, data.inputs.reshape(len(data), -1))
        np.testing.assert_array_equal(panel.sets, data.sets[:, :, 0])
        assert panel.value == "y"
        if panel.grid is not None:  # the line passes through what the inputs are at the sets
            for j in range(panel.rows.shape[1]):
                along = np.interp(panel.at, panel.grid, panel.grid_rows[:, j])
                np.testing.assert_allclose(along, panel.rows[:, j], atol=0.03)
    assert layout.regressors or not wishes


def test_a_long_record_is_thinned_and_a_short_season_is_seen_by_its_first_periods(tmp_path):
    n = 24 * (MOST_CYCLES + 5)
    found, data, _ = shown(file(tmp_path, n, 3, hours=True), season=("day",), trend=True, stream=True)
    time, part = found
    assert (time.kind, time.note) == ("time", "the first of them")
    assert abs(len(time.at) - 24 * SHOWN_CYCLES) <= 1
    assert np.all(np.diff(time.at) == 3600e6)
    assert part.label == "hours into the day"
    assert part.sets.size <= 3000 < data.readings.size
    assert part.grid is None  # it depends on the trend too
    assert set(np.round(part.at)) == set(range(24))


def test_readings_that_are_pairs_are_not_shown(tmp_path):
    assert shown(file(tmp_path), value=("y", "x"))[0] == ()


@pytest.mark.parametrize("stream", [False, True])
def test_incomplete_sets_are_shown_with_gaps(tmp_path, stream):
    path = tmp_path / "a.csv"
    path.write_text("date,y,x,one\n0,1,0.5,1\n0,2,0.5,1\n1,,0.7,1\n2,3,0.9,1\n")
    found, _, _ = shown(str(path), input=("x", "one"), stream=stream, systems=2)
    assert [panel.label for panel in found] == ["x"]  # not over what is the same in all sets
    expected = [[1.0, 2.0], [np.nan, np.nan], [3.0, np.nan]]
    assert np.array_equal(found[0].sets, expected, equal_nan=True)
