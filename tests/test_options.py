"""Options: read into one form, or refused in words."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.errors import InputError
from vieta.options import (
    OptionInfo,
    Options,
    as_cap,
    as_drift,
    as_forgetting,
    as_regularization,
    as_start,
    as_steps,
    option,
    positive_integer,
)


def test_good_options():
    assert positive_integer(np.int64(3), "dim") == 3
    assert_array_equal(as_steps(0.1, 3), [0.1, 0.1, 0.1])
    assert_array_equal(as_steps([1, 2, 3], 3), [1.0, 2.0, 3.0])
    assert as_start(None, 2, 1) is None
    assert_array_equal(as_start([1, 2], 2, 1), [[1.0], [2.0]])
    assert_array_equal(as_start(np.eye(2), 2, 2), np.eye(2))
    assert as_forgetting(None) == 1.0
    assert as_forgetting(1000) == 0.999
    assert as_drift(None, 2, 3).size == 0
    assert_array_equal(as_drift(0.5, 2, 1), 0.5 * np.eye(2))
    assert_array_equal(as_drift([1, 2], 2, 2), np.diag([1.0, 2.0, 1.0, 2.0]))
    assert as_cap(False) == np.inf
    assert 1.0 < as_cap(True) < np.inf
    assert as_regularization(None) is None
    assert as_regularization(2) == 2.0


def test_steps_are_a_copy():
    given = np.ones(2)
    steps = as_steps(given, 2)
    given[:] = 5.0
    assert_array_equal(steps, [1.0, 1.0])


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, "3", None, True, np.nan, [1]])
def test_whole_numbers(value):
    with pytest.raises(ValueError, match=r"`dim` must be a whole number, 1 or more"):
        positive_integer(value, "dim")


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], [[1.0] * 3], "x", [1.0, [2.0]], 1j, None])
def test_steps(step):
    with pytest.raises(ValueError, match=r"step=.* must be a positive finite number, or 3 of them.*Try 1e-3"):
        as_steps(step, 3)


@pytest.mark.parametrize("start", [1.0, [1.0], [[1.0], [2.0]], [np.nan] * 3, [np.inf] * 3, "x", ["a"] * 3, [1j] * 3])
def test_starts(start):
    with pytest.raises(ValueError, match=r"start= must be finite parameters of shape \(3, 1\); got"):
        as_start(start, 3, 1)


@pytest.mark.parametrize("memory", [0.0, 1.0, -5.0, np.nan, np.inf, "x", [100.0]])
def test_memory(memory):
    with pytest.raises(ValueError, match=r"memory=.* must be a number of sets above 1; 1000 remembers about the last"):
        as_forgetting(memory)


@pytest.mark.parametrize("drift", [0.0, -1.0, np.nan, np.inf, "x", [1.0], [1.0, 2.0, 3.0], [1.0, 0.0], [[1.0, 2.0]]])
def test_drift(drift):
    with pytest.raises(ValueError, match=r"drift=.* must be a positive variance a set, or 2 of them, one for each"):
        as_drift(drift, 3, 2)


@pytest.mark.parametrize("regularization", [0.0, -1.0, np.nan, np.inf, "x", [1.0]])
def test_regularization(regularization):
    with pytest.raises(ValueError, match=r"regularization=.* must be a positive number"):
        as_regularization(regularization)


@pytest.mark.parametrize("robust", [None, 1, "yes", np.nan])
def test_robust(robust):
    with pytest.raises(ValueError, match=r"robust=.* must be True or False"):
        as_cap(robust)


@dataclass(frozen=True, eq=False)
class Some(Options):
    """Options of a method."""

    memory: float | None = option(None, "How many sets are remembered.", "number", "SETS")
    start: object = option(None, "Where to begin.")


def test_options_are_declared_once_with_what_is_said_about_them():
    assert Options.infos() == {}
    assert Some.infos() == {
        "memory": OptionInfo("How many sets are remembered.", "number", "SETS"),
        "start": OptionInfo("Where to begin."),
    }
    assert Some(memory=5.0).memory == 5.0


@pytest.mark.parametrize(
    "value", [True, "0.1", 1j, np.array([1j]), 10**400, None, [None], object(), b"1", np.ma.masked]
)
def test_what_is_no_number_is_no_option(value):
    for check in (lambda v: as_steps(v, 2), lambda v: as_drift([v], 1, 1), lambda v: as_start([v], 1, 1)):
        with pytest.raises(InputError):
            check(value)


def test_a_start_is_copied():
    theta = np.ones((2, 1))
    start = as_start(theta, 2, 1)
    theta[:] = 5.0
    assert start.tolist() == [[1.0], [1.0]]
