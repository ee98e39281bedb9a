"""Whether another solution explains the sets as well."""

import numpy as np
import pytest

from tests.search.problems import draw, given
from vieta.search.moves import DIFFERENT
from vieta.search.problem import distance
from vieta.search.rivals import rivals


@pytest.mark.parametrize("seed", range(5))
def test_a_solution_that_is_far_less_likely_is_excluded(seed):
    sets, psi, theta = draw("season", 3, 0.2, 300, seed)
    one = given(sets, psi, 0.2)
    wrong = theta.copy()
    wrong[[0, 1], 1] = theta[[1, 0], 1]
    best, found = rivals(one, wrong, [theta])
    assert not found
    assert distance(one, best.theta, theta) < DIFFERENT < distance(one, wrong, theta)


@pytest.mark.parametrize("seed", range(5))
def test_solutions_with_the_same_sets_are_rivals(seed):
    """[1, b] with b in {0, 1}: pairing is open, so the other pairing is exactly as likely."""
    rng = np.random.default_rng(seed)
    rows = np.stack([np.ones(200), rng.integers(0, 2, size=200)], axis=1)
    one, two = np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([[0.0, 4.0], [2.0, -1.0]])
    sets = rng.permuted(rows @ one.T + 0.2 * rng.normal(size=(200, 2)), axis=1)
    _, found = rivals(given(sets[:, :, None], rows[:, None], 0.2), one, [two])
    assert len(found) == 1
    assert abs(found[0].behind) < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_another_place_on_the_same_hill_is_no_rival(seed):
    sets, psi, theta = draw("normal", 2, 1.0, 60, seed)
    one = given(sets, psi, 1.0)
    assert not rivals(one, theta, [theta + 0.05, theta - 0.02])[1]
