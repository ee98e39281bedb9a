"""What errors rest on: leverage against least squares, degrees of freedom, and coverage with and without memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import lfilter

from vieta.matching import match_rows
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import score_errors, solve
from vieta.weighted.sum_regression import regress

LINES = np.array([[0.0, 1.0], [2.0, -1.0], [4.0, 3.0]])


def records(rng, n, rho=0.0, heavy=False):
    x = rng.standard_cauchy(n) if heavy else rng.standard_normal(n)
    rows = np.stack([np.ones(n), x], axis=1)
    v = 0.3 * lfilter([np.sqrt(1 - rho**2)], [1, -rho], rng.standard_normal((200 + n, 3)), axis=0)[200:]
    return as_data(np.sort(rows @ LINES.T + v, axis=1), rows)


def fitted(monkeypatch, passes):
    """A fit that needs no search."""
    monkeypatch.setattr(solve, "find_start", lambda passes, regression, met: solve.Start(LINES, 1.0, True, None))
    return solve.fit(passes)


@pytest.mark.parametrize(("p", "D"), [(1, 3), (3, 3), (2, 4)])
def test_leverages_are_those_of_the_hat_matrix(p, D):
    rng = np.random.default_rng(0)
    psi = rng.standard_normal((20, p, D))
    data = as_data(rng.standard_normal((20, 2, p)), psi)
    X = psi.reshape(-1, D)
    hat = np.diag(X @ np.linalg.inv(X.T @ X) @ X.T).reshape(20, p).sum(axis=1)
    assert_allclose(score_errors.leverages(data, regress(in_memory(data))), hat / min(p, D))


def test_errors_of_systems_far_apart_are_those_of_labeled_regressions(monkeypatch):
    """HC3 of White and MacKinnon for each system, where the order of the readings gives the labels away."""
    rng = np.random.default_rng(1)
    far = np.array([[0.0, 1.0], [1000.0, -1.0], [2000.0, 3.0]])
    X = np.stack([np.ones(40), rng.standard_normal(40)], axis=1)
    y = X @ far.T + 0.3 * rng.standard_normal((40, 3))
    monkeypatch.setattr(solve, "find_start", lambda passes, regression, met: solve.Start(far, 1.0, True, None))
    found = solve.fit(in_memory(as_data(y, X)))
    P = np.linalg.inv(X.T @ X)
    freed = (y - X @ (P @ X.T @ y)) / (1.0 - np.diag(X @ P @ X.T))[:, None]
    for l in range(3):
        block = found.cov[2 * l : 2 * l + 2, 2 * l : 2 * l + 2]
        assert_allclose(block, P @ (X.T * freed[:, l] ** 2) @ X @ P, rtol=0.02)
    assert found.basis.dof == min(38.0, score_errors.TIMES * found.basis.carrying)


def test_a_set_that_alone_tells_a_parameter_has_the_error_of_the_noise_of_all(monkeypatch):
    rng = np.random.default_rng(2)
    X = np.stack([np.ones(100), rng.standard_normal(100)], axis=1)
    X[7, 1] = 1e4
    data = as_data(np.sort(X @ LINES.T + 0.3 * rng.standard_normal((100, 3)), axis=1), X)
    stderr = np.sqrt(np.diag(fitted(monkeypatch, in_memory(data)).cov)).reshape(3, 2)
    assert np.all(abs(stderr[:, 1] / 0.3e-4 - 1.0) < 0.25)


def test_extreme_inputs_leave_few_degrees_of_freedom(monkeypatch):
    found = fitted(monkeypatch, in_memory(records(np.random.default_rng(3), 200, heavy=True)))
    assert found.basis.carrying < 20
    assert found.basis.dof == score_errors.TIMES * found.basis.carrying
    even = fitted(monkeypatch, in_memory(records(np.random.default_rng(3), 200)))
    assert even.basis.carrying > 50


@pytest.mark.parametrize(("n", "rho", "heavy"), [(40, 0.0, False), (40, 0.0, True), (300, 0.6, False)])
def test_intervals_cover(monkeypatch, n, rho, heavy):
    from vieta.quantiles import two_sided

    covered, plain = [], []
    for seed in range(100):
        found = fitted(monkeypatch, in_memory(records(np.random.default_rng(seed), n, rho, heavy)))
        error = abs(found.theta - LINES[match_rows(LINES, found.theta)]).ravel()
        covered.append(error < two_sided(0.95, found.basis.dof) * np.sqrt(np.diag(found.cov)))
        plain.append(error < 1.96 * np.sqrt(np.diag(found.plain_cov)))
        assert found.basis.has_memory == (rho > 0.0) or rho == 0.0
    share = np.mean(covered)
    assert abs(share - 0.95) < 0.035  # 600 intervals, those of a fit not independent
    if rho:
        assert np.mean(np.array(plain)[:, ::2]) < 0.8  # those of the intercepts without regard to memory


def test_memory_does_not_depend_on_how_the_sets_are_cut(monkeypatch):
    data = records(np.random.default_rng(5), 300, 0.7)
    one, many = (fitted(monkeypatch, in_memory(data, blocks)) for blocks in (1, 7))
    assert one.basis.factor > 1.5
    assert_allclose(many.cov, one.cov, rtol=1e-9, atol=1e-12)
    assert_allclose(many.basis.n_effective, one.basis.n_effective, rtol=1e-9)
    assert_allclose(one.growth, np.outer(*2 * [np.sqrt(np.diag(one.cov) / np.diag(one.plain_cov))]))
