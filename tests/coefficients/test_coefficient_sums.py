"""Least squares against explicit regressors, sums that merge, and errors that hold for any noise."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive
from vieta.coefficients import coefficient_sums
from vieta.coefficients.design import Design
from vieta.errors import NotIdentifiableError
from vieta.laws import noise
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.symmetric import elementary, tensor

from .cases import CASES, agrees, checked, every_case


def fit(design, data):
    return coefficient_sums.fit(design, in_memory(data))


def readings_of(design, sets):
    """Coefficients of each set, from their definition."""
    twin = {"elementary": naive.scalar, "tensor": naive.tensor, "convolution": naive.convolution}[design.transform.name]
    return np.array([twin(points) for points in sets])


@pytest.mark.parametrize("case", [c for c in CASES if c.name in {"elementary", "tensor"} and c.kind != "none"], ids=str)
def test_solution_is_lstsq_on_explicit_regressors(case):
    design, data = case.design(), case.data(60)
    z, L = readings_of(design, data.sets), design.n_systems
    psi = data.inputs if data.inputs.ndim == 3 else data.inputs[:, None, None] * np.eye(data.dim)
    got = fit(design, data).coefficients
    rows = [naive.monomials(data.reading_dim, d) for d in range(1, L + 1)]
    columns = [naive.monomials(data.dim, d) for d in range(1, L + 1)]
    at = np.cumsum([0, *map(len, rows)])
    into = np.cumsum([0, *map(len, columns)])
    for d in range(1, L + 1):
        A = np.array([naive.symmetric_power(P, d) for P in psi]).reshape(-1, len(columns[d - 1]))
        expected = np.linalg.lstsq(A, z[:, at[d - 1] : at[d]].ravel())[0]
        assert_allclose(got[into[d - 1] : into[d]], expected, rtol=1e-9, atol=1e-10)


@every_case
def test_solution_finds_the_truth(case):
    design, data = case.design(), case.data(4000)
    solution = fit(design, data)
    truth = design.transform.parameters.transform(case.theta)
    error = (solution.coefficients - truth) / np.sqrt(np.diag(solution.covariance))
    assert abs(error).max() < 5
    assert np.sqrt((error**2).mean()) > 0.2  # errors not overstated
    assert_allclose(solution.noise, 0.01 * np.eye(data.reading_dim), atol=5 * 0.01 * np.sqrt(2 / 4000))


@every_case
def test_covariance_is_the_sandwich(case):
    design, data = case.design(), case.data(50)
    solution = fit(design, data)
    M = len(solution.coefficients)
    Q, G = np.zeros((M, M)), np.zeros((M, M))
    blocks = design.blocks(data.sets, data.inputs)
    for k in range(50):
        score = np.zeros(M)
        for where, block, lam in zip(design.degrees, blocks, design.split(solution.coefficients)):
            A, z = block.gains[k], block.readings[k]
            Q[where, where] += np.kron(A.T @ A, np.eye(z.shape[1]))
            score[where] = (A.T @ (z - A @ lam)).ravel()
        G += np.outer(score, score)
    inverse = np.linalg.inv(Q)
    assert_allclose(solution.covariance, inverse @ G @ inverse, rtol=1e-6, atol=1e-9 * abs(solution.covariance).max())


@checked
@given(cut=st.integers(1, 59), case=st.sampled_from(CASES))
def test_sums_of_two_streams_add(cut, case):
    design, data = case.design(), case.data(60)
    whole = coefficient_sums.accumulate(design, data.sets, data.inputs)
    first = coefficient_sums.accumulate(design, data.sets[:cut], data.inputs[:cut])
    second = coefficient_sums.accumulate(design, data.sets[cut:], data.inputs[cut:])
    merged = first + second
    assert merged.count == whole.count == 60
    for part, a, b in zip(merged.normal + merged.moment, first.normal + first.moment, second.normal + second.moment):
        assert_array_equal(part, a + b)
    for part, expected in zip(merged.normal + merged.moment, whole.normal + whole.moment):
        assert_allclose(part, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())


def test_sums_of_whole_numbers_merge_without_any_rounding():
    design = Design(elementary(2), "scalar")
    sets = np.random.default_rng(0).integers(-9, 10, size=(50, 2, 1)).astype(float)
    c = np.random.default_rng(1).integers(-9, 10, size=50).astype(float)
    sums = [
        coefficient_sums.accumulate(design, sets[part], c[part]) for part in (slice(20), slice(20, 30), slice(30, 50))
    ]
    whole = coefficient_sums.accumulate(design, sets, c)
    for merged in (sums[0] + sums[1] + sums[2], sums[2] + (sums[1] + sums[0])):
        for a, b in zip(astuple(merged), astuple(whole)):
            np.testing.assert_equal(a, b)


@pytest.mark.parametrize("blocks", [2, 7, 33])
def test_blocks_change_nothing_but_rounding(blocks):
    case = CASES[1]
    design, data = case.design(), case.data(100)
    whole = fit(design, data)
    pieces = coefficient_sums.fit(design, in_memory(data, blocks))
    assert_allclose(pieces.coefficients, whole.coefficients, rtol=1e-12)
    assert_allclose(pieces.covariance, whole.covariance, rtol=1e-9)
    assert_allclose(pieces.noise, whole.noise, rtol=1e-12)
    assert pieces.n_sets == whole.n_sets == 100
    fewer = fit(design, data.part(0, 99))
    assert abs(fewer.coefficients - whole.coefficients).max() > 1e-9  # one set less is another estimate


def test_threads_change_not_a_bit(monkeypatch):
    case = CASES[1]
    design, data = case.design(), case.data(20_000)
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(coefficient_sums, "THREADS", threads)
        found.append(astuple(fit(design, data)))
    for one, three in zip(*found, strict=True):
        assert_array_equal(one, three)


@pytest.mark.parametrize(
    "psi",
    [
        np.zeros((30, 1, 2)),
        np.ones((30, 1, 2)),
        np.stack([np.ones(30), np.zeros(30)], axis=-1)[:, None],
        np.linspace(-1, 1, 30)[:, None, None] * np.array([1.0, -2.0]),
        np.random.default_rng(0).normal(size=(2, 1, 2)),
    ],
    ids=["zero", "constant", "one coordinate", "subspace", "too few"],
)
def test_inputs_that_tell_nothing_are_refused(psi):
    sets = np.random.default_rng(0).normal(size=(len(psi), 2, 1))
    with pytest.raises(NotIdentifiableError, match=r"coefficient\(s\) of degree \d .* Vary the inputs in every coord"):
        fit(Design(tensor(2, 1, 2), "matrix"), Data(sets, psi, 2))


# --- the sandwich against Monte Carlo -------------------------------------------------------------------------------


def monte_carlo(design, theta, psi, law, runs, seed):
    """Solutions of many small data sets that share their inputs."""
    rng = np.random.default_rng(seed)
    clean = psi[:, None, None] * theta if psi.ndim == 1 else np.einsum("npd,ld->nlp", psi, theta)
    n, L, p = clean.shape
    v = law.draw(rng, runs * n, L, p).reshape(runs, n, L, p)
    found = [fit(design, Data(clean + one, psi, theta.shape[1])) for one in v]
    return np.array([s.coefficients for s in found]), np.mean([s.covariance for s in found], axis=0)


LAWS = {
    "gaussian": noise.Gaussian(0.25),
    "laplace": noise.Laplace(0.25),
    "skewed": noise.Skewed(0.25),
}
UNEQUAL = {2: noise.Gaussian((0.04, 1.0)), 3: noise.Gaussian((0.04, 0.25, 1.0))}


def check_sandwich(L, law, runs, seed):
    theta = np.array([[-1.0], [0.5], [2.0]])[:L]
    psi = np.random.default_rng(seed).uniform(0.5, 1.5, size=150)
    samples, predicted = monte_carlo(Design(elementary(L), "scalar"), theta, psi, law, runs, seed)
    assert agrees(samples, predicted)
    assert not agrees(samples, 1.25 * predicted)
    assert not agrees(samples, predicted / 1.25)


@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("law", [*LAWS, "unequal"])
def test_sandwich_holds_for_any_noise(L, law):
    check_sandwich(L, LAWS.get(law, UNEQUAL[L]), runs=2000, seed=L)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 15))
@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("law", [*LAWS, "unequal"])
def test_sandwich_holds_for_any_noise_and_seed(L, law, seed):
    check_sandwich(L, LAWS.get(law, UNEQUAL[L]), runs=6000, seed=seed)


def test_sandwich_holds_for_regressor_rows():
    theta = np.array([[1.0, -0.5], [-1.0, 2.0]])
    psi = np.random.default_rng(0).uniform(-1.5, 1.5, size=(250, 1, 2))
    design = Design(tensor(2, 1, 2), "matrix")
    samples, predicted = monte_carlo(design, theta, psi, noise.Laplace(0.25), runs=2000, seed=0)
    assert agrees(samples, predicted)
    assert not agrees(samples, 1.25 * predicted)


@every_case
def test_noise_is_that_of_the_sums_with_the_freedom_that_is_left(case):
    """Residuals of the readings' sum over L (N - D/p): unbiased however few the sets are."""
    n = 25
    design, data = case.design(), case.data(n)
    if design.inputs == "undone":
        return  # the sum is regressed after the inputs were undone
    sums = data.sets.sum(axis=1)
    psi = data.inputs if data.inputs.ndim == 3 else data.inputs[:, None, None] * np.eye(data.dim)
    rows, columns = psi.reshape(-1, data.dim), sums.reshape(-1)
    left = (columns - rows @ np.linalg.lstsq(rows, columns, rcond=None)[0]).reshape(n, -1)
    used = data.dim / data.reading_dim if data.inputs.ndim == 3 else 1.0
    assert_allclose(fit(design, data).noise, left.T @ left / (data.n_systems * (n - used)), rtol=1e-6)
