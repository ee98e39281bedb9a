"""Memory over time: sums that join, a test of known level, and a covariance against theory and simulation."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import lfilter

from vieta.long_run import LAGS, WINDOWS, Lagged, Persistence, Remembered, long_run


def noise(rng, shape, rho):
    """Autoregressive noise of variance one."""
    return lfilter([np.sqrt(1 - rho**2)], [1, -rho], rng.standard_normal((300 + shape[0], *shape[1:])), axis=0)[300:]


@pytest.mark.parametrize("cuts", [(), (1,), (3, 4, 5, 40), (20, 21), (50,)])
def test_blocks_join_as_if_they_had_been_one(cuts):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((57, 2, 2))
    parts = np.split(rows, cuts)
    whole, joined = Persistence.of(rows), reduce(add, map(Persistence.of, parts))
    for name in ("totals", "squares", "head", "tail"):
        assert_allclose(getattr(joined, name), getattr(whole, name), atol=1e-12)
    whole, joined = Lagged.of(rows.reshape(57, 4)), reduce(add, [Lagged.of(part.reshape(-1, 4)) for part in parts])
    for name in ("count", "products", "head", "tail"):
        assert_allclose(getattr(joined, name), getattr(whole, name), atol=1e-12)


def test_sums_are_those_of_a_loop():
    rng = np.random.default_rng(1)
    s = rng.standard_normal((20, 3, 2))
    found, lagged = Persistence.of(s), Lagged.of(s.reshape(20, 6))
    for w, (near, far) in enumerate(WINDOWS):
        c = [sum(s[k] * s[k - j] for j in range(near, far + 1) if k >= j) + np.zeros((3, 2)) for k in range(20)]
        c = np.array([one.sum(axis=0) for one in c])
        assert_allclose(found.totals[w], c.sum(axis=0))
        assert_allclose(found.squares[w], (c**2).sum(axis=0))
    for j in range(LAGS + 1):
        a = s.reshape(20, 6)
        assert_allclose(lagged.products[j], sum(np.outer(a[k], a[k - j]) for k in range(j, 20)))


@pytest.mark.parametrize("draw", ["standard_normal", "standard_cauchy"])
def test_memory_is_found_where_it_is_and_hardly_ever_where_it_is_not(draw):
    rng = np.random.default_rng(2)
    clean = [Persistence.of(getattr(rng, draw)((60, 3, 2))).found for _ in range(1000)]
    assert sum(clean) <= 14  # a level of 0.5 %, four standard errors
    lasting = [Persistence.of(noise(rng, (200, 3, 2), 0.3)).found for _ in range(50)]
    assert np.mean(lasting) > 0.9
    assert not Persistence.of(np.ones((10, 3, 2))).found  # too few


@pytest.mark.parametrize(
    ("ar", "ma"), [([1, -0.6], [1]), ([1, -0.9], [1]), ([1, -1.2, 0.5], [1]), ([1, -0.6], [1, 0.7])]
)
def test_the_long_run_variance_is_that_of_the_spectrum_at_zero(ar, ma):
    rng = np.random.default_rng(3)
    N = 100_000
    rows = lfilter(ma, ar, rng.standard_normal((N, 2)), axis=0)
    expected = (sum(ma) / sum(ar)) ** 2
    sums = Lagged.of(rows)
    assert_allclose(np.diag(long_run(sums, 1).cov) / N, expected, rtol=0.06)
    assert not np.allclose(np.diag(sums.products[0]) / N, expected, rtol=0.3)  # the plain one fails


def test_scores_under_a_season_and_a_trend_have_the_covariance_of_their_sums():
    """Against the exact covariance X'RX of sums of x(k) v(k), R the correlations of the noise."""
    N, rho = 1000, 0.8
    t = np.arange(N)
    X = np.stack([np.ones(N), t / N, np.cos(2 * np.pi * t / 12), np.sin(2 * np.pi * t / 12)], axis=1)
    exact = X.T @ rho ** abs(t[:, None] - t) @ X
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(40):
        found = long_run(Lagged.of(X * noise(rng, (N, 1), rho)), 4)
        ratios.append(np.diag(found.cov) / np.diag(exact))
    error = np.std(ratios, axis=0) / np.sqrt(40)
    assert np.all(abs(np.mean(ratios, axis=0) - 1.0) < 5.0 * error + 0.05)


def test_a_walk_that_never_forgets_has_a_large_but_finite_variance():
    rng = np.random.default_rng(5)
    rows = np.cumsum(rng.standard_normal((400, 1)), axis=0)
    sums = Lagged.of(rows - rows.mean())
    assert 20.0 < long_run(sums, 1).cov[0, 0] / sums.products[0, 0, 0] < np.inf
    assert long_run(Lagged.of(np.zeros((50, 2))), 1).cov.max() == 0.0


def test_growth_is_that_of_the_sums_of_each_column():
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.normal(size=4000), lfilter([1.0], [1.0, -0.6], rng.normal(size=4000))])
    parts = [Remembered.of(part) for part in np.split(rows, [700, 703, 2500])]
    assert_allclose(reduce(add, parts).growth, Remembered.of(rows).growth, rtol=1e-9)
    assert_allclose(Remembered.of(rows).growth, [1.0, 2.0], rtol=0.15)  # (1 + 0.6) / (1 - 0.6) is 4
    assert_allclose(Remembered.of(rows[:, :1]).growth, 1.0)
