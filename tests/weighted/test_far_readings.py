"""Readings far from zero: the same estimate, moved, as of readings near it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.weighted.cases import codes
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.far_readings import common_part, without

INPUTS = {
    "constant": lambda x: np.ones((len(x), 1)),
    "lines": lambda x: np.column_stack([np.ones(len(x)), x]),
    "no constant": lambda x: 1.0 + 0.1 * x[:, None],
}
THETA = np.array([[0.0, 1.0], [3.0, -0.5], [7.0, 2.0]])


def drawn(kind, n=500, seed=0):
    """Inputs (n, D) and sets (n, 3) of systems near zero."""
    rng = np.random.default_rng(seed)
    psi = INPUTS[kind](rng.normal(size=n))
    return psi, rng.permuted(psi @ THETA[:, : psi.shape[1]].T + 0.3 * rng.normal(size=(n, 3)), axis=1)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("far", [1e7, 1e9, 1e11])
def test_the_estimate_is_that_of_readings_near_zero_moved(kind, far):
    psi, sets = drawn(kind)
    near = vieta.fit(sets, psi)
    found = vieta.fit(sets + far * psi[:, :1], psi)
    assert codes(found) == [*codes(near), "readings-far"]
    assert_allclose(found.theta - far * np.eye(psi.shape[1])[0], near.theta, atol=1e-3 + 1e-15 * far)
    assert_allclose(found.stderr, near.stderr, rtol=0.02)


def test_readings_that_are_not_far_are_left_alone():
    psi, sets = drawn("lines")
    for shift in (0.0, 1e3):
        assert common_part(in_memory(as_data(sets + shift, psi))) is None
    same = np.full((30, 2), 1e9)  # no differences at all
    assert common_part(in_memory(as_data(same, np.ones(30)))) is None


def test_what_is_taken_away_is_what_the_systems_have_in_common():
    psi, sets = drawn("lines")
    passes = in_memory(as_data(sets + 1e9, psi))
    c = common_part(passes)
    assert_allclose(c, THETA.mean(axis=0) + np.array([1e9, 0.0]), atol=0.1)
    left = without(passes, c).head(500)
    assert_allclose(left.sets[:, :, 0], sets + 1e9 - (psi @ c)[:, None], atol=1e-6)
    assert abs(left.sets.mean()) < 0.1
