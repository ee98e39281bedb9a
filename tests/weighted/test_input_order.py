"""Inputs in a wrong order: shifts against least squares on shifted inputs, slopes of zero, levels by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.input_order import better_shift, slopes_probability, varying_inputs

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def draw(seed, n=400, by=0, inputs="uniform", theta=THETA):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    x = {"uniform": rng.uniform(-1, 1, n), "season": np.sin(t / 3.0), "walk": 0.1 * rng.normal(size=n).cumsum()}[inputs]
    rows = np.column_stack([np.ones(n), x])
    sets = rng.permuted(rows @ theta.T + 0.5 * rng.normal(size=(n, 3)), axis=1)
    return as_data(sets, np.roll(rows, by, axis=0))


def shift(data, blocks=1):
    passes = in_memory(data, blocks)
    return better_shift(passes, len(data), varying_inputs(passes))


def test_which_inputs_vary():
    passes = in_memory(draw(0), 5)
    assert_array_equal(varying_inputs(passes), [False, True])


@pytest.mark.parametrize("by", [-3, -1, 1, 2])
@pytest.mark.parametrize("blocks", [1, 6])
def test_a_shift_is_found(by, blocks):
    for seed in range(3):
        found = shift(draw(seed, by=by), blocks)
        assert found.by == -by
        assert found.z > 5.0


@pytest.mark.parametrize("inputs", ["uniform", "season", "walk"])
@pytest.mark.parametrize("theta", [THETA, np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]])], ids=["slopes", "none"])
def test_no_shift_is_found_where_there_is_none(inputs, theta):
    assert max(shift(draw(seed, 100, inputs=inputs, theta=theta)).z for seed in range(200)) < 3.3


def test_the_figure_is_that_of_two_regressions():
    """Up to the few sets at the ends that have no shifted input."""
    data = draw(1, 2000, by=1)
    x, s = data.inputs[:, 0, 1] if data.inputs.ndim == 3 else data.inputs[:, 1], data.sets.sum(axis=(1, 2))
    y, own, other = s[:-1] - s.mean(), x[:-1] - x.mean(), x[1:] - x.mean()
    a, b = own * (own @ y) / (own @ own), other * (other @ y) / (other @ other)
    gain = ((y - a) ** 2).sum() - ((y - b) ** 2).sum()
    assert_allclose(shift(data).z, gain / (2.0 * (y - a).std() * np.linalg.norm(a - b)), rtol=0.02)


def test_slopes_of_zero():
    cov = np.diag([1.0, 4.0, 1.0, 4.0])
    theta = np.array([[50.0, 1.0], [70.0, -2.0]])
    assert_allclose(slopes_probability(theta, cov, np.array([False, True])), np.exp(-0.5 * (0.25 + 1.0)))
    assert slopes_probability(theta, cov, np.array([True, True])) < 1e-9
    assert slopes_probability(theta, cov, np.array([False, False])) == 0.0
    assert slopes_probability(theta, np.full((4, 4), np.nan), np.array([False, True])) == 0.0


def test_inputs_in_a_wrong_order_are_reported():
    codes = []
    for seed in range(6):
        data = draw(seed, 500)
        rng = np.random.default_rng(100 + seed)
        rows = data.inputs.reshape(500, 2)[rng.permutation(500)]
        codes.append({one.code for one in vieta.fit(data.sets[:, :, 0], rows).findings if one.severity != "note"})
    assert sum(bool(one) for one in codes) >= 5
    assert sum("inputs-explain-nothing" in one for one in codes) >= 4
    late = draw(0, 500, by=1)
    found = vieta.fit(late.sets[:, :, 0], late.inputs.reshape(500, 2))
    assert "inputs-shifted" in {one.code for one in found.findings}
