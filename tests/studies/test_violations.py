"""The study of violations: each does to the sets what its name says; outcomes by hand; and a small version."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.running.study import Task
from studies.violations import STUDY
from studies.violations.limits import jump_limit, limit, walk_limit
from studies.violations.measure import one_run, pairs
from studies.violations.outcome import Outcome, faults, line
from studies.violations.rows import DESIGNS, ROWS, SD, VIOLATIONS, Noise, Row

N = 20_000


def draw(violation, design="1, x", seed=0, sets=N):
    return Row(violation, design, sets).draw(seed)


def noise(made):
    """(N, L) of the readings with labels."""
    return made.labeled - made.inputs @ made.truth.T


# --- data -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("violation", VIOLATIONS)
@pytest.mark.parametrize("design", DESIGNS)
def test_sets_have_the_readings_with_labels_in_another_order(violation, design):
    made = draw(violation, design, sets=200)
    assert len(made.sets) == len(made.inputs) == 200
    if made.labeled is not None:
        assert_array_equal(np.sort(made.sets, axis=1), np.sort(made.labeled, axis=1))
        assert not np.array_equal(made.sets, made.labeled)


@pytest.mark.parametrize(("shock", "memory"), [(0.0, 0.0), (0.3, 0.0), (0.8, 0.0), (0.0, 0.6), (0.5, 0.6)])
def test_noise_has_its_correlations(shock, memory):
    v = Noise(shock, memory).draw(N, 3, np.random.default_rng(1)) / SD
    tolerance = 5 * np.sqrt((1 + memory**2) / (1 - memory**2) / N)  # of products of AR(1) noise
    assert_allclose(v.var(axis=0), 1.0, atol=1.5 * tolerance)
    assert_allclose(np.corrcoef(v.T)[np.triu_indices(3, 1)], shock, atol=tolerance)
    assert_allclose((v[1:] * v[:-1]).mean(axis=0), memory, atol=1.5 * tolerance)


def test_other_violations_are_what_they_say():
    assert_allclose(noise(draw("sds .4, 1, 1.6")).std(axis=0) / SD, [0.4, 1.0, 1.6], rtol=0.03)
    jumped = draw("jump of 1 sd")
    assert_allclose(jumped.truth - DESIGNS["1, x"].theta, [[SD, 0], [0, 0], [0, 0]])
    assert_allclose(noise(jumped)[: N // 2].mean(axis=0) / SD, [-1, 0, 0], atol=0.05)
    assert_allclose(noise(jumped)[N // 2 :].mean(axis=0) / SD, 0, atol=0.05)
    walked = [
        draw("random walk, 0.01 sd a set", seed=seed, sets=400).truth - DESIGNS["1, x"].theta for seed in range(100)
    ]
    assert_allclose(np.std(walked) / SD, 0.2, rtol=0.15)  # 600 of them
    wrong = draw("input errors of 0.3 sd")
    slope = np.linalg.lstsq(wrong.inputs, wrong.labeled, rcond=None)[0][1]
    assert_allclose(slope, wrong.truth[:, 1] / 1.09, atol=0.05)  # attenuated by 1 + .3²
    twice = draw("a third of the sets repeat the one before")
    assert_allclose((np.diff(twice.sets, axis=0) == 0).all(axis=1).mean(), 1 / 3, atol=0.02)
    lost = draw("a lost member in 5 %")
    assert_allclose((np.diff(np.sort(lost.sets, axis=1), axis=1) == 0).any(axis=1).mean(), 0.05, atol=0.01)
    assert draw("clutter as a fourth member").sets.shape == (N, 4)
    some = draw("three of four systems")
    assert (some.sets.shape[1], len(some.truth)) == (3, 4)


# --- outcomes -------------------------------------------------------------------------------------------------------


def test_rows_are_paired_whatever_their_number():
    truth = np.array([[1.0], [3.0], [6.0]])
    for theta in (truth[[2, 0, 1]], truth[[2, 0]], np.vstack([truth[[2, 0, 1]], [[99.0]]])):
        ours, true = pairs(theta + 0.01, truth)
        assert len(ours) == min(len(theta), 3)
        assert_allclose(theta[ours], truth[true])
    ours, true = pairs(np.array([[1e200], [1.0], [-1e190]]), truth)
    assert (true[ours == 1], len(ours)) == (0, 3)


def run(z, covered=1.0, codes=(), error=None, squared=2.0, labeled=1.0):
    found = {"error": error, "codes": list(codes), "all": [], "z": z, "covered": covered, "squared": squared}
    return {"seed": 0, "labeled": labeled, "batch": found}


def test_an_outcome_by_hand():
    runs = [run([3.0, 0.0]), run([5.0, 1.0], 0.5, ["memory"]), run(None, None, error="too-few-sets", squared=None)]
    found = Outcome.of(runs, "batch")
    assert (found.runs, found.unknown, found.bias, found.coverage, found.ratio) == (3, 1, 4.0, 0.75, 2.0)
    assert_allclose([found.size, found.power, found.spread], [np.sqrt(17), 2 / 3, 0.25])
    row = Row("shock 0.5", "ψ", 500)
    assert set(faults(row, found)) == {"ratio", "power"}
    assert "| **2.00** | **67%** |  | 1 | memory 1, too-few-sets 1 |" in line(row, found)


def test_targets_are_missed_by_more_than_chance():
    sound = [run([0.5, -1.0], 0.95)] * 20
    clean = Row("none", "ψ", 500)
    assert faults(clean, Outcome.of(sound, "batch")) == {}
    assert set(faults(clean, Outcome.of([run([0.5], 0.8)] * 20, "batch"))) == {"coverage"}
    assert set(faults(clean, Outcome.of([run([0.5], 0.95, ["memory"])] * 20, "batch"))) == {"alarms"}
    said = [run([4.0], 0.0, ["change-in-batch"])] * 20
    assert faults(Row("jump of 1 sd", "ψ", 500), Outcome.of(said, "batch")) == {}


def test_a_filter_that_went_on_from_a_change_has_found_it():
    acted = run([2.5], 0.0)
    acted["batch"]["all"] = ["parameters-changed"]
    found = Outcome.of([acted, run([2.5], 0.0)], "batch")
    assert found.power == 0.5
    assert found.codes == {"parameters-changed": 1}


def test_what_no_test_can_find_is_not_asked_for():
    missed = Outcome.of([run([2.5], 0.0)] * 20, "batch")
    assert faults(Row("jump of 0.2 sd", "ψ", 500), missed) == {}  # at most 47 %
    assert set(faults(Row("input errors of 0.3 sd", "ψ", 500), missed)) == {"power"}
    assert "| 47% |" in line(Row("jump of 0.2 sd", "ψ", 500), missed)
    assert np.isnan(limit(Row("none", "ψ", 500), 0.3))
    assert limit(Row("random walk, 0.01 sd a set", "ψ", 500), 0.3) == pytest.approx(
        walk_limit(np.full(3, 5.0)), rel=0.02
    )


def test_limits_are_those_of_simulation():
    """Of labeled readings: a jump of known parameter and time; and a walk by its likelihood ratio, from paths and not from waves."""
    rng = np.random.default_rng(0)
    n, runs, far, z = 200, 4000, 5.0, 2.5758
    v = rng.normal(size=(runs, n))
    v[:, n // 2 :] += 2.0 * 3.0 / np.sqrt(n)  # the bias is three standard errors
    t = (v[:, n // 2 :].mean(axis=1) - v[:, : n // 2].mean(axis=1)) * np.sqrt(n / 4.0)
    assert_allclose((abs(t) > z).mean(), jump_limit(3.0), atol=4 * np.sqrt(0.25 / runs))
    walks = far / n * rng.normal(size=(2, runs, n)).cumsum(axis=2)
    steps = np.tril(np.ones((n, n))) * far / n
    values, vectors = np.linalg.eigh(_centred(steps @ steps.T))
    gain = values / (1.0 + values)
    still, moving = ((_centred_rows(rng.normal(size=(runs, n)) + m) @ vectors) ** 2 @ gain for m in (0.0, walks[0]))
    power = (moving > np.quantile(still, 0.95)).mean()
    assert_allclose(power, walk_limit(np.array([far]), 0.05), atol=0.04)


def _centred(matrix):
    return _centred_rows(_centred_rows(matrix).T)


def _centred_rows(rows):
    return rows - rows.mean(axis=1, keepdims=True)


# --- small ----------------------------------------------------------------------------------------------------------


def test_every_row_has_its_tasks_those_of_few_sets_first():
    tasks = STUDY.tasks(40)
    assert len(tasks) == len(set(tasks)) == 2 * len(ROWS)
    assert all("N=500;" in f"{task.row};" for task in tasks[: 2 * len(ROWS) // 3])


def test_small_version():
    rows = [Row(name, "1, x", 500) for name in ("none", "shock 0.8", "AR 0.6", "jump of 1 sd")]
    results = {Task(row.name, 0, 4): [one_run(row, seed) for seed in range(4)] for row in rows}
    json.dumps(list(results.values()))
    found = {row.violation: Outcome.of(results[Task(row.name, 0, 4)], "batch") for row in rows}
    assert found["none"].power == 0.0
    assert found["jump of 1 sd"].power == 1.0
    for name in ("none", "shock 0.8", "AR 0.6"):
        assert found[name].coverage > 0.75  # 24 intervals, of which those of a run go together
    assert found["jump of 1 sd"].size > 2.2
    page = STUDY.conclude(results).table
    assert "## 1, x, 500 sets, batch" in page
    assert page.count("\n| shock 0.8 |") == 2
