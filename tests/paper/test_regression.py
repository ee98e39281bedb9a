import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.paper.data import KINDS, labeled
from tests.paper.data import matrices as obvious
from vieta.errors import IncompleteSetsError, InputError
from vieta.paper.regression import checked, from_columns, matrices, one_step, regression, start_or_zeros, to_columns


@pytest.mark.parametrize("kind", KINDS)
def test_the_regression_is_the_model(kind):
    """Gains times columns are the readings without noise, and columns and parameters are the same numbers."""
    readings, inputs, theta = labeled(kind, noise=0.0)
    data = checked(readings, inputs)
    gains, columns = regression(data)
    assert_allclose(gains @ to_columns(data, theta), columns, atol=1e-12)
    assert_array_equal(from_columns(data, to_columns(data, theta)), theta)
    stacked = np.stack([to_columns(data, theta), to_columns(data, 2 * theta)])
    assert_array_equal(from_columns(data, stacked), [theta, 2 * theta])


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_as_matrices(kind):
    readings, inputs, _ = labeled(kind)
    p, D, _ = KINDS[kind]
    data = checked(readings, inputs)
    assert_array_equal(matrices(data, slice(3, 9)), obvious(inputs, len(readings), p, D)[3:9])


def test_data_are_complete_and_finite():
    with pytest.raises(IncompleteSetsError) as caught:
        checked([[1.0, 2.0], [1.0, 2.0], [3.0]], None)
    assert caught.value.facts["index"] == 2
    with pytest.raises(IncompleteSetsError):
        checked([[1.0, np.nan]], None)
    with pytest.raises(InputError, match="`readings` must have shape"):
        checked(np.zeros(3), None, "readings")


def test_steps_and_starts():
    data = checked(*labeled("square")[:2])
    assert one_step(0.5) == 0.5
    with pytest.raises(InputError) as caught:
        one_step([0.1, 0.2])
    assert caught.value.code == "step-range"
    assert_array_equal(start_or_zeros(None, data), np.zeros((3, 2)))
    given = np.ones((3, 2))
    start_or_zeros(given, data)[0, 0] = 5.0
    assert given[0, 0] == 1.0  # a copy
