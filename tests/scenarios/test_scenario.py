import numpy as np
import pytest

from vieta.errors import InputError
from vieta.laws import inputs, labels, motion, noise
from vieta.scenarios.scenario import Scenario


def test_parameters_are_kept_as_rows_that_cannot_be_written():
    mine = np.array([1.0, 2.0])
    scenario = Scenario("pair", "Two numbers.", theta=mine)
    mine[0] = 9.0
    assert scenario.theta.tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="read-only"):
        scenario.theta[0] = 0.0


def test_what_is_not_given_is_the_plainest():
    scenario = Scenario("pair", "Two numbers.", theta=np.array([1, 2]))
    assert scenario.noise == noise.Gaussian(1.0)
    assert scenario.inputs == inputs.Identity()
    assert scenario.labels == labels.Shuffled()
    assert scenario.motion == motion.Constant()
    assert scenario.n is None
    assert scenario.ours == ()


def test_laws_of_ones_own_need_only_draw():
    class Silence:
        def draw(self, rng, n, L, p):
            return np.zeros((n, L, p))

    law = Silence()
    assert Scenario("pair", "Two numbers.", theta=np.array([1, 2]), noise=law).noise is law


@pytest.mark.parametrize(
    ("settings", "code", "facts"),
    [
        ({"noise": 0.5}, "not-a-law", {"name": "noise", "value": 0.5}),
        ({"labels": "shuffled"}, "not-a-law", {"name": "labels", "value": "shuffled"}),
        ({"inputs": inputs.Gaussian}, "not-a-law", {"name": "inputs", "value": inputs.Gaussian}),
        ({"n": 0}, "not-a-count", None),
        ({"theta": np.zeros((0, 2))}, "parameters-shape", None),
    ],
)
def test_what_is_no_scenario_is_refused(settings, code, facts):
    asked = {"theta": np.array([1, 2])} | settings
    with pytest.raises(InputError) as caught:
        Scenario("a", "b", **asked)
    assert caught.value.code == code
    if facts:
        assert caught.value.facts == facts
