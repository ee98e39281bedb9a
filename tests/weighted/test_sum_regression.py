"""The regression of the readings' sum: least squares on all rows, whatever the units and however the sets were cut."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import DISTINCT
from tests.weighted.cases import cut
from vieta.sets import Data, as_data
from vieta.sums import in_memory
from vieta.weighted import sum_regression
from vieta.weighted.sum_regression import (
    SAMPLE,
    Strided,
    Triangle,
    as_matrices,
    input_gain,
    regress,
    weakest_direction,
)

every_case = pytest.mark.parametrize("case", DISTINCT, ids=str)


def naive(data):
    """b, the noise covariance, and skewness and kurtosis, from all rows at once."""
    psi, sums = as_matrices(data), data.sets.sum(axis=1)
    N, L, p = data.sets.shape
    b = np.linalg.lstsq(psi.reshape(-1, data.dim), sums.reshape(-1))[0]
    residuals = sums - psi @ b
    floor = 1e-16 * np.mean(data.sets**2)
    unit = residuals / np.sqrt(np.mean(residuals**2))
    shape = np.sqrt(L) * np.mean(unit**3), 3.0 + L * (np.mean(unit**4) - 3.0)
    return b, residuals.T @ residuals / (L * max(N - data.dim / p, 1.0)) + floor * np.eye(p), shape


@every_case
@pytest.mark.parametrize("sizes", [(), (1,), (3, 1, 40), (150, 149)], ids=str)
def test_blocks_give_least_squares_on_all_rows(case, sizes):
    data = case.data(300)
    found, (b, noise, shape) = regress(cut(data, *sizes)), naive(data)
    assert (found.n_sets, found.n_systems) == (300, case.n_systems)
    assert_allclose(found.solution, b, rtol=1e-12, atol=1e-13)
    assert_allclose(found.noise, noise, rtol=1e-11, atol=1e-12 * abs(noise).max())
    assert_allclose(found.shape, shape, rtol=1e-9, atol=1e-9)
    assert_allclose(found.residuals(data.part(0, 7)), (data.sets.sum(axis=1) - as_matrices(data) @ b)[:7], atol=1e-12)


@pytest.mark.parametrize("blocks", [1, 7])
def test_badly_scaled_inputs_are_as_accurate_as_least_squares(blocks):
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(9e4, 1e5, 2000))
    rows = np.stack([np.ones(2000), t], axis=1)
    data = as_data(rows @ np.array([[3.0, 0.1], [1.0, -0.2]]).T + 0.1 * rng.normal(size=(2000, 2)), rows)
    found, (b, noise, _) = regress(in_memory(data, blocks)), naive(data)
    assert_allclose(found.solution, b, rtol=1e-9)
    assert_allclose(found.noise, noise, rtol=1e-9)
    normal = np.linalg.solve(rows.T @ rows, rows.T @ data.sets.sum(axis=(1, 2)))
    assert abs(normal / b - 1.0).max() > 1e-9  # sums of products would not do


def test_noise_is_that_of_the_sum():
    for case in DISTINCT:
        found = regress(in_memory(case.data(2000, noise=0.3))).noise
        assert_allclose(found, 0.09 * np.eye(len(found)), atol=5 * 0.09 * np.sqrt(2 / 2000))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_sums_that_are_fitted_exactly_leave_rounding(n):
    data = as_data(np.random.default_rng(n).normal(size=(n, 2)), np.random.default_rng(0).normal(size=(n, 3)))
    found = regress(in_memory(data))
    assert found.noise.item() < 1e-15 * np.mean(data.sets**2)
    assert (found.weakest > 0.0) is (n == 3)
    zeros = regress(in_memory(as_data(np.zeros((5, 2)), None)))
    assert_allclose(zeros.noise.item(), 1e-16)
    assert zeros.scale == 1.0


def test_weak_inputs_are_measured():
    rng = np.random.default_rng(0)
    psi = rng.normal(size=(200, 3))

    def weakest(rows, blocks=3):
        return regress(in_memory(as_data(np.zeros((len(rows), 2)), rows), blocks)).weakest

    scaled = psi / np.linalg.norm(psi, axis=0)
    values = np.linalg.eigvalsh(scaled.T @ scaled)
    assert_allclose(weakest(psi), values[0] / values[-1], rtol=1e-10)
    assert_allclose(weakest(psi * [1.0, 1e-4, 1e3]), weakest(psi), rtol=1e-6)  # units
    psi[:, 2] = psi[:, 1]
    assert weakest(psi) < 1e-13
    psi[:, 2] = 0.0
    assert weakest(psi) == 0.0
    assert weakest_direction(np.zeros((3, 2))) == 0.0


@pytest.mark.parametrize(("law", "skewness", "kurtosis"), [("normal", 0, 3), ("laplace", 0, 6), ("exponential", 2, 9)])
def test_shape_of_noise_comes_from_the_sum(law, skewness, kurtosis):
    rng = np.random.default_rng(5)
    noise = getattr(rng, law)(size=(200_000, 3))
    noise = (noise - noise.mean()) / noise.std()
    psi = rng.normal(size=200_000)
    found = regress(in_memory(as_data(psi[:, None] * [-2.0, 5.0, 8.0] + noise, psi), 4)).shape
    assert abs(found[0] - skewness) < 0.15
    assert abs(found[1] - kurtosis) < 0.9


@pytest.mark.parametrize("rows", [2, 5, 40])
def test_triangles_merge_as_if_rows_were_stacked(rows):
    rng = np.random.default_rng(rows)
    A = rng.normal(size=(rows, 4)) * [1.0, 1e3, 1e-3, 1.0]
    for at in (0, 1, rows - 1):
        R = (Triangle.of(A[:at]) + Triangle.of(A[at:])).square(4)
        assert R.shape == (4, 4)
        assert_allclose(R.T @ R, A.T @ A, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("n", [5, SAMPLE, SAMPLE + 1, 70_001])
def test_a_strided_sample_does_not_depend_on_the_cut(n):
    values = np.random.default_rng(n).normal(size=n)
    whole = Strided.of(values, 0)
    assert len(whole.values) <= SAMPLE
    assert n <= SAMPLE or len(whole.values) > SAMPLE // 2
    assert_array_equal(whole.values, values[:: whole.stride])
    for cuts in ([1], [n // 2], [3, n - 1], [n // 3, n // 2]):
        pieces = np.split(np.arange(n), cuts)
        parts = [Strided.of(values[piece], piece[0]) for piece in pieces if len(piece)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        assert_array_equal(total.places, whole.places)
        assert_array_equal(total.values, whole.values)
        assert total.stride == whole.stride


@every_case
def test_matrices_give_the_response(case):
    data = case.data(5)
    psi = as_matrices(data)
    assert psi.shape == (5, data.reading_dim, data.dim)
    assert psi.flags.c_contiguous
    if data.inputs.ndim == 1:
        assert_allclose(psi, [c * np.eye(data.dim) for c in data.inputs])
    else:
        assert_array_equal(psi, data.inputs)


def test_a_sum_of_squares_too_large_is_no_warning_for_readings_that_are_allowed():
    sets = 1e99 * np.random.default_rng(0).normal(size=(100, 2, 1))
    found = regress(in_memory(Data(sets, np.ones(100), 1)))
    assert np.isfinite(found.noise).all()
    assert np.isfinite(found.shape).all()
    assert sum_regression.ROUNDING == 1e-16


def test_how_far_parameters_move_the_mean_readings():
    rng = np.random.default_rng(0)
    rows = np.stack([np.ones(50), rng.normal(size=50)], axis=1)
    theta = rng.normal(size=(3, 2))
    regression = regress(in_memory(as_data(rows @ theta.T + 0.1 * rng.normal(size=(50, 3)), rows)))
    other = theta + rng.normal(size=(3, 2))
    expected = np.sqrt(((rows @ (theta - other).T) ** 2).mean(axis=0)).max()
    assert_allclose(regression.moved(theta, other), expected)
    assert regression.moved(theta, 1e200 * other) == np.inf


def test_later_inputs_tell_more_where_they_go_elsewhere():
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(60), np.concatenate([rng.normal(size=40), 5.0 * rng.normal(size=20)])])
    data = as_data(rng.normal(size=(60, 2)), rows)
    before, since = rows[:40].T @ rows[:40], rows[40:].T @ rows[40:]
    assert input_gain(data, 40) == pytest.approx(np.linalg.eigvals(np.linalg.solve(before, since)).real.max())
    assert input_gain(as_data(data.sets[:, :, 0], rows[:, ::-1] * [7.0, 1e-6]), 40) == pytest.approx(
        input_gain(data, 40)
    )
