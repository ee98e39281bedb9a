"""Diagnostics: what they measure, and what chance makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import DISTINCT, shuffle
from vieta.sets import Data, as_data
from vieta.sums import in_memory
from vieta.weighted import diagnostics, solve
from vieta.weighted.misfit import Misfit
from vieta.weighted.sum_regression import SAMPLE, as_matrices, regress

LINES = np.array([[-2.0], [1.0], [4.0]])
VECTORS = np.array([[1.0, -2.0], [2.0, 1.0]])


def draw(kind, seed, n=2000, common=0.0):
    """Sets whose noises share a part `common` of their variance, and inputs."""
    rng = np.random.default_rng(seed)
    if kind == "numbers":
        psi = rng.uniform(0.5, 1.5, n)
        clean = psi[:, None, None] * LINES
    else:
        psi = rng.normal(size=(n, 1 if kind == "rows" else 2, 2))
        clean = np.einsum("npd,ld->nlp", psi, VECTORS)
    own, shared = rng.normal(size=clean.shape), rng.normal(size=(n, 1, clean.shape[2]))
    return as_data(shuffle(clean + 0.3 * (np.sqrt(1 - common) * own + np.sqrt(common) * shared), rng), psi)


every_kind = pytest.mark.parametrize("kind", ["numbers", "rows", "matrices"])


def dependence(data, blocks=1):
    passes = in_memory(data, blocks)
    return diagnostics.dependence(passes, solve.fit(passes))


def input_dependence(data, blocks=1):
    passes = in_memory(data, blocks)
    return diagnostics.input_dependence(passes, regress(passes))


@every_kind
def test_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    runs = 60
    clean = [draw(kind, seed, n=600) for seed in range(runs)]
    z = np.array([dependence(data) for data in clean])
    directions = 2 if kind == "matrices" else 1  # the larger of two in absolute value
    assert abs(z).max() < 4.5
    assert abs(z.mean()) < 5 * np.sqrt(directions / runs)
    assert 0.4 < z.std() < 1.2 + 0.5 * (directions - 1)
    for seed in range(3):
        data = draw(kind, seed, n=3000, common=0.8)
        assert dependence(data) > 4.5


def test_dependence_cannot_be_told_under_one_input_or_from_one_system():
    rng = np.random.default_rng(0)
    data = as_data(shuffle(LINES + 0.3 * rng.normal(size=(500, 3, 1)) + rng.normal(size=(500, 1, 1)), rng), None)
    assert dependence(data) == 0.0
    one = as_data(rng.normal(size=(500, 1)), rng.normal(size=500))
    assert dependence(one) == 0.0
    few = draw("numbers", 0, n=diagnostics.ENOUGH - 1)
    assert dependence(few) == 0.0


@every_kind
def test_input_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    z = np.array([input_dependence(draw(kind, seed)) for seed in range(200)])
    assert abs(z).max() < 4.5
    assert 0.8 < z.std() < 2.0  # the largest of two or three
    for seed in range(3):
        data = draw(kind, seed)
        psi = as_matrices(data)
        clean = np.einsum("npd,ld->nlp", psi, LINES if kind == "numbers" else VECTORS)
        size = np.sqrt((psi**2).sum(axis=(1, 2)))
        loud = clean + 0.3 * np.random.default_rng([seed, 1]).normal(size=clean.shape) * size[:, None, None]
        assert input_dependence(Data(loud, data.inputs, data.dim)) > 4.5
        biased = data.sets + 0.2 * (size**2)[:, None, None]
        assert abs(input_dependence(Data(biased, data.inputs, data.dim))) > 4.5


def test_input_dependence_cannot_be_told_under_one_input():
    data = as_data(np.random.default_rng(0).normal(size=(500, 2)), None)
    assert input_dependence(data) == 0.0
    assert input_dependence(draw("rows", 0, n=diagnostics.ENOUGH - 1)) == 0.0


def test_share_of_outliers():
    found = solve.fit(in_memory(draw("numbers", 0, n=400)))
    assert_allclose(diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.ones(400)))), 2 / 400)
    assert_allclose(diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.r_[np.ones(398), 199.0, 199.0]))), 0.5)
    assert diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.zeros(400)))) == 0.0
    assert diagnostics.outlier_share(found) < 0.1


@pytest.mark.parametrize("case", DISTINCT, ids=str)
def test_data_without_noise_are_recognized(case):
    assert diagnostics.is_exact(solve.fit(in_memory(case.data(100, noise=0.0))))
    assert not diagnostics.is_exact(solve.fit(in_memory(case.data(100, noise=1e-3))))


# --- against all sets at once ---------------------------------------------------------------------------------------


def naive_slope(response, regressor):
    x, y = regressor - regressor.mean(), response - response.mean()
    residual = y - x * (x @ y) / (x @ x)
    return (x @ y) / np.sqrt(((x * residual) ** 2).sum())


@every_kind
@pytest.mark.parametrize("blocks", [1, 7])
def test_input_dependence_is_a_regression_on_ranks(kind, blocks):
    data = draw(kind, 4, n=1500)
    psi, sums = as_matrices(data), data.sets.sum(axis=1)
    residuals = sums - psi @ np.linalg.lstsq(psi.reshape(-1, data.dim), sums.reshape(-1))[0]
    ranks = np.argsort(np.argsort((psi**2).sum(axis=(1, 2)))) / len(data) - 0.5
    values = [naive_slope(y, ranks) for y in ((residuals**2).sum(axis=1), *residuals.T)]
    assert_allclose(input_dependence(data, blocks), max(values, key=abs), rtol=1e-9)


def test_ranks_in_a_sample_serve_for_many_sets():
    rng = np.random.default_rng(0)
    n = 3 * SAMPLE
    psi = rng.uniform(0.5, 1.5, n)
    data = as_data(psi[:, None] * [-2.0, 4.0] + 0.3 * rng.normal(size=(n, 2)) * psi[:, None] ** 0.05, psi)
    exact = np.argsort(np.argsort(psi**2)) / n - 0.5
    sums = data.sets.sum(axis=(1, 2))
    residuals = sums - psi * (psi @ sums) / (psi @ psi)
    expected = naive_slope(residuals**2, exact)
    assert abs(expected) > 3.0
    for blocks in (1, 5):
        assert_allclose(input_dependence(data, blocks), expected, rtol=0.01)


def test_equal_sizes_share_a_rank():
    """Sizes that repeat, in the order of time, must not smuggle time in."""
    rng = np.random.default_rng(1)
    psi = np.repeat([1.0, -1.0, 2.0, -2.0], 300)
    sets = psi[:, None] * [-2.0, 4.0] + 0.3 * rng.normal(size=(1200, 2)) * np.linspace(1.0, 2.0, 1200)[:, None]
    forward = input_dependence(as_data(sets, psi))
    order = rng.permutation(1200)
    assert_allclose(input_dependence(as_data(sets[order], psi[order])), forward, rtol=1e-9)


def naive_dependence(data):
    """The score test with one row a set, from the scores of single sets."""
    from vieta.weighted.dependence_kernel import dependence_sums

    found, values = solve.fit(in_memory(data)), []
    for q in range(data.reading_dim):
        y, rows, theta = data.sets[:, :, q].copy(), as_matrices(data)[:, q].copy(), found.theta
        for _ in range(3):
            each = [dependence_sums(y[k : k + 1], rows[k : k + 1], theta, found.noise[q, q]) for k in range(len(y))]
            scores, information = np.array([one[0] for one in each]), sum(one[2] for one in each)
            H = information[:-1, :-1]
            theta = theta + np.linalg.solve(H, scores[:, :-1].sum(axis=0)).reshape(theta.shape)
        effective = scores[:, -1] - scores[:, :-1] @ np.linalg.solve(H, information[:-1, -1])
        values.append(effective.sum() / np.sqrt((effective**2).sum()))
    return max(values, key=abs)


@every_kind
@pytest.mark.parametrize("blocks", [1, 7])
def test_dependence_is_the_score_test_on_all_sets(kind, blocks):
    data = draw(kind, 2, n=500, common=0.3)
    assert_allclose(dependence(data, blocks), naive_dependence(data), rtol=1e-8)
