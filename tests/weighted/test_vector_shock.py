"""Shocks that vectors share: found, modelled with honest errors, and left alone when they are not there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.weighted.vector_shocks import OWN, THETA, draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve
from vieta.weighted.shock_test import SURE
from vieta.weighted.sum_regression import regress
from vieta.weighted.vector_shock import fit_decorrelated, held_positive, look_elsewhere, own_noise, vector_dependence

INPUTS = ["identity", "scalars", "matrices"]


def codes(estimate):
    return {one.code for one in estimate.findings}


@pytest.mark.parametrize(("inputs", "correlation"), [("identity", 0.3), ("scalars", 0.5), ("matrices", 0.8)])
def test_a_shock_is_found_and_modelled(inputs, correlation):
    made = draw(correlation, 800, 0, inputs)
    estimate = vieta.fit(made.sets, made.inputs)
    assert codes(estimate) == {"common-shock"}
    assert abs(estimate.shock_sd / np.sqrt(np.trace(made.shock) / 2.0) - 1.0) < 0.2
    assert_allclose(estimate.noise_var, OWN, atol=0.1)
    assert (abs(estimate.theta - made.labeled) < 2.5 * estimate.stderr).all()
    assert (abs(estimate.theta - THETA) < 4.5 * estimate.stderr).all()


@pytest.mark.parametrize(("inputs", "seed"), [*zip(INPUTS, range(3))])
def test_without_a_shock_the_estimate_is_the_same(inputs, seed):
    made = draw(0.0, 600, seed, inputs)
    auto, none = (vieta.fit(made.sets, made.inputs, shock=shock) for shock in ("auto", "none"))
    assert auto.findings == ()
    np.testing.assert_array_equal(auto.theta, none.theta)
    forced = vieta.fit(made.sets, made.inputs, shock="common")
    assert (abs(forced.theta - none.theta) < none.stderr).all()
    assert codes(forced) == set()


def test_z_is_at_most_standard_normal_where_noises_are_independent():
    z = []
    for seed in range(18):
        made = draw(0.0, 300, seed, INPUTS[seed % 3], law=("gaussian", "skewed")[seed % 2])
        passes = in_memory(as_data(made.sets, made.inputs))
        z.append(vector_dependence(passes, solve.fit(passes), THETA).z)
    assert abs(np.array(z)).max() < SURE
    assert abs(np.mean(z)) < 4.0 * np.std(z) / np.sqrt(18) + 0.2


def test_looking_along_several_directions_costs():
    assert look_elsewhere(1) == pytest.approx(0.0, abs=1e-9)
    assert 0.3 < look_elsewhere(4) < look_elsewhere(10) < 0.7


@pytest.mark.parametrize("inputs", INPUTS)
def test_influences_are_what_leaving_sets_out_does(inputs):
    """The estimate without some sets is, to first order, the estimate less their influences; so is the own noise."""
    made = draw(0.6, 800, 1, inputs)
    data = as_data(made.sets, made.inputs)

    def fitted(kept):
        passes = in_memory(kept)
        regression = regress(passes)
        own = own_noise(passes, THETA, OWN)
        return own, fit_decorrelated(passes, regression, own)[2]

    own, whole = fitted(data)
    out = np.arange(800) % 40 == 0
    part_own, part = fitted(data.at(np.flatnonzero(~out)))
    block = data.at(np.flatnonzero(out))
    moved = -whole.influences(block).sum(axis=0)
    error = np.sqrt(np.diag(whole.cov))
    assert abs((part.theta - whole.theta).ravel() - moved).max() < 0.25 * abs(moved).max() + 0.02 * error.max()
    noise = -own.influences(block).sum(axis=0)
    change = (part_own.covariance - own.covariance)[np.triu_indices(2)]
    assert abs(change - noise).max() < 0.3 * abs(noise).max() + 0.002


def test_a_covariance_is_held_positive():
    made = draw(0.5, 200, 0)
    regression = regress(in_memory(as_data(made.sets, None)))
    assert_allclose(held_positive(OWN, regression), OWN)
    assert np.linalg.eigvalsh(held_positive(np.diag([0.5, -0.1]), regression)).min() > 0.0


def test_noises_against_each_other_are_reported():
    rng = np.random.default_rng(1)
    u = 0.5 * rng.standard_normal((3000, 3, 2))
    psi = rng.standard_normal(3000)
    sets = psi[:, None, None] * THETA + u - 0.8 * u.mean(axis=1, keepdims=True)
    estimate = vieta.fit(sets, psi)
    assert "dependent-noise" in codes(estimate)
    assert estimate.shock_sd == 0.0


def test_shocks_of_many_vectors_are_not_modelled():
    from vieta.errors import InputError

    rng = np.random.default_rng(0)
    sets = 9.0 * np.arange(11.0)[:, None] * [1.0, -1.0] + rng.standard_normal((60, 11, 2))
    with pytest.raises(InputError, match="at most 10 systems"):
        vieta.fit(sets, shock="common")


def test_blocks_do_not_matter():
    from vieta.weighted.tracking_state import Settings
    from vieta.weighted.weighted_fit import solution

    made = draw(0.6, 500, 3)
    one, three = (solution(in_memory(as_data(made.sets, None), blocks), Settings(shock="common")) for blocks in (1, 3))
    assert_allclose(one.theta, three.theta, rtol=1e-9)
    assert_allclose(one.cov, three.cov, rtol=1e-6)
    assert one.shock_sd == pytest.approx(three.shock_sd)
