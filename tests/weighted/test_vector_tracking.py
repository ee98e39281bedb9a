"""The filter on vectors: the innovation of the readings' sum, and one kernel for any number of systems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.tracking import absorb, begin
from vieta.weighted.vector_tracking import add_power, track_vectors


@pytest.mark.parametrize("p", [1, 3])
def test_power_is_the_innovation_of_the_sum(p):
    rng = np.random.default_rng(p)
    y, means, power = rng.normal(size=(2, p)), rng.normal(size=(2, p)), np.eye(p)
    add_power(y, means, 0.5, power)
    e = (y - means).sum(axis=0)
    assert_allclose(power, 0.5 * np.eye(p) + np.outer(e, e), rtol=1e-12)
    nothing = np.zeros((p, p))
    add_power(y, y.copy(), 1.0, nothing)
    assert_allclose(nothing, 1e-16 * (y**2).sum() / p * np.eye(p))  # kept above rounding


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, p, D in ((2, 2, 2), (3, 2, 1), (2, 3, 3)):
        sets, psi, state = begin(L, p, D, 5)
        absorb(state, np.asfortranarray(sets), psi)
        absorb(state, sets, psi, forgetting=0.9, drift=1e-6 * np.eye(L * D), cap=3.0)
    assert len(track_vectors.signatures) == 1
