"""The filter on vectors: the innovation of the readings' sum, its units, and one kernel for any number of systems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import covariance
from tests.weighted.tracking import absorb, begin
from vieta.weighted.vector_tracking import add_power, fill_root, track_vectors, whiten_set


@pytest.mark.parametrize("p", [1, 3])
def test_power_is_the_innovation_of_the_sum(p):
    rng = np.random.default_rng(p)
    y, psi, theta, power = rng.normal(size=(2, p)), rng.normal(size=(p, 4)), rng.normal(size=(2, 4)), np.eye(p)
    add_power(y, psi, theta, 0.5, power)
    e = (y - theta @ psi.T).sum(axis=0)
    assert_allclose(power, 0.5 * np.eye(p) + np.outer(e, e), rtol=1e-12)
    nothing = np.zeros((p, p))
    add_power(y, np.eye(p), y.copy(), 1.0, nothing)
    assert_allclose(nothing, 1e-16 * (y**2).sum() / p * np.eye(p))  # kept above rounding


@pytest.mark.parametrize("p", [2, 4])
def test_units_in_which_the_noise_is_one(p):
    rng = np.random.default_rng(p)
    noise, root, scratch = covariance(rng, p), np.empty((p, p)), np.empty((p, p))
    fill_root(noise, scratch, root)
    assert_allclose(root @ noise @ root.T, np.eye(p), atol=1e-12)
    y, psi = rng.normal(size=(3, p)), rng.normal(size=(p, 2))
    readings, inputs = np.empty((3, p)), np.empty((p, 2))
    whiten_set(y, psi, root, readings, inputs)
    assert_allclose(readings, y @ root.T)
    assert_allclose(inputs, root @ psi)


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, p, D in ((2, 2, 2), (3, 2, 1), (2, 3, 3)):
        sets, psi, state = begin(L, p, D, 5)
        absorb(state, np.asfortranarray(sets), psi)
        absorb(state, sets, psi, forgetting=0.9, drift=1e-6 * np.eye(L * D), cap=3.0)
    assert len(track_vectors.signatures) == 1
