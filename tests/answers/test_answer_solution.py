"""Families through `vieta.fit`: blocks, order, coverage, one item, and what is said."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import data, drawn
from vieta.answers import families
from vieta.estimators import fit_passes
from vieta.sums import in_memory

THETA = np.array([[-1.2], [1.2]])


@pytest.mark.parametrize("family", sorted(families.every()))
def test_order_in_sets_and_blocks_do_not_matter(family):
    sets, psi, b = drawn(family, 200, 0, THETA)
    found = vieta.fit(sets, psi, family=family, offset=b)
    turned = vieta.fit(sets[:, ::-1], psi, family=family, offset=b)
    cut = fit_passes(in_memory(data(np.sort(sets, axis=1), psi, b), 3), options={"family": family})
    for other in (turned, cut):
        assert_allclose(other.theta, found.theta, rtol=1e-7, atol=1e-9)
        assert_allclose(other.cov, found.cov, rtol=1e-6, atol=1e-12)
    assert found.method == family
    assert family in found.summary()
    again = vieta.Estimate.from_dict(found.to_dict())
    assert again.answers.to_dict() == found.answers.to_dict()


def test_intervals_of_binary_answers_hold_the_truth_as_often_as_they_say():
    hits = []
    for seed in range(40):
        sets, psi, b = drawn("binary", 400, seed, THETA)
        found = vieta.fit(sets, psi, family="binary", offset=b)
        inside = found.conf_int()[:, :, 0] < THETA
        hits.append(inside & (found.conf_int()[:, :, 1] > THETA))
    assert abs(np.mean(hits) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 80)


def test_answers_fitted_as_numbers_are_biased_and_as_answers_not():
    """The negative control of the family: least squares on 0 and 1 is no ability."""
    sets, psi, b = drawn("binary", 1500, 0, THETA)
    found = vieta.fit(sets, psi, family="binary", offset=b)
    assert np.all(abs(found.theta - THETA) < 4 * found.stderr)
    labeled_mean = sets.mean() - 0.5
    assert abs(labeled_mean) < 0.4 < abs(THETA).min()


def test_one_item_is_said_to_rest_on_independence():
    rng = np.random.default_rng(0)
    sets = (rng.random((800, 2)) < [0.2, 0.8]).astype(float)
    found = vieta.fit(sets, family="binary")
    assert [one.code for one in found.findings] == ["one-item"]
    assert_allclose(found.findings[0].facts["mean"], sets.mean())
    assert np.all(abs(found.theta.ravel() - np.log([0.25, 4.0])) < 4 * found.stderr.ravel())


def test_an_error_names_the_set_among_all():
    sets = np.zeros((6, 2))
    sets[:, 0] = 1.0
    sets[4, 1] = 3.0
    with pytest.raises(vieta.VietaError, match=r"sets\[4\]"):
        fit_passes(in_memory(data(sets, None), 3), options={"family": "binary"})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_binary_vectors_are_found(seed):
    theta = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, 0.5]])
    sets, psi, b = drawn("binary", 4000, seed, theta)
    found = vieta.fit(sets, psi, family="binary", offset=b)
    order = [int(abs(found.theta - row).sum(axis=1).argmin()) for row in theta]
    assert np.all(abs(found.theta[order] - theta) < 4.5 * found.stderr[order])
