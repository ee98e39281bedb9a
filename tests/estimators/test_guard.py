"""What a method returns is checked before it is believed."""

from dataclasses import replace

import numpy as np
import pytest

from vieta.errors import ComputationError, MethodError
from vieta.estimators.guard import checked_solution, computing
from vieta.method import registry
from vieta.solution import Solution

RIGHT = Solution(np.zeros((2, 3)), np.eye(6), np.eye(1), 5)
METHOD = registry.get("lms")


def test_a_solution_of_the_right_shapes_passes_as_it_is():
    assert checked_solution(RIGHT, METHOD, 2, 3) is RIGHT
    unknown = replace(RIGHT, cov=np.full((6, 6), np.nan))
    assert checked_solution(unknown, METHOD, 2, 3) is unknown


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("no solution", "a str where a vieta.solution.Solution is needed"),
        (None, "a NoneType"),
        (replace(RIGHT, theta=np.zeros((3, 2))), r"theta of shape \(3, 2\) where \(2, 3\) is needed"),
        (replace(RIGHT, theta=np.zeros(6)), r"theta of shape \(6,\)"),
        (replace(RIGHT, cov=np.eye(5)), r"cov of shape \(5, 5\) where \(6, 6\)"),
        (replace(RIGHT, noise=np.ones(1)), r"noise of shape \(1,\)"),
        (replace(RIGHT, theta=np.full((2, 3), np.nan)), "parameters that are not finite"),
    ],
)
def test_anything_else_is_reported_by_the_methods_name(wrong, words):
    with pytest.raises(MethodError, match=f"method 'lms' returned {words}") as caught:
        checked_solution(wrong, METHOD, 2, 3)
    assert caught.value.code == "method-result"


@pytest.mark.parametrize(
    ("raised", "code"), [(np.linalg.LinAlgError("Singular."), "not-computable"), (MemoryError(), "out-of-memory")]
)
def test_what_a_library_raises_becomes_an_error_of_ours(raised, code):
    with pytest.raises(ComputationError, match="method 'lms'") as caught, computing(METHOD):
        raise raised
    assert caught.value.code == code


def test_no_floating_point_warning_escapes_whatever_the_callers_settings_are():
    with np.errstate(all="raise"), computing(METHOD):
        assert np.isinf(np.array([1e200]) ** 2).all()
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):  # without it, it would
        np.array([1e200]) ** 2


def test_an_interruption_that_a_kernel_hides_is_shown():
    def interrupted():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as signal:
            raise SystemError("a result with an exception set") from signal

    with pytest.raises(KeyboardInterrupt), computing(METHOD):
        interrupted()
    with pytest.raises(SystemError, match="another"), computing(METHOD):
        raise SystemError("another")
