"""Residuals of sums against a loop, and checks that speak up only where they should."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.report import residual_checks
from vieta.sets import as_data


@pytest.mark.parametrize("shape", ["none", "scalar", "row", "matrix"])
def test_residuals_of_sums_against_a_loop(shape):
    rng = np.random.default_rng(0)
    p, D = (2, 2) if shape in {"none", "scalar"} else (1, 3) if shape == "row" else (2, 3)
    theta, sets = rng.standard_normal((4, D)), rng.standard_normal((5, 4, p))
    inputs = {"none": None, "scalar": rng.standard_normal(5), "row": rng.standard_normal((5, 3))}.get(
        shape, rng.standard_normal((5, 2, 3))
    )
    psi = {
        "none": lambda _: np.eye(2),
        "scalar": lambda k: inputs[k] * np.eye(2),
        "row": lambda k: inputs[k][None],
    }.get(shape, lambda k: inputs[k])
    expected = [sum(sets[k, l] - psi(k) @ theta[l] for l in range(4)) for k in range(5)]
    data = as_data(sets[:, :, 0] if shape == "row" else sets, inputs)
    assert_allclose(residual_checks.of_sums(data, theta), expected, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_checks_speak_up_only_where_they_should(seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(2000)
    assert all(abs(check.z) < 4 for check in residual_checks.checks(noise))
    mean, _ = residual_checks.checks(noise + 0.2)
    assert mean.says.startswith("is not zero")
    _, memory = residual_checks.checks(noise[1:] + 0.5 * noise[:-1])
    assert memory.says.startswith("neighbours in time are alike")


def test_z_values_are_what_they_are_called():
    """Over many draws of white noise they have deviation one; the tolerance is five of its own standard errors."""
    rng = np.random.default_rng(0)
    z = np.array([[check.z for check in residual_checks.checks(rng.standard_normal(200))] for _ in range(1000)])
    assert abs(z.std(axis=0) - 1.0).max() < 5.0 / np.sqrt(2000)
    assert abs(1.2 * z.std(axis=0) - 1.0).min() > 5.0 / np.sqrt(2000)  # the test can fail


@pytest.mark.parametrize("residuals", [np.zeros(100), np.arange(19.0)])
def test_no_test_is_made_of_too_few_or_equal_residuals(residuals):
    (nothing,) = residual_checks.checks(residuals)
    assert nothing.z is None
    assert "no test is possible" in nothing.says
