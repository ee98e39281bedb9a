"""Shocks in a fit: found, modelled and reported when they are there, and left alone when not."""

import numpy as np
import pytest

import vieta
from tests.weighted.shocks import draw, labeled
from vieta.errors import InputError

THETA = np.array([[1.0], [3.0], [6.0]])
LINES = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def lines(rng, n):
    return np.column_stack([np.ones(n), rng.standard_normal(n)])


def codes(estimate):
    return {one.code for one in estimate.findings}


@pytest.mark.parametrize(("theta", "inputs"), [(THETA, None), (LINES, lines)])
@pytest.mark.parametrize("correlation", [0.3, 0.8])
@pytest.mark.parametrize("seed", range(2))
def test_a_shock_is_found_and_modelled(theta, inputs, correlation, seed):
    sets, rows, noise = draw(theta, 0.5, correlation, 1000, seed, inputs=inputs)
    estimate = vieta.fit(sets, rows)
    assert codes(estimate) == {"common-shock"}
    g = 0.25 * correlation / (1.0 - correlation)
    assert abs(estimate.shock_sd / np.sqrt(g) - 1.0) < 0.15
    assert abs(estimate.noise_var / 0.25 - 1.0) < 0.2
    best = labeled(theta, rows, noise)
    assert (abs(estimate.theta - best) < 2.5 * estimate.stderr).all()
    mean = estimate.derived("mean")
    np.testing.assert_allclose(mean.value, best.mean(axis=0), atol=1e-2)  # both are the regression of the mean reading
    expected = np.sqrt((g + 0.25 / 3.0) * np.diag(np.linalg.inv(rows.T @ rows)))
    np.testing.assert_allclose(mean.stderr, expected, rtol=0.2)
    assert "common shock" in str(estimate.findings[0])
    assert vieta.Estimate.from_dict(estimate.to_dict()).shock_sd == estimate.shock_sd


@pytest.mark.parametrize("seed", range(3))
def test_without_a_shock_the_estimate_is_the_same(seed):
    sets, rows, _ = draw(THETA, 0.5, 0.0, 1000, seed)
    auto, none = vieta.fit(sets, rows, shock="auto"), vieta.fit(sets, rows, shock="none")
    assert auto.findings == ()
    assert auto.shock_sd == none.shock_sd == 0.0
    np.testing.assert_array_equal(auto.theta, none.theta)
    forced = vieta.fit(sets, rows, shock="common")
    assert (abs(forced.theta - none.theta) < none.stderr).all()
    assert codes(forced) == set()


@pytest.mark.parametrize("seed", range(2))
def test_a_large_shock_under_constant_inputs(seed):
    theta = np.array([[1.0], [2.0], [3.0]])
    sets, rows, noise = draw(theta, 0.3, 0.9, 1500, seed, inputs=lambda rng, n: np.ones((n, 1)))
    estimate = vieta.fit(sets)
    assert codes(estimate) == {"common-shock"}
    assert (abs(estimate.theta - labeled(theta, rows, noise)) < 2.0 * estimate.stderr).all()
    assert "dependent-noise" not in codes(vieta.fit(sets, shock="none"))  # the values alone cannot tell


def test_without_the_model_it_is_reported():
    sets, rows, _ = draw(THETA, 0.5, 0.8, 2000, 0)
    assert "dependent-noise" in codes(vieta.fit(sets, rows, shock="none"))


def test_noises_against_each_other_are_reported():
    rng = np.random.default_rng(1)
    psi, u = rng.standard_normal(3000), 0.5 * rng.standard_normal((3000, 3))
    sets = rng.permuted(psi[:, None] * THETA.T + u - 0.8 * u.mean(axis=1, keepdims=True), axis=1)
    for shock in ("auto", "common"):
        estimate = vieta.fit(sets, psi, shock=shock)
        assert "dependent-noise" in codes(estimate)
        assert estimate.shock_sd == 0.0


def test_what_is_not_modelled_is_refused():
    sets, rows, _ = draw(THETA, 0.5, 0.5, 100, 0)
    for options in ({"shock": "maybe"}, {"shock": "common", "robust": True}, {"shock": "common", "memory": 50}):
        with pytest.raises(InputError):
            vieta.fit(sets, rows, **options)
    with pytest.raises(InputError):
        vieta.SymmetricFilter(n_systems=3, dim=1, shock="common").partial_fit(sets, rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shock", ["auto", "common"])
def test_systems_that_overlap_never_lie_outside_the_readings(shock, seed):
    """Five constants as close as their noise: what cannot be solved has no errors, and stays where the search ended."""
    rng = np.random.default_rng(seed)
    sets = np.sort(rng.normal(size=5)) + 0.4 * rng.normal(size=(500, 5))
    found = vieta.fit(sets, shock=shock)
    assert sets.min() <= found.theta.min()
    assert found.theta.max() <= sets.max()
    assert found.findings
