"""Recursive scoring against the same recursion in NumPy, one set at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import THETA, data, drawn
from vieta.answers.binary import BinaryLikelihood, counts
from vieta.answers.binary_stream import score_stream

LAW = BinaryLikelihood(3, 2, "logit")


@pytest.mark.parametrize("forgetting", [1.0, 0.99])
def test_the_kernel_is_the_recursion(forgetting):
    sets, psi, b = drawn("binary", 60)
    block = data(sets, psi, b)
    first = 10.0 * LAW.sums(block, THETA.ravel()).information  # so that no step is shortened
    theta, H, M = THETA.copy(), first.copy(), first.copy()
    variance = score_stream(counts(block), psi, b, LAW.code, 0.0, forgetting, theta, H, M)
    u, twin_H, twin_M, total = THETA.ravel().copy(), first.copy(), first.copy(), 0.0
    for k in range(60):
        one = LAW.sums(block.part(k, k + 1), u)
        twin_H = forgetting * twin_H + one.information
        twin_M = forgetting**2 * twin_M + one.information
        p = 1.0 / (1.0 + np.exp(-(psi[k] @ u.reshape(3, 2).T + b[k])))
        total += (p * (1.0 - p)).mean()
        u = u + np.linalg.solve(twin_H, one.score)
    assert_allclose(theta.ravel(), u, rtol=1e-7)
    assert_allclose(H, twin_H, rtol=1e-7, atol=1e-12)
    assert_allclose(M, twin_M, rtol=1e-7, atol=1e-12)
    assert_allclose(variance, total, rtol=1e-7)


def test_no_set_moves_a_predictor_far():
    theta, H = np.array([[20.0], [0.0]]), 1e-9 * np.eye(2)
    score_stream(np.array([0]), np.ones((1, 1)), np.zeros(1), LAW.code, 0.0, 1.0, theta, H, H.copy())
    assert abs(theta - [[20.0], [0.0]]).max() <= 1.0 + 1e-9
