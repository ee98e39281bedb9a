"""The filter on numbers: the innovation of the readings' sum, and one kernel for any number of systems."""

import numpy as np
from numpy.testing import assert_allclose

from tests.weighted.tracking import absorb, begin
from vieta.weighted.number_tracking import add_square, track_numbers


def test_power_is_the_squared_innovation_of_the_sum():
    rng = np.random.default_rng(1)
    y, m, power = rng.normal(size=3), rng.normal(size=3), np.eye(1)
    add_square(y, m, 0.5, power)
    assert_allclose(power[0, 0], 0.5 + (y - m).sum() ** 2, rtol=1e-12)
    nothing = np.zeros((1, 1))
    add_square(y, y.copy(), 1.0, nothing)
    assert_allclose(nothing[0, 0], 1e-16 * (y**2).sum())  # kept above rounding


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, D in ((1, 1), (3, 1), (2, 2), (5, 3)):
        sets, psi, state = begin(L, 1, D, 5)
        absorb(state, np.asfortranarray(sets), psi)
        absorb(state, sets, psi, forgetting=0.9, drift=1e-6 * np.eye(L * D), cap=3.0)
    assert len(track_numbers.signatures) == 1
