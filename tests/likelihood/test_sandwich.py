"""Covariance and contrast from sums, against the influence of every set."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import lfilter

from tests.coefficients.cases import CASES
from tests.likelihood.cases import draw, passes_of
from vieta.laws.noise import Gaussian, Laplace, StudentT
from vieta.likelihood.contrast import compare
from vieta.likelihood.curvature import curvature
from vieta.likelihood.model import evaluate
from vieta.likelihood.sandwich import conclude, concluded, joint_sums
from vieta.matching import block_index
from vieta.sets import as_data
from vieta.weighted import solve
from vieta.weighted.score_errors import freeing, leverages

CHOSEN = [CASES[i] for i in (1, 3, 8, 14)]


def test_influences_are_what_leaving_a_set_out_does():
    sets, psi = draw(Gaussian(1.0), n=300)
    whole = solve.fit(passes_of(sets, psi))
    moves = solve.block_scores(as_data(sets, psi), whole) @ np.linalg.inv(whole.information)
    for k in (3, 70, 200):
        rest = solve.fit(passes_of(np.delete(sets, k, axis=0), np.delete(psi, k)))
        assert_allclose(
            (whole.theta - rest.theta[np.argsort(whole.theta[:, 0]).argsort()]).ravel(), moves[k], atol=5e-4
        )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("law", [Gaussian(0.2), Laplace(0.2), StudentT(0.2)], ids=repr)
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_the_sums_give_what_the_influences_of_all_sets_give(case, law, known):
    sets, psi = case.draw(300, noise=0.4)
    data, passes = as_data(sets, psi), passes_of(sets, psi)
    symmetric = solve.fit(passes)
    theta, n = symmetric.theta + 0.01, case.theta.size
    found = conclude(passes, symmetric, theta, law, known)
    at = evaluate(data, theta, law)
    scores = at.scores if known else at.joint
    A = curvature(passes, theta, law, scores.T @ scores)
    moves = (scores @ np.linalg.pinv(A, hermitian=True))[:, :n]
    others = solve.block_scores(data, symmetric) @ np.linalg.pinv(symmetric.information, hermitian=True)
    freed = freeing(leverages(data, symmetric.regression))[:, None]
    moves, others = moves * freed, others * freed
    assert_allclose(found.cov, moves.T @ moves, rtol=1e-8, atol=1e-10 * np.max(moves.T @ moves))
    apart = moves - others
    expected = compare(theta, symmetric.theta, apart.T @ apart, symmetric.cov)
    assert found.contrast.df == expected.df
    assert_allclose(found.contrast.statistic, expected.statistic, rtol=1e-7)
    assert_allclose(found.log_likelihood, at.log_likelihood.sum(), rtol=1e-12)
    alone = compare(theta, symmetric.theta, moves.T @ moves + others.T @ others, symmetric.cov)  # as if independent
    assert not np.isclose(found.contrast.statistic, alone.statistic, rtol=1e-2)


def test_memory_widens_the_errors_of_the_likelihood_too(monkeypatch):
    """Against the exact variance of means of autoregressive noise, (1 + rho) / (1 - rho) / N; the systems are far apart."""
    rng, rho, n = np.random.default_rng(0), 0.7, 2000
    far = np.array([[0.0], [20.0]])
    v = lfilter([np.sqrt(1 - rho**2)], [1, -rho], rng.standard_normal((200 + n, 2)), axis=0)[200:]
    passes = passes_of(far.T + v, np.ones(n))
    monkeypatch.setattr(solve, "find_start", lambda passes, regression, met: solve.Start(far, 1.0, True, None))
    symmetric = solve.fit(passes)
    found = conclude(passes, symmetric, symmetric.theta, Gaussian(1.0), True)
    assert_allclose(np.diag(found.cov), (1 + rho) / (1 - rho) / n, rtol=0.3)
    assert found.basis.n_effective < n / 4


@pytest.mark.parametrize("blocks", [2, 9])
def test_blocks_add_up(blocks):
    sets, psi = draw(Gaussian(1.0), n=300)
    symmetric = solve.fit(passes_of(sets, psi))
    one, many = (
        conclude(passes_of(sets, psi, n), symmetric, symmetric.theta, Gaussian(1.1), False) for n in (1, blocks)
    )
    assert_allclose(many.cov, one.cov, rtol=1e-10)
    assert_allclose(many.contrast.statistic, one.contrast.statistic, rtol=1e-8)
    other = conclude(passes_of(sets[:250], psi[:250]), symmetric, symmetric.theta, Gaussian(1.1), False)
    assert not np.allclose(other.cov, one.cov, rtol=1e-2)


def test_rows_may_be_named_otherwise():
    """Joint sums at rows in another order, brought back: the same conclusion."""
    sets, psi = CASES[3].draw(200, noise=0.4)
    passes, law = passes_of(sets, psi), Gaussian(0.16)
    symmetric = solve.fit(passes)
    rows = np.roll(np.arange(len(symmetric.theta)), 1)
    back = block_index(np.argsort(rows), symmetric.theta.shape[1])
    plain = joint_sums(passes, symmetric, symmetric.theta, law)
    turned = joint_sums(passes, symmetric, symmetric.theta[rows], law)
    assert not np.allclose(turned.cross, plain.cross)
    again = turned.reordered(back)
    assert_allclose(again.likelihood.products, plain.likelihood.products, rtol=1e-9, atol=1e-9)
    assert_allclose(again.cross, plain.cross, rtol=1e-9, atol=1e-7)
    first, second = (
        concluded(sums, sums.likelihood.products, symmetric, symmetric.theta, law) for sums in (plain, again)
    )
    assert_allclose(second.cov, first.cov, rtol=1e-8, atol=1e-12)
