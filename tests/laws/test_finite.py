import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.errors import InputError
from vieta.laws.finite import Finite

LAW = Finite(4.0, values=(-3, 0, 1), probabilities=(0.2, 0.2, 0.6))
SD = np.sqrt(0.2 * 9 + 0.6)


def test_weights_are_probabilities_of_values():
    values = 2.0 * np.array([-3, 0, 1]) / SD
    found = LAW.log_weight(np.append(values, 0.1)[:, None, None], 1e-9)
    assert_allclose(np.exp(found[:, 0]), [0.2, 0.2, 0.6, 0.0])
    pair = np.array([[[values[0], values[2]]]])
    assert_allclose(np.exp(LAW.log_weight(pair, 1e-9)), [[0.12]])


def test_residuals_within_their_rounding_are_values():
    value = 2.0 / SD
    near = np.array([[[value + 1e-5]]])
    assert LAW.log_weight(near, 1e-4) == np.log(0.6)
    assert LAW.log_weight(near, 1e-7) == -np.inf


def test_distribution_and_moments():
    u = np.array([-3, 0, 1]) / SD
    assert_allclose(LAW.unit_below(np.concatenate([u - 1e-9, u, [9.0]])), [0, 0.2, 0.4, 0.2, 0.4, 1.0, 1.0])
    w = np.array([0.2, 0.2, 0.6])
    assert_allclose(LAW.shape(), (w @ u**3, w @ u**4))
    assert_allclose(LAW.characteristic(np.array([1.3])), w @ np.exp(1.3j * u))
    assert not LAW.has_density
    assert_array_equal(np.unique(LAW.unit(np.random.default_rng(0), (100,))), u)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"values": (0, 1)}, "values-mean"),
        ({"values": (0, 0)}, "values-zero"),
        ({"values": (-1, 0, 1), "probabilities": (0.5, 0.5)}, "values-shape"),
        ({"values": (-1, 1), "probabilities": (0.5, 0.4)}, "not-probabilities"),
    ],
)
def test_what_is_no_law_is_refused(settings, code):
    with pytest.raises(InputError) as caught:
        Finite(**settings)
    assert caught.value.code == code
