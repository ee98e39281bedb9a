"""Hops reach the right solution where random starts with the same work do not."""

import numpy as np
import pytest

from vieta.search.hopping import AGREED, hopped
from vieta.search.moves import local_solutions
from vieta.search.problem import alternate, problem


def months(seed, L=4, sd=0.05):
    """A year of L systems with three harmonics: twelve sets, seven unknowns each."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(12) / 12.0
    rows = np.column_stack([np.ones(12), *(wave(j * angle) for j in (1, 2, 3) for wave in (np.cos, np.sin))])
    theta = np.column_stack([rng.uniform(0.0, 4.0, L), 1.5 * rng.standard_normal((L, 6))])
    readings = np.sort(rows @ theta.T + sd * rng.standard_normal((12, L)), axis=1)
    return problem(readings[:, :, None], rows[:, None, :], np.eye(1) * sd**2), theta


@pytest.mark.parametrize("seed", range(4))
def test_hops_end_at_a_sum_of_squares_no_larger_than_that_of_the_truth(seed):
    given, theta = months(seed)
    rng = np.random.default_rng(0)
    starts = local_solutions(given, 200, rng)
    right = alternate(given, theta).cost
    assert starts[0].cost > 5.0 * right  # far off
    found = hopped(given, starts[:12], rng, 240)
    assert found[0].cost <= right + 1e-9
    assert [one.cost for one in found] == sorted(one.cost for one in found)


def test_without_hops_only_pairs_are_solved():
    given, _ = months(0)
    starts = local_solutions(given, 50, np.random.default_rng(0))[:5]
    assert len(hopped(given, starts, np.random.default_rng(0), 0)) == 5 + 4


def test_solutions_that_agree_end_the_search():
    given, theta = months(1, L=2)
    right = alternate(given, theta)
    assert len(hopped(given, [right] * 4, np.random.default_rng(0), 1000)) <= 8 + AGREED
