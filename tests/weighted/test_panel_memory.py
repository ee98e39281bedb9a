"""Memory in few sets: its size without the bias of the fit, errors that hold, and false alarms at their level."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import toeplitz
from scipy.stats import t

import vieta
from vieta.weighted.panel_memory import LEVEL, panel_memory


def noise(N, L, rho, rng):
    u = rng.standard_normal((N, L))
    for k in range(1, N):
        u[k] = rho * u[k - 1] + np.sqrt(1.0 - rho**2) * u[k]
    return u


def trend(N):
    return np.column_stack([np.ones(N), np.linspace(0.0, 1.0, N)])


def left(rows, readings):
    return readings - rows @ np.linalg.lstsq(rows, readings, rcond=None)[0]


@pytest.mark.parametrize(("N", "rho"), [(30, 0.6), (60, 0.9)])
def test_errors_hold_and_those_without_memory_do_not(N, rho):
    rows, runs, held, plainly, found = trend(N), 200, 0, 0, []
    plain = np.diag(np.linalg.inv(rows.T @ rows)) / (N - 2)
    for seed in range(runs):
        u = noise(N, 3, rho, np.random.default_rng([seed, N]))
        r, theta = left(rows, u), np.linalg.lstsq(rows, u, rcond=None)[0].T
        memory, squares = panel_memory(rows, r), (r**2).sum(axis=0)[:, None]
        plainly += np.mean(abs(theta) < t.ppf(0.975, N - 2) * np.sqrt(squares * plain))
        if memory is None:
            continue
        found.append(memory.rho)
        held += np.mean(abs(theta) < t.ppf(0.975, memory.dof) * np.sqrt(squares * np.diag(memory.cov)))
    assert len(found) > 0.9 * runs
    assert_allclose(np.mean(found), rho, atol=0.08)
    assert held / len(found) > 0.9
    assert plainly / runs < 0.75


def test_the_covariance_is_the_sandwich_of_its_correlations():
    rows = trend(25)
    r = left(rows, noise(25, 4, 0.8, np.random.default_rng(1)))
    memory = panel_memory(rows, r)
    R = toeplitz(memory.rho ** np.arange(25))
    inverse = np.linalg.inv(rows.T @ rows)
    M = np.eye(25) - rows @ inverse @ rows.T
    assert_allclose(memory.cov, inverse @ rows.T @ R @ rows @ inverse / np.trace(M @ R), rtol=1e-8)
    assert_allclose(memory.dof, np.trace(M @ R) ** 2 / np.trace(M @ R @ M @ R), rtol=1e-8)
    assert_allclose(memory.factors(rows) ** 2, np.diag(memory.cov) * 23.0 / np.diag(inverse), rtol=1e-8)


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_false_alarms_are_as_rare_as_they_should_be_also_where_systems_err_alike(shared):
    rows, runs = trend(24), 2000
    rng = np.random.default_rng(3)
    draws = np.sqrt(1.0 - shared) * rng.standard_normal((runs, 24, 5)) + np.sqrt(shared) * rng.standard_normal(
        (runs, 24, 1)
    )
    found = sum(panel_memory(rows, left(rows, u)) is not None for u in draws)
    assert found < runs * LEVEL + 4.0 * np.sqrt(runs * LEVEL)


def test_memory_against_the_trend_is_no_reason_for_smaller_errors():
    rng = np.random.default_rng(5)
    rows = rng.choice([-1.0, 1.0], (40, 1)) * np.resize([1.0, -1.0], 40)[:, None]
    assert (panel_memory(rows, left(rows, noise(40, 3, 0.9, rng))).factors(rows) >= 1.0 - 1e-12).all()


def test_nothing_is_said_of_exact_or_very_few_sets():
    rows = trend(20)
    assert panel_memory(rows, np.zeros((20, 3))) is None
    assert panel_memory(rows[:9], left(rows[:9], noise(9, 3, 0.9, np.random.default_rng(0)))) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("N", "L"), [(60, 5), (36, 3)])
def test_a_panel_whose_noise_lasts_says_so(seed, N, L):
    """Five lines in 60 sets are assigned, three in 36 solved by weighted equations, whose scores do not show memory in so few sets."""
    rng, rows = np.random.default_rng([seed, N]), trend(N)
    theta = np.column_stack([10.0 * np.arange(L), rng.standard_normal(L)])
    sets = rng.permuted(rows @ theta.T + noise(N, L, 0.8, rng), axis=1)
    found = vieta.fit(sets, rows)
    (told,) = (one for one in found.findings if one.code == "memory")
    assert told.facts["factor"] > 1.5
    assert found.n_sets_effective < 0.5 * N
    assert (abs(found.theta - theta) < 5.0 * found.stderr).all()
