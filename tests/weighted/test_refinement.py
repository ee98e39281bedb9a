"""The refined estimate: better than the values alone, honest about it, and given up where its assumption fails."""

import numpy as np
import pytest

from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve
from vieta.weighted.refinement import HEAVIEST, STEEPEST, held, refine

LAWS = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: rng.laplace(scale=np.sqrt(0.5), size=shape),
    "skewed": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
    "shared-scale": lambda rng, shape: rng.standard_normal(shape) * np.where(rng.random((shape[0], 1)) < 0.1, 3.0, 1.0),
}


def sample(theta, sd, n, seed, law="gaussian"):
    rng = np.random.default_rng(seed)
    theta = np.asarray(theta, dtype=float)
    rows = rng.standard_normal((n, theta.shape[1]))
    sets = rows @ theta.T + np.asarray(sd) * LAWS[law](rng, (n, len(theta)))
    return as_data(rng.permuted(sets, axis=1), rows if theta.shape[1] > 1 else rows[:, 0])


def both(theta, sd, n, seed, law="gaussian"):
    passes = in_memory(sample(theta, sd, n, seed, law))
    found = solve.fit(passes)
    return found, refine(passes, found)


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
@pytest.mark.parametrize("seed", range(3))
def test_close_systems_gain_what_theory_says(law, seed):
    """Computed limits for (4, 5), sd 2: 2.56 for the values alone, 2.02 and 2.28 with products."""
    old, new = both([[4.0], [5.0]], 2.0, 20_000, seed, law)
    expected = {"gaussian": 2.02, "laplace": 2.28}[law] / 2.56
    ratio = np.trace(new.cov) / np.trace(old.cov)
    if not new.contradicted:
        assert abs(ratio - expected) < 0.1
    assert ratio <= 1.0


def errors(theta, sd, n, law, runs):
    old_squares, new_squares, standardized = [], [], []
    for seed in range(runs):
        old, new = both(theta, sd, n, seed, law)
        a, b = (np.sort(one.theta[:, 0]) - np.sort(np.ravel(theta)) for one in (old, new))
        order = np.argsort(new.theta[:, 0])
        old_squares.append(a @ a)
        new_squares.append(b @ b)
        standardized.append(b**2 / np.diag(new.cov)[order])
    return np.array(old_squares), np.array(new_squares), np.array(standardized).mean(axis=1)


@pytest.mark.parametrize("law", ["gaussian", "skewed"])
def test_standard_errors_are_true(law):
    _, _, ratios = errors([[-2.0], [5.0], [8.0]], 1.0, 1500, law, runs=80)
    error = ratios.std() / np.sqrt(len(ratios))
    assert abs(ratios.mean() - 1.0) < 4.0 * error
    assert not abs(ratios.mean() - 2.0) < 4.0 * error


def test_lopsided_noise_makes_it_far_better_than_the_values_alone():
    old, new, _ = errors([[-2.0], [5.0], [8.0]], 1.0, 3000, "skewed", runs=100)
    gain = old - 1.15 * new
    assert gain.mean() > 2.0 * gain.std() / np.sqrt(len(gain))  # 1.9 times as accurate in the long run


def test_finds_a_variance_a_system():
    old, new = both([[-2.0], [5.0], [8.0]], [0.5, 1.5, 0.8], 20_000, 0)
    order = np.argsort(new.theta[:, 0])
    np.testing.assert_allclose(new.variances[order], [0.25, 2.25, 0.64], rtol=0.08)
    assert not np.allclose(np.full(3, old.noise[0, 0]), [0.25, 2.25, 0.64], rtol=0.08)


def test_several_parameters_a_system():
    truth = np.array([[1.0, 2.0, -1.0], [-1.0, 0.5, 2.0]])
    old, new = both(truth, 1.0, 10_000, 1)
    order = np.argsort(new.theta[:, 0])
    z = (new.theta[order] - truth[[1, 0]]).ravel() / np.sqrt(np.diag(new.cov).reshape(2, 3)[order].ravel())
    assert abs(z).max() < 4.5
    assert new.contradicted or np.trace(new.cov) < np.trace(old.cov)


@pytest.mark.parametrize("seed", range(3))
def test_a_spread_that_all_systems_share_is_noticed_and_the_values_alone_decide(seed):
    old, new = both([[-2.0], [5.0], [8.0]], 1.0, 60_000, seed, "shared-scale")
    assert new.contradicted
    assert new.theta is old.theta


def test_chance_rarely_contradicts():
    told = [both([[-2.0], [5.0], [8.0]], 1.0, 1500, 100 + seed, "gaussian")[1].contradicted for seed in range(60)]
    assert sum(told) <= 4  # 0.6 expected; more than 4 in one case of 3,000


def test_leaves_alone_what_it_cannot_improve():
    few = both([[4.0], [5.0]], 0.2, 100, 0)
    many = both(np.arange(6.0)[:, None], 0.1, 2000, 0)
    exact = both([[4.0], [5.0]], 0.0, 500, 0)
    for old, new in (few, many, exact):
        assert new.theta is old.theta
        assert not new.contradicted


@pytest.mark.parametrize("blocks", [2, 7])
def test_blocks_give_what_all_sets_give(blocks):
    data = sample([[-2.0], [5.0], [8.0]], [0.5, 1.5, 0.8], 3000, 3)
    found = solve.fit(in_memory(data))
    one, many = refine(in_memory(data), found), refine(in_memory(data, blocks), found)
    for name in ("theta", "cov", "variances"):
        np.testing.assert_allclose(getattr(many, name), getattr(one, name), rtol=1e-11, atol=1e-15)
    part = refine(in_memory(data.part(0, 2900)), found)
    assert not np.allclose(part.theta, one.theta, rtol=1e-9, atol=0.0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0.0, 3.0), (0.0, 3.0)),
        ((2.0, 9.0), (2.0, 9.0)),
        ((-9.0, 500.0), (-STEEPEST, HEAVIEST)),
        ((2.0, 1.0), (2.0, 5.2)),  # no law has a kurtosis below 1 + skewness²
    ],
)
def test_weights_are_held_to_laws_that_exist(given, expected):
    np.testing.assert_allclose(held(*given), expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_last_pass_tests_independence_as_a_pass_of_its_own_would(seed):
    from vieta.weighted.shock_test import dependence_test

    passes = in_memory(sample([[-2.0], [5.0], [8.0]], 1.0, 4000, seed))
    new = refine(passes, solve.fit(passes))
    own = dependence_test(passes, 4000, new.theta, new.variances, (0.0, 3.0))
    assert new.dependence.settled
    np.testing.assert_allclose(new.dependence.stderr, own.stderr, rtol=0.05)
    assert abs(new.dependence.z - own.z) < 0.1
