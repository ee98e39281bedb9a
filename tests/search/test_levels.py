"""Where inputs repeat, averages under each of them are a small problem whose solutions are starts of the large one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.matching import match_rows
from vieta.search.exchanges import different_rows
from vieta.search.levels import averaged, level_solutions
from vieta.search.problem import distance, problem


def seasons(seed, L, n, harmonics=3, sd=0.3):
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(n) / 12.0
    waves = [wave(j * angle) for j in range(1, harmonics + 1) for wave in (np.cos, np.sin)]
    rows = np.column_stack([np.ones(n), *waves])
    theta = np.column_stack([rng.uniform(0.0, 4.0, L), 1.5 * rng.standard_normal((L, 2 * harmonics))])
    return rng.permuted(rows @ theta.T + sd * rng.standard_normal((n, L)), axis=1), rows, theta


def test_averages_are_those_of_sorted_sets_with_their_weights():
    sets, rows, _ = seasons(0, 3, 50)
    given = problem(np.sort(sets, axis=1)[:, :, None], rows[:, None, :], np.eye(1))
    small = averaged(given)
    assert small.sets.shape == (12, 3, 1)
    first, group = different_rows(rows)
    for r, at in enumerate(first):
        mine = group == r
        assert_allclose(small.psi[r, 0], rows[at] * np.sqrt(mine.sum()), atol=1e-12)
        assert_allclose(small.sets[r, :, 0], np.sort(sets[mine], axis=1).mean(axis=0) * np.sqrt(mine.sum()))


def test_inputs_that_do_not_repeat_and_vectors_have_no_levels():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 1, 2))
    assert averaged(problem(rng.standard_normal((40, 3, 1)), rows, np.eye(1))) is None
    assert level_solutions(problem(rng.standard_normal((40, 3, 1)), rows, np.eye(1)), rng) == []
    twice = np.repeat(rng.standard_normal((2, 2, 2)), 20, axis=0)
    assert averaged(problem(rng.standard_normal((40, 3, 2)), twice, np.eye(2))) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_is_among_the_first_solutions(seed):
    sets, rows, theta = seasons(seed, 4, 500)
    given = problem(np.sort(sets, axis=1)[:, :, None], rows[:, None, :], np.eye(1) * 0.09)
    found = level_solutions(given, np.random.default_rng(0))
    assert min(distance(given, one, theta) for one in found) < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_months_with_three_harmonics_are_fitted_right(seed):
    """Twelve different inputs for seven unknowns a system: most pairings of the values of two months are nearly as good."""
    sets, rows, theta = seasons(seed, 4, 500)
    found = vieta.fit(sets, rows)
    own, true = found.theta @ rows.T, theta @ rows.T
    off = np.sqrt(((own[match_rows(own, true, unit=1.0)] - true) ** 2).mean(axis=1)) / 0.3
    assert off.max() < 0.5
