"""What added noise buys and costs, level by level against the two predictions it puts side by side."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from vieta import theory
from vieta.anonymity import map_error, tradeoff
from vieta.anonymity.tradeoff import analyst_error, louder, single
from vieta.laws import inputs
from vieta.laws.noise import Finite, Gaussian, Laplace, Skewed, Uniform


def test_two_systems_have_the_closed_form_at_every_level():
    added = np.array([0.0, 0.3, 1.0, 5.0])
    found = tradeoff([4, 5], 0.25, added=added)
    assert_allclose(found.error, norm.sf(1 / np.sqrt(2 * (0.25 + added**2))))
    assert_allclose(found.anonymity, 2 * found.error)
    assert_allclose(found.single_anonymity, found.anonymity)  # the same thing for two
    assert_allclose(found.reidentification, 1 - np.stack([found.error, found.error], axis=1))


@pytest.mark.parametrize("seed", [0, 1])
def test_every_level_is_the_law_with_its_variance_raised(seed):
    theta, added = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [0.0, 0.7]
    C = np.array([[0.5, 0.2], [0.2, 0.4]])
    found = tradeoff(theta, C, added=added, inputs=inputs.Gaussian(), draws=500, seed=seed)
    for i, a in enumerate(added):
        raised = C + a**2 * np.eye(2)
        error = map_error(theta, raised, inputs=inputs.Gaussian(), draws=500, seed=seed)
        assert_allclose(found.error[i], error.probability)
        assert_allclose(found.error_mc_error[i], error.mc_error)
        assert_allclose(found.analyst[i], theory.efficient_covariance(theta, raised, inputs.Gaussian()).stderr(1))


def test_noise_buys_anonymity_and_costs_accuracy():
    found = tradeoff([-2, 5, 8], 0.25, inputs=inputs.Gaussian(), draws=1000)
    assert found.added[0] == 0.0
    assert len(found.added) == 11
    assert np.all(np.diff(found.anonymity) > 0)
    assert np.all(np.diff(found.single_anonymity) > 0)
    assert np.all(np.diff(found.analyst, axis=0) > 0)
    assert found.anonymity[-1] > 0.9
    told = np.isfinite(found.bound).all(axis=(1, 2))
    assert told.sum() > 5
    assert np.all(found.bound[told] < 1.1 * found.analyst[told])


def test_most_readings_may_be_named_where_the_whole_set_is_not():
    found = tradeoff(np.arange(30), 0.2, added=[0.0], draws=1000)
    assert found.anonymity[0] > 0.8
    assert found.single_anonymity[0] < 0.3
    assert_allclose(found.single_anonymity[0], np.mean(1 - found.reidentification[0]) / (1 - 1 / 30))
    assert np.isnan(found.bound).all()  # above six systems


def test_without_noise_the_analyst_needs_one_set_and_with_twins_any_number_is_too_few():
    assert np.all(tradeoff([4, 5], 0.0, added=[0.0]).analyst == 0.0)
    twins = tradeoff([4, 4, 7], 0.25, draws=500)
    assert np.all(twins.analyst == np.inf)
    assert np.isnan(twins.bound).all()
    assert np.all(twins.reidentification[:, 0] < 0.51)
    assert len(tradeoff([4, 4], 0.25).added) == 1  # nothing to hide by more noise


def test_noise_that_drowns_everything_leaves_an_infinite_error():
    assert np.all(tradeoff(np.arange(8), 1.0, added=[1e6], draws=100).analyst == np.inf)


def test_a_law_keeps_its_shape():
    assert louder(Laplace(1.0), 2.0) == Laplace(5.0)
    assert louder(Skewed([1.0, 2.0], skewness=1.0), 1.0) == Skewed([2.0, 3.0], skewness=1.0)
    assert louder(Gaussian(np.eye(2)), 1.0) == Gaussian(2 * np.eye(2))
    found = tradeoff([4, 5], Laplace(0.25), added=[0.5])
    assert_allclose(found.error, map_error([4, 5], Laplace(0.5)).probability)


@pytest.mark.parametrize("law", [Uniform(1.0), Finite(1.0)])
def test_a_law_that_cannot_be_made_larger_is_refused(law):
    with pytest.raises(
        ValueError, match=rf"{type(law).__name__} noise (cannot|is not known to) keep its shape .* Give its variance"
    ):
        tradeoff([4, 5], law, added=[0.5])


@pytest.mark.parametrize("added", [[-1.0], [], [[1.0]], [1e150]])
def test_added_noise_is_given_by_deviations(added):
    with pytest.raises(ValueError, match="`added` must list standard deviations from 0"):
        tradeoff([4, 5], 1.0, added=added)


def test_single_anonymity_is_one_at_chance():
    assert_allclose(single(np.full((2, 4), 0.25)), 1.0)
    assert_allclose(single(np.ones((2, 4))), 0.0)
    assert_allclose(single(np.ones((2, 1))), 0.0)


def test_it_draws():
    assert len(tradeoff([4, 5], 0.25, added=[0.0, 1.0, 2.0]).plot().axes) == 2


def test_many_systems_of_unequal_noise_are_predicted_at_the_mean_variance():
    """Up to twelve systems the analyst's error is that of the noises themselves, beyond that of their mean."""
    for L, same in ((3, False), (6, False), (13, True)):
        theta, variances = 3.0 * np.arange(L)[:, None], np.linspace(0.2, 1.8, L)
        own = analyst_error(theta, Gaussian(variances), None)
        assert np.allclose(own, analyst_error(theta, Gaussian(variances.mean()), None)) is same
