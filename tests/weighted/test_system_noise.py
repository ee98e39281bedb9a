"""The noise of each system: against the truth, for any law, and silence where the sets do not tell it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.sum_regression import regress
from vieta.weighted.system_noise import directions, noise_sd, variances

THETA = np.array([[0.0, 1.0], [2.0, -1.0], [4.0, 3.0]])
SD = np.array([0.2, 0.4, 0.8])
LAWS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
}


def found(rng, n, law, sd=SD, theta=THETA):
    X = np.stack([np.ones(n), rng.standard_normal(n)], axis=1)
    passes = in_memory(as_data(np.sort(X @ theta.T + sd * LAWS[law](rng, (n, 3)), axis=1), X))
    return noise_sd(passes, theta, regress(passes))


@pytest.mark.parametrize("law", LAWS)
def test_deviations_are_those_of_the_systems(law):
    got = np.array([found(np.random.default_rng(seed), 2000, law) for seed in range(12)])
    error = got.std(axis=0) / np.sqrt(12)
    assert np.all(abs(got.mean(axis=0) - SD) < 5 * error + 0.01 * SD)
    assert np.all(error < 0.03 * SD)
    assert not np.all(abs(got.mean(axis=0) - np.sqrt(np.mean(SD**2))) < 5 * error + 0.01)  # a common one fails


def test_one_system_may_have_nearly_all_of_the_noise():
    """The equations have a second solution, (2.3, 4.3, .1), with a larger misfit: steps from equal variances end there in 8 of these 10."""
    theta, sd = np.array([[0.0, 1.0], [2.0, -0.5], [5.0, 2.0]]), np.array([5.0, 1.0, 0.1])
    got = np.array([found(np.random.default_rng([seed, 500]), 500, "normal", sd, theta) for seed in range(10)])
    assert np.all(abs(np.log(got / sd)) < 0.7)


def test_deviations_do_not_depend_on_the_order_of_systems_or_readings():
    rng = np.random.default_rng(1)
    X = np.stack([np.ones(400), rng.standard_normal(400)], axis=1)
    y = X @ THETA.T + SD * rng.standard_normal((400, 3))
    passes = [in_memory(as_data(one, X)) for one in (y, y[:, [2, 0, 1]])]
    first = noise_sd(passes[0], THETA, regress(passes[0]))
    assert_allclose(noise_sd(passes[1], THETA[[1, 2, 0]], regress(passes[1])), first[[1, 2, 0]], rtol=1e-8)


def test_systems_that_coincide_do_not_tell_whose_noise_it_is():
    same = np.array([[0.0, 1.0], [0.0, 1.0], [40.0, 3.0]])
    got = found(np.random.default_rng(2), 300, "normal", theta=same)
    assert abs(got[2] / SD[2] - 1.0) < 0.2


def test_one_system_has_all_the_noise_and_many_have_none():
    rng = np.random.default_rng(3)
    passes = in_memory(as_data(1.0 + 0.5 * rng.standard_normal((1000, 1)), None))
    assert_allclose(noise_sd(passes, np.ones((1, 1)), regress(passes)), 0.5, rtol=0.1)
    theta = np.arange(31.0)[:, None]
    passes = in_memory(as_data(theta.T + rng.standard_normal((40, 31)), None))
    assert np.isnan(noise_sd(passes, theta, regress(passes))).all()


def test_vectors_have_the_root_of_their_mean_variance():
    rng = np.random.default_rng(4)
    theta = np.array([[0.0, 0.0], [5.0, 3.0], [-4.0, 6.0]])
    sets = theta + SD[:, None] * np.array([0.6, 1.28]) * rng.standard_normal((3000, 3, 2))
    passes = in_memory(as_data(sets, None))
    assert_allclose(noise_sd(passes, theta, regress(passes)), SD, rtol=0.1)


@pytest.mark.parametrize("p", [1, 2, 4])
def test_directions_have_length_one_and_weigh_coordinates_alike_in_the_plane(p):
    u = directions(p)
    assert_allclose((u**2).sum(axis=1), 1.0)
    assert len(u) == 3 * p - 2


def test_the_expected_squares_are_those_of_brute_force():
    """E v_i² by simulation, with m_i as node, against the product that the module states."""
    rng = np.random.default_rng(5)
    m = np.array([0.0, 0.5, 2.0])
    y = m + SD * rng.standard_normal((400_000, 3))
    v = np.prod(y[:, :, None] - m, axis=1) ** 2
    expected = np.prod((m[:, None] - m) ** 2 + SD[:, None] ** 2, axis=0)
    assert np.all(abs(v.mean(axis=0) - expected) < 5 * v.std(axis=0) / np.sqrt(len(v)))
    got = variances(y[:20_000], np.tile(m, (20_000, 1)), float(np.mean(SD**2)), 20_000)
    assert_allclose(np.exp(got.logarithms) * np.mean(SD**2), SD**2, rtol=0.25)
