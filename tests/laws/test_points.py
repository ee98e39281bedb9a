import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.errors import InputError
from vieta.laws.points import Points, as_sample, equally, interval, normal


def test_information_of_readings_with_labels():
    psi = np.random.default_rng(0).normal(size=(7, 3, 2))
    W = np.array([np.diag([1.0, 2.0, 4.0]), np.eye(3)])
    found = equally(psi).information(W, 2)
    for l in (0, 1):
        expected = sum(P.T @ W[l] @ P for P in psi) / 7
        assert_allclose(found[2 * l : 2 * l + 2, 2 * l : 2 * l + 2], expected)
    assert_allclose(found[:2, 2:], 0.0)


def test_numbers_are_multiples_of_the_identity():
    points = Points(np.array([2.0, 3.0]), np.array([0.25, 0.75]))
    assert points.reading_dim(4) == 4
    assert_array_equal(points.matrices(2), [2 * np.eye(2), 3 * np.eye(2)])
    assert_allclose(points.information(np.array([np.eye(2)]), 2), (0.25 * 4 + 0.75 * 9) * np.eye(2))


def test_rules_have_the_moments_of_their_laws():
    z = normal(1.0, 2.0)
    assert_allclose([z.weights @ (z.psi - 1.0) ** k for k in (0, 2, 4, 6)], [1, 4, 48, 960])
    u = interval(-1.0, 3.0)
    assert_allclose([u.weights @ u.psi**k for k in (0, 1, 2, 9)], [1, 1, 28 / 12, (3**10 - 1) / 40])


def test_a_sample_is_one_of_three_shapes():
    assert as_sample(None, 3).psi.tolist() == [1.0]
    assert as_sample([1.0, 2.0], 3).psi.shape == (2,)
    assert as_sample(np.ones((4, 3)), 3).psi.shape == (4, 1, 3)
    for bad in (np.ones((4, 2)), np.ones((4, 2, 2)), np.ones(0), 2.0):
        with pytest.raises(InputError) as caught:
            as_sample(bad, 3)
        assert caught.value.code == "not-inputs"
