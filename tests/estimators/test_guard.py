"""What a method returns is checked before it is believed."""

from dataclasses import replace

import numpy as np
import pytest

from vieta.errors import ComputationError, MethodError
from vieta.estimators.guard import checked_solution, solvable
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


def test_equations_that_cannot_be_solved_are_an_error_of_ours():
    with (
        pytest.raises(ComputationError, match="cannot be solved: Singular matrix") as refused,
        solvable(),
    ):
        np.linalg.inv(np.zeros((2, 2)))
    assert refused.value.code == "not-solvable"
