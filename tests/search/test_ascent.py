"""Climbing the likelihood."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.search.problems import draw, given
from vieta.search.ascent import climb
from vieta.search.problem import expect, regressed


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", ["normal", "season"])
def test_the_end_is_a_fixed_point_of_em_and_higher(kind, seed):
    sets, psi, theta = draw(kind, 3, 0.5, 200, seed)
    one = given(sets, psi, 0.5)
    found = climb(one, theta + 0.1, iterations=2000, gain=1e-10)
    assert_allclose(expect(one, found.theta).logs.sum(), found.likelihood)
    assert found.likelihood > expect(one, theta + 0.1).logs.sum()
    assert_allclose(regressed(one, expect(one, found.theta).readings), found.theta, atol=1e-4)


def test_each_iteration_may_be_the_last_and_none_goes_down():
    sets, psi, theta = draw("normal", 3, 1.0, 100, 0)
    one = given(sets, psi, 1.0)
    reached = [climb(one, theta + 0.5, iterations=n, gain=0.0).likelihood for n in range(12)]
    assert (np.diff(reached) >= 0.0).all()


def test_a_climb_that_cannot_reach_its_goal_is_given_up():
    sets, psi, theta = draw("normal", 3, 0.5, 200, 0)
    one = given(sets, psi, 0.5)
    whole = climb(one, theta + 0.3)
    given_up = climb(one, theta + 0.3, goal=whole.likelihood + 1000.0)
    assert given_up.likelihood < whole.likelihood
    assert climb(one, theta + 0.3, goal=whole.likelihood - 1.0).likelihood == whole.likelihood
