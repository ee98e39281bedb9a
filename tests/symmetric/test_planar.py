import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests import naive as twins
from tests.symmetric.cases import SEEDS, checked, distance
from vieta.symmetric import planar, polarized


def turn(angle, scale=1.0):
    return scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@checked
@given(st.lists(st.complex_numbers(max_magnitude=10), min_size=1, max_size=6))
def test_it_is_the_elementary_polynomials_of_complex_numbers(y):
    z = planar(len(y)).transform(np.array([[v.real, v.imag] for v in y]))
    size = twins.elementary([abs(v) for v in y])
    e = twins.elementary(y)
    assert np.all(abs(z[0::2] + 1j * z[1::2] - e) <= 1e-14 * size + 1e-290)


@checked
@given(st.integers(1, 5), st.floats(-4, 4), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_turning_and_scaling_multiplies_by_a_complex_number(L, angle, scale, seed):
    theta = np.random.default_rng(seed).normal(size=(L, 2))
    mean = planar(L).mean(theta, turn(angle, scale)[None])[0]
    c = scale * np.exp(1j * angle)
    e = twins.elementary([c * complex(*row) for row in theta])
    size = twins.elementary(abs(scale) * np.hypot(*theta.T)).max()
    assert_allclose(mean[0::2] + 1j * mean[1::2], e, rtol=0, atol=1e-13 * size + 1e-290)


@pytest.mark.parametrize("psi", [np.diag([1.0, -1.0]), np.diag([1.0, 2.0]), np.array([[1.0, 0.5], [0.0, 1.0]])])
def test_other_inputs_are_refused(psi):
    with pytest.raises(ValueError, match=r"turn and scale the plane only.*tensor transform.*undo_inputs"):
        planar(2).gains(psi[None])
    with pytest.raises(ValueError, match="turn and scale"):  # also beside a far larger one that is admissible
        planar(2).gains(np.stack([1e13 * np.eye(2), psi]))


@pytest.mark.parametrize("seed", SEEDS)
def test_separation_is_by_distance_whatever_the_direction(seed):
    """Four corners of a square: from most directions two of them nearly coincide, but not in the plane."""
    corners = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    t = planar(4)
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, size=20)
    conditions = []
    for angle in angles:
        theta = corners @ turn(angle).T
        found = t.inverse(t.transform(theta))
        assert distance(found.theta, theta) < 1e-12
        conditions.append(found.condition)
    assert_allclose(conditions, conditions[0], rtol=1e-9)
    along = polarized(4, 2, np.eye(2)[:1])
    assert max(along.inverse(along.transform(corners @ turn(a).T)).condition for a in angles) > 10 * conditions[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_there_are_no_complex_pairs(seed):
    found = planar(3).inverse(np.random.default_rng(seed).normal(size=(50, 6)))
    assert_allclose(found.imaginary, 0.0)
    assert not found.is_complex.any()
    assert_allclose(planar(3).transform(found.theta), np.random.default_rng(seed).normal(size=(50, 6)), atol=1e-9)
