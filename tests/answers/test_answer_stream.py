"""Recursive scoring in blocks against its formulas, and late scores."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import THETA, data, drawn
from vieta.answers.answer_stream import LATELY, begin, has_changed, remembered, scored
from vieta.answers.count import CountLikelihood
from vieta.answers.quasi_counts import QuasiCounts

LAW = CountLikelihood(3, 2)


@pytest.mark.parametrize("forgetting", [1.0, 0.98])
def test_a_block_is_scored_as_the_formulas_say(forgetting):
    sets, psi, b = drawn("count", 40)
    block, u = data(sets, psi, b), THETA.ravel()
    first = begin(LAW, block, u, forgetting)
    found = scored(LAW, first, block, forgetting)
    w, g = forgetting ** np.arange(39.0, -1.0, -1.0), LAW.scores(block, u)[1]
    H = sum(w[k] * np.outer(g[k], g[k]) for k in range(40))
    M = sum(w[k] ** 2 * np.outer(g[k], g[k]) for k in range(40))
    assert_allclose(first.information, H, rtol=1e-9)
    assert_allclose(first.meat, M, rtol=1e-9)
    assert_allclose(found.information, forgetting**40 * H + H, rtol=1e-9)
    assert_allclose(found.meat, forgetting**80 * M + M, rtol=1e-9)
    step = np.linalg.solve(found.information, g.T @ w)
    assert abs(psi @ step.reshape(3, 2).T).max() < 1.0
    assert_allclose(found.u, u + step, rtol=1e-6)
    assert_allclose(found.late, g.sum(axis=0), rtol=1e-9)


def test_quasi_scores_have_squares_of_their_own():
    sets, psi, b = drawn("count", 50)
    block, law = data(sets, psi, b), QuasiCounts(3, 2, 1.5)
    found, g = begin(law, block, THETA.ravel(), 1.0), law.scores(block, THETA.ravel())[1]
    assert_allclose(found.information, law.sums(block, THETA.ravel()).information, rtol=1e-9)
    assert_allclose(found.meat, g.T @ g, rtol=1e-9)
    w = np.linspace(0.1, 1.0, 50)
    each = sum(w[k] * law.sums(block.part(k, k + 1), THETA.ravel()).information for k in range(50))
    assert_allclose(law.weighted(block, THETA.ravel(), w), each, rtol=1e-7, atol=1e-9)


def test_late_scores_tell_a_change_and_nothing_where_there_is_none():
    rng = np.random.default_rng(0)
    now = begin(LAW, data(*drawn("count", 40)), THETA.ravel(), 1.0)
    now = replace(now, information=np.eye(6) * 1e9, meat=np.eye(6) * 1e9)  # unknowns that are known

    def later(shift):
        g = shift + rng.standard_normal((64, 6))
        return remembered(now, g, g.T @ g, g.T @ g)

    for _ in range(200):
        now = later(0.0)
        assert not has_changed(now)
    spread = LATELY / 2.0  # of the sum of weights squared
    assert_allclose(np.diag(now.late_squares), spread, rtol=0.3)
    for _ in range(10):
        now = later(0.6)
    assert has_changed(now)
    assert not now.forgetful().late.any()
