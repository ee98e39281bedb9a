"""The score test: its statistic by a regression that is written out, its level by simulation."""

import numpy as np
import pytest

from vieta.adaptive.assumed_scores import Scored, score_test


def test_the_statistic_is_that_of_residuals():
    rng = np.random.default_rng(0)
    h, t = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    t += h @ rng.normal(size=(3, 2)) + 0.3
    left = t - h @ np.linalg.lstsq(h, t, rcond=None)[0]
    S, V = left.sum(axis=0), left.T @ left
    found = score_test(Scored.of(np.hstack([h, t])), np.arange(3), np.array([3, 4]))
    assert found.statistic == pytest.approx(S @ np.linalg.solve(V, S))
    assert found.df == 2
    assert found.z == pytest.approx(np.sqrt(found.statistic))


def test_what_is_explained_is_left_out():
    h = np.random.default_rng(1).normal(size=(40, 2))
    found = score_test(Scored.of(np.column_stack([h, h.sum(axis=1)])), np.arange(2), np.array([2]))
    assert (found.df, found.p_value) == (0, 1.0)


@pytest.mark.parametrize("seed", [0, 1])
def test_level_and_power(seed):
    """Of 1000 tests without a cause 5 % reject, within 4 standard errors; with one, most."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(2)
    for _ in range(1000):
        h = rng.exponential(size=(200, 2)) - 1.0
        t = h[:, :1] + rng.exponential(size=(200, 2)) - 1.0
        for k, shift in enumerate((0.0, 0.3)):
            told = score_test(Scored.of(np.hstack([h, t + shift])), np.arange(2), np.array([2, 3]))
            rejected[k] += told.p_value < 0.05
    assert abs(rejected[0] - 50.0) < 4.0 * np.sqrt(1000 * 0.05 * 0.95) + 10.0
    assert rejected[1] > 800


def test_blocks_add():
    g = np.random.default_rng(2).normal(size=(30, 4))
    both = Scored.of(g[:11]) + Scored.of(g[11:])
    assert np.allclose(both.products, Scored.of(g).products)
    assert np.allclose(both.totals, Scored.of(g).totals)
