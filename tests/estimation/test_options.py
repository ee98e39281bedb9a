"""Options: read into one form, or refused in words."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.estimation.options import as_forgetting, as_regularization, as_start, as_steps, positive_integer


def test_good_options():
    assert positive_integer(np.int64(3), "dim") == 3
    assert_array_equal(as_steps(0.1, 3), [0.1, 0.1, 0.1])
    assert_array_equal(as_steps([1, 2, 3], 3), [1.0, 2.0, 3.0])
    assert as_start(None, 2, 1) is None
    assert_array_equal(as_start([1, 2], 2, 1), [[1.0], [2.0]])
    assert_array_equal(as_start(np.eye(2), 2, 2), np.eye(2))
    assert as_forgetting(1, "lms") == 1.0
    assert as_forgetting(0.9, "rls") == 0.9
    assert as_regularization(None, "lms") is None
    assert as_regularization(2, "rls") == 2.0


def test_steps_are_a_copy():
    given = np.ones(2)
    steps = as_steps(given, 2)
    given[:] = 5.0
    assert_array_equal(steps, [1.0, 1.0])


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, "3", None, True, np.nan, [1]])
def test_whole_numbers(value):
    with pytest.raises(ValueError, match=r"dim=.* must be a whole number, 1 or more"):
        positive_integer(value, "dim")


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], [[1.0] * 3], "x", [1.0, [2.0]], 1j, None])
def test_steps(step):
    with pytest.raises(ValueError, match=r"step=.* must be a positive finite number, or 3 of them.*Try 1e-3"):
        as_steps(step, 3)


@pytest.mark.parametrize("start", [1.0, [1.0], [[1.0], [2.0]], [np.nan] * 3, [np.inf] * 3, "x", ["a"] * 3, [1j] * 3])
def test_starts(start):
    with pytest.raises(ValueError, match=r"start must be finite parameters of shape \(3, 1\); got"):
        as_start(start, 3, 1)


@pytest.mark.parametrize("forgetting", [0.0, -0.5, 1.01, np.nan, np.inf, "x", None, [0.9]])
def test_forgetting(forgetting):
    with pytest.raises(ValueError, match=r"forgetting=.* must lie above 0 and at most 1; 0.999 remembers"):
        as_forgetting(forgetting, "rls")


def test_forgetting_belongs_to_rls():
    with pytest.raises(ValueError, match=r"forgetting= belongs to 'rls'; method 'lms' takes step= instead"):
        as_forgetting(0.9, "lms")


@pytest.mark.parametrize("regularization", [0.0, -1.0, np.nan, np.inf, "x", [1.0]])
def test_regularization(regularization):
    with pytest.raises(ValueError, match=r"regularization=.* must be a positive number, and belongs to 'rls'"):
        as_regularization(regularization, "rls")
    with pytest.raises(ValueError, match="belongs to 'rls'"):
        as_regularization(1.0, "lms")
