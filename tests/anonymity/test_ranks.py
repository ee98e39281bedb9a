"""Sorting as the best guess: that it is one, and how often it is right, against definitions and simulations of our own."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from vieta.anonymity import map_error, ranks
from vieta.anonymity.ranks import sorting
from vieta.laws import inputs
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT, Uniform

LAWS = [Gaussian(0.5), Laplace(0.5), Uniform(1.0), Skewed(1.0), Skewed(0.7, skewness=-1.0), Skewed(0.5, skewness=0.5)]


def at(theta):
    """The means of one input, of weight one."""
    return np.asarray(theta, float)[None, :, None], np.ones(1)


def shortfall(law, L, seed):
    """(n,) how much less likely than the best of all permutations the sorted one is, in nats."""
    rng = np.random.default_rng(seed)
    means = np.sort(rng.normal(size=L))
    y = np.sort(means + law.draw(rng, 2000, L, 1)[:, :, 0], axis=1)
    scores = np.array([law.log_density((y - means[list(s)])[..., None]).sum(axis=1) for s in permutations(range(L))])
    return scores.max(axis=0) - scores[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("L", [3, 4])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_no_permutation_is_more_likely_than_the_sorted_one(law, L, seed):
    assert shortfall(law, L, seed).max() < 1e-9


@pytest.mark.parametrize("law", [StudentT(1.0, df=3.0), Skewed(1.0, skewness=3.0)], ids=str)
def test_laws_that_are_not_log_concave_are_not_sorted(law):
    assert shortfall(law, 3, 0).max() > 0.1
    assert sorting(law, *at([0.0, 1.0, 2.0])) is None


def hits(theta, law, n, seed):
    """(n, L) whether each reading has the rank of its mean."""
    y = np.asarray(theta) + law.draw(np.random.default_rng(seed), n, len(theta), 1)[:, :, 0]
    return np.argsort(np.argsort(y, axis=1), axis=1) == np.argsort(np.argsort(theta))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("L", [3, 4, 9])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_how_often_ranks_are_kept(law, L, seed):
    theta = 1.5 * np.random.default_rng(seed).normal(size=L)
    found, hit = sorting(law, *at(theta)), hits(theta, law, 100_000, seed + 100)

    def agrees(exact, counted):
        return np.all(abs(exact - counted.mean(axis=0)) < 5 * counted.std(axis=0) / np.sqrt(len(counted)) + 1e-5)

    assert agrees(found.all, hit.all(axis=1))
    assert agrees(found.each, hit)
    assert not agrees(found.each * 0.95, hit)
    assert L > 4 or not agrees(found.all * 0.95, hit.all(axis=1))


@pytest.mark.parametrize("sd", [0.5, 1.0, 2.0, 10.0])
def test_two_systems_have_a_closed_form(sd):
    found = sorting(Gaussian(sd**2), *at([5.0, 4.0]))
    assert_allclose(1 - found.all, norm.sf(1 / (np.sqrt(2) * sd)), atol=2e-6)
    assert_allclose(found.each, found.all, atol=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_systems_that_coincide_are_in_any_order(law):
    found = sorting(law, *at([2.0] * 5))
    assert_allclose(found.all, 1 / factorial(5), rtol=1e-3)
    assert_allclose(found.each, 1 / 5, rtol=1e-3)


def test_only_near_systems_matter_and_no_number_is_too_large():
    near = sorting(Laplace(1.0), *at([0.0, 1.0]))
    far = sorting(Laplace(1e-20), *at([1e9, 0.0, -1e-10, 1e12]))
    assert_allclose(far.all, near.all, atol=1e-9)
    assert_allclose(far.each, [1.0, near.all, near.all, 1.0], atol=1e-9)


def test_inputs_are_averaged_over_in_their_own_orders():
    theta, psi = np.array([0.0, 1.0, 2.5]), [-1.0, 0.3, 2.0]
    one_by_one = [map_error(theta, Laplace(0.5), inputs=[x], draws=2) for x in psi]
    found = map_error(theta, Laplace(0.5), inputs=psi, draws=2)
    assert_allclose(found.probability, np.mean([one.probability for one in one_by_one]))
    assert_allclose(found.reidentification, np.mean([one.reidentification for one in one_by_one], axis=0))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_coarse_lattice_does_for_many_inputs(law, monkeypatch):
    means = at([0.0, 0.4, 1.0, 2.5])
    fine = sorting(law, *means)
    monkeypatch.setattr(ranks, "EASY", 1.0)
    coarse = sorting(law, *means)
    assert 0 < abs(coarse.all - fine.all) < 1e-3
    assert_allclose(coarse.each, fine.each, atol=1e-3)


def test_what_takes_too_long_is_simulated(monkeypatch):
    exact = map_error([0, 1, 2], 1.0, inputs=inputs.Gaussian(), draws=4000)
    monkeypatch.setattr(ranks, "MOST", 1e5)
    simulated = map_error([0, 1, 2], 1.0, inputs=inputs.Gaussian(), draws=4000)
    assert (exact.method, simulated.method) == ("ranks", "assignment and permanents")
    assert exact.mc_error == 0.0 < simulated.mc_error
    assert abs(exact.probability - simulated.probability) < 4.5 * simulated.mc_error


def test_where_sorting_is_not_the_best_guess():
    assert sorting(Gaussian([1.0, 2.0]), *at([0.0, 1.0])) is None
    assert sorting(Gaussian([2.0, 2.0]), *at([0.0, 1.0])) is not None
    assert sorting(Gaussian(0.0), *at([0.0, 1.0])) is None
    assert sorting(Gaussian(1.0), np.zeros((1, 3, 2)), np.ones(1)) is None
    assert sorting(StudentT(1.0), *at([0.0, 1.0])) is None
