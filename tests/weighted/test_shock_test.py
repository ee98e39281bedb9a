"""The test of independence across systems: its level under several laws, its power, and what it cannot tell."""

import numpy as np
import pytest

from tests.weighted.shocks import draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.shock_test import NOTHING, SURE, Dependence, dependence_test, is_unknowable

THETA = np.array([[1.0], [3.0], [6.0]])
SHAPES = {"gaussian": (0.0, 3.0), "student-4": (0.0, 8.0), "skewed": (2.0, 9.0)}


def measured(correlation, n, seed, law="gaussian", theta=THETA, sd=0.5, inputs=None, blocks=1):
    sets, rows, _ = draw(theta, sd, correlation, n, seed, law, inputs)
    passes = in_memory(as_data(sets, rows), blocks)
    variances = np.broadcast_to(np.asarray(sd, dtype=float) ** 2, len(theta)) * (1.0 + correlation)
    return dependence_test(passes, n, theta, variances.copy(), SHAPES[law])


@pytest.mark.parametrize("law", SHAPES)
@pytest.mark.parametrize("sd", [0.5, (0.3, 0.5, 0.9)])
def test_z_is_standard_normal_where_noises_are_independent(law, sd):
    runs = 40
    z = np.array([measured(0.0, 500, seed, law, sd=sd).z for seed in range(runs)])
    assert abs(z.mean()) < 4.0 / np.sqrt(runs)
    assert 0.7 < z.std() < 1.35
    assert abs(z).max() < SURE


@pytest.mark.parametrize("law", SHAPES)
@pytest.mark.parametrize("constant", [False, True])
def test_shocks_are_found(law, constant):
    inputs = (lambda rng, n: np.ones((n, 1))) if constant else None
    assert all(measured(0.3, 500, seed, law, inputs=inputs).z > SURE for seed in range(5))


def test_noises_against_each_other_must_be_seen_by_the_values():
    rng = np.random.default_rng(0)
    psi, u = rng.standard_normal((4000, 1)), 0.5 * rng.standard_normal((4000, 3))
    against = psi @ THETA.T + u - 0.6 * u.mean(axis=1, keepdims=True)
    uneven = psi @ THETA.T + u * np.exp(0.7 * rng.standard_normal((4000, 1)))  # one scale for all systems
    for sets, found in ((against, True), (uneven, False)):
        passes = in_memory(as_data(rng.permuted(sets, axis=1), psi))
        z = dependence_test(passes, 4000, THETA, np.full(3, np.var(sets - psi @ THETA.T)), (0.0, 3.0)).z
        assert (z < -SURE) == found


def test_blocks_do_not_matter():
    one, four = measured(0.2, 500, 0), measured(0.2, 500, 0, blocks=4)
    np.testing.assert_allclose(one, four, rtol=1e-9)


def test_many_systems():
    """The products of some sets and the values of all."""
    theta = 2.0 * np.arange(1.0, 8.0)[:, None]
    assert measured(0.4, 3000, 0, theta=theta).z > SURE
    assert abs(measured(0.0, 3000, 0, theta=theta).z) < SURE
    twelve = 2.0 * np.arange(1.0, 13.0)[:, None]
    assert measured(0.5, 500, 0, theta=twelve).z > SURE


def test_nothing_is_tested_for_one_system_or_few_sets():
    assert measured(0.5, 40, 0) == NOTHING
    assert measured(0.5, 500, 0, theta=THETA[:1]) == NOTHING


def test_unknowable_means_harmful_and_hidden():
    assert is_unknowable(Dependence(0.0, 1.0, 100.0, True), 1.0, 2)
    assert not is_unknowable(Dependence(0.0, 0.01, 100.0, True), 1.0, 2)  # it would be found
    assert not is_unknowable(Dependence(0.0, 1.0, 1.0, True), 1.0, 2)  # it would do no harm
    hidden = measured(0.0, 300, 0, theta=np.array([[1.0], [2.0]]), sd=1.5, inputs=lambda rng, n: np.ones((n, 1)))
    clear = measured(0.0, 300, 0)
    assert not is_unknowable(clear, 0.25, 3)
    assert hidden.stderr > 20.0 * clear.stderr
