import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta import scenarios
from vieta.laws import inputs, motion, noise
from vieta.scenarios import simulate

OURS = ("lines", "regressions", "crowd", "matrix-inputs", "switching", "heavy-tails", "radar-like", "silent-meters")

INCOMPLETE = ("radar-like", "silent-meters")


def test_the_paper_comes_first():
    assert scenarios.names() == ("example-1", "example-2", "example-3", "example-4", *OURS)
    assert tuple(scenarios.listing()) == scenarios.names()


@pytest.mark.parametrize("name", scenarios.names())
def test_every_scenario_runs_and_explains_itself(name):
    scenario = scenarios.get(name)
    records = simulate(name, n=50, seed=3)
    assert records.readings.shape[:2] == (50, len(scenario.theta))
    assert_array_equal(np.isfinite(records.sets).reshape(50, -1).any(axis=1), records.sizes > 0)
    assert records.is_complete == (name not in INCOMPLETE)
    assert scenarios.listing()[name] == scenario.description == records.note
    assert scenario.n >= 1_000
    assert scenario.ours
    assert all(line.endswith(".") and "\n" not in line for line in (scenario.description, *scenario.ours))
    assert_array_equal(scenario.theta, scenario.theta[np.lexsort(scenario.theta.T[::-1])])


@pytest.mark.parametrize("name", OURS)
def test_what_is_not_in_the_paper_says_so(name):
    assert "not in the paper" in scenarios.get(name).ours[0]


def test_example_1():
    s = scenarios.get("example-1")
    assert_array_equal(s.theta.ravel(), [-2, 5, 8])
    assert s.noise == noise.Gaussian(0.01**2)
    assert s.inputs == inputs.Gaussian(0.0, 1.0)
    assert s.n == 200_000


def test_example_2_jumps_after_300_000_sets():
    s = scenarios.get("example-2")
    assert s.noise == noise.Laplace(4.0)
    assert s.motion == motion.Jump(at=300_000, to=(1, 3))
    path = simulate(s, 300_001).theta_path
    assert_array_equal(path[299_999].ravel(), [4, 5])
    assert_array_equal(path[300_000].ravel(), [1, 3])


def test_example_3():
    s = scenarios.get("example-3")
    assert_array_equal(s.theta, [[-2, 6], [4, 5]])
    assert simulate(s, 4).inputs.shape == (4, 2, 2)
    assert s.noise == noise.Gaussian(0.1**2)


def test_example_4():
    s = scenarios.get("example-4")
    assert s.theta.shape == (4, 10)
    assert_array_equal(s.theta.sum(axis=1), [75, 64, 49, 203])
    assert_allclose(simulate(s, 5_000).readings.mean(axis=0), s.theta, atol=5 * 0.1 / np.sqrt(5_000))


def test_lines_cross():
    readings = simulate("lines").readings
    assert_array_equal(np.argsort(readings[0]), [0, 1, 2])
    assert_array_equal(np.argsort(readings[-1]), [2, 1, 0])


def test_switching_visits_every_state():
    path = simulate("switching").theta_path
    assert {tuple(row) for row in path[..., 0].tolist()} == {(1, 3), (4, 5), (-2, 0)}


def test_scenarios_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        scenarios.get("crowd").theta[0] = 1.0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Example-2", "Near it: 'example-2'"),
        ("crowds", "Near it: 'crowd'"),
        ("zzz", r"There is no scenario 'zzz'\. All of them: 'example-1', .*'heavy-tails'"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(name, text):
    with pytest.raises(ValueError, match=text):
        scenarios.get(name)
