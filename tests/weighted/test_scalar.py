"""The kernel for numbers: the same score and information as in the coefficients, and none of their troubles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, coefficients, spread_means, twin
from vieta.weighted.scalar import SEPARATION, misfits, place_nodes, score_and_information, whiten

degrees = pytest.mark.parametrize("L", range(1, 7))


def kernel(y, m, variance):
    L = len(m)
    order, x, A, r = np.empty(L, np.int64), np.empty(L), np.empty((L, L)), np.empty(L)
    J, V, score, information = np.empty((L, L)), np.empty((L, L)), np.empty(L), np.empty((L, L))
    squares = score_and_information(y, m, variance, order, x, A, r, J, V, score, information)
    return score, information, squares


def draw(L, seed, variance=0.5):
    rng = np.random.default_rng([L, seed])
    m = spread_means(rng, L, 1)
    return m + np.sqrt(variance) * rng.normal(size=(L, 1)), m, variance


@degrees
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_the_coefficients(L, seed):
    y, m, variance = draw(L, seed)
    for got, expected in zip(kernel(y[:, 0], m[:, 0], variance), twin(y, m, np.array([[variance]]))):
        assert close(got, expected, 1e-7)
    wrong = twin(y, m, np.array([[1.1 * variance]]))  # the control
    assert not close(kernel(y[:, 0], m[:, 0], variance)[1], wrong[1], 1e-3)


@pytest.mark.parametrize("L", range(2, 6))
@pytest.mark.parametrize("gap", [0.3, 0.03, 0.003])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_where_means_are_close_and_nodes_are_pushed_apart(L, gap, seed):
    rng = np.random.default_rng([L, seed])
    m = 0.5 + gap * rng.permutation(np.arange(L))[:, None]
    y = m + rng.normal(size=(L, 1))
    score, information, squares = kernel(y[:, 0], m[:, 0], 1.0)
    expected = twin(y, m, np.eye(1))
    assert close(score, expected[0], 1e-5)
    assert close(information, expected[1], 1e-5)
    assert_allclose(squares, expected[2], rtol=1e-5)


@degrees
def test_order_of_the_set_is_irrelevant_and_that_of_the_means_moves_along(L):
    rng = np.random.default_rng(L)
    y, m, variance = draw(L, 0)
    score, information, squares = kernel(y[:, 0], m[:, 0], variance)
    for _ in range(5):
        shuffled, order = rng.permutation(y[:, 0]), rng.permutation(L)
        got = kernel(shuffled, m[order, 0], variance)
        assert close(got[0], score[order], 1e-9)
        assert close(got[1], information[np.ix_(order, order)], 1e-9)
        assert_allclose(got[2], squares, rtol=1e-9)


@degrees
def test_units_and_origin_are_irrelevant(L):
    y, m, variance = draw(L, 1)
    score, information, squares = kernel(y[:, 0], m[:, 0], variance)
    for scale, shift in ((1e-3, 0.0), (1e3, 0.0), (1.0, 100.0)):
        got = kernel(scale * y[:, 0] + shift, scale * m[:, 0] + shift, scale**2 * variance)
        assert close(got[0] * scale, score, 1e-8)
        assert close(got[1] * scale**2, information, 1e-8)
        assert_allclose(got[2], squares, rtol=1e-8)


@degrees
def test_misfit_is_the_score_of_the_coefficients(L):
    rng = np.random.default_rng(L)
    algebra = coefficients(L, 1)
    means = np.stack([spread_means(rng, L, 1), 0.1 * spread_means(rng, L, 1), 2.0 * spread_means(rng, L, 1)])
    sets = means + rng.normal(size=means.shape)
    expected = [
        twin(y, m, np.eye(1))[2] + np.linalg.slogdet(algebra.covariance(m, np.eye(1)))[1] for y, m in zip(sets, means)
    ]
    assert_allclose(misfits(sets[:, :, 0], means[:, :, 0], 1.0), expected, rtol=1e-6, atol=1e-6)


def test_misfit_is_least_for_the_right_means():
    rng = np.random.default_rng(0)
    truth = np.array([-1.0, 0.5, 2.0])
    sets = truth + 0.4 * rng.laplace(size=(4000, 3)) / np.sqrt(2)
    right = misfits(sets, np.tile(truth, (4000, 1)), 0.16)
    for shift in ([0.2, 0.0, 0.0], [0.0, -0.2, 0.0], [0.2, 0.2, 0.2], [0.0, 0.7, -0.7]):
        excess = misfits(sets, np.tile(truth + shift, (4000, 1)), 0.16) - right
        assert excess.mean() > 5 * excess.std() / np.sqrt(4000)


@degrees
def test_sets_without_noise_and_means_that_coincide_break_nothing(L):
    y, m, _ = draw(L, 2)
    for means in (m[:, 0], np.zeros(L), np.full(L, 1e3)):
        for variance in (1.0, 1e-16):
            for readings in (means.copy(), y[:, 0]):
                score, information, squares = kernel(readings, means, variance)
                assert np.isfinite(score).all()
                assert np.isfinite(information).all()
                assert np.isfinite(squares)
                assert np.linalg.eigvalsh(information).min() > -1e-9 * np.linalg.eigvalsh(information).max()
        score, _, squares = kernel(means.copy(), means, 1.0)
        assert abs(score).max() < 1e-9
        assert squares < 1e-9


def test_a_pair_of_equal_means_tells_its_sum_and_not_its_difference():
    _, information, _ = kernel(np.array([0.3, -0.2]), np.zeros(2), 1.0)
    assert_allclose(information @ [1.0, -1.0], 0.0, atol=1e-9)
    assert_allclose(np.array([1.0, 1.0]) @ information @ [1.0, 1.0], 2.0, rtol=1e-9)  # as with labels


def test_means_far_apart_are_as_with_labels():
    m = np.array([0.0, 50.0, -50.0])
    _, information, _ = kernel(m + 0.1, m, 1.0)
    assert_allclose(information, np.eye(3), atol=0.01)


def test_nodes_are_in_order_and_apart():
    rng = np.random.default_rng(0)
    for L in range(1, 8):
        means, order, x = rng.normal(size=L), np.empty(L, np.int64), np.empty(L)
        place_nodes(means, SEPARATION, order, x)
        assert_allclose(means[order], np.sort(means))
        assert np.all(np.diff(x) >= SEPARATION * (1 - 1e-12))
        assert np.all(x >= np.sort(means))
        place_nodes(means, 0.0, order, x)
        assert_allclose(x, np.sort(means))


def test_whitening_against_a_triangular_solve():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(5, 5)) * np.array([1e-6, 1e3, 1.0, 1e-2, 10.0])[:, None]
    V, r, J = root @ root.T, rng.normal(size=5), rng.normal(size=(5, 3))
    white_r, white_J = r.copy(), J.copy()
    squares = whiten(np.tril(V), white_r, white_J)
    assert_allclose(squares, r @ np.linalg.solve(V, r), rtol=1e-6)
    assert_allclose(white_J.T @ white_r, J.T @ np.linalg.solve(V, r), rtol=1e-6)
    assert_allclose(white_J.T @ white_J, J.T @ np.linalg.solve(V, J), rtol=1e-6)
