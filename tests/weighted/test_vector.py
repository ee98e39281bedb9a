"""The kernel for vectors: the same score and information as in the polarized coefficients along its direction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, covariance, spread_means, twin
from vieta.weighted.vector import best_direction, score_and_information

sizes = pytest.mark.parametrize(("L", "p"), [(L, p) for p in (2, 3, 4) for L in range(1, 7) if L * p <= 18])


def kernel(y, m, noise):
    n = m.size
    r, J, V, score, information = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty(n), np.empty((n, n))
    squares = score_and_information(y, m, noise, np.linalg.inv(noise), r, J, V, score, information)
    return score, information, squares


def draw(L, p, seed):
    rng = np.random.default_rng([L, p, seed])
    noise, m = covariance(rng, p, 0.2), spread_means(rng, L, p)
    return m + rng.normal(size=(L, p)) @ np.linalg.cholesky(noise).T, m, noise


@sizes
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_the_polarized_coefficients(L, p, seed):
    y, m, noise = draw(L, p, seed)
    expected = twin(y, m, noise, best_direction(m, np.linalg.inv(noise)))
    for got, wanted in zip(kernel(y, m, noise), expected):
        assert close(got, wanted, 1e-5)
    wrong = twin(y, m, 1.1 * noise, best_direction(m, np.linalg.inv(noise)))  # the control
    assert not close(kernel(y, m, noise)[1], wrong[1], 1e-3)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2), (2, 4), (4, 3)])
@pytest.mark.parametrize("gap", [0.3, 0.03])
def test_agrees_where_means_are_close_and_nodes_are_pushed_apart(L, p, gap):
    rng = np.random.default_rng([L, p])
    noise, m = covariance(rng, p), gap * rng.normal(size=(L, p))
    y = m + rng.normal(size=(L, p))
    expected = twin(y, m, noise, best_direction(m, np.linalg.inv(noise)))
    for got, wanted in zip(kernel(y, m, noise), expected):
        assert close(got, wanted, 1e-5)


@sizes
def test_order_of_the_set_is_irrelevant_and_that_of_the_means_moves_along(L, p):
    y, m, noise = draw(L, p, 0)
    rng = np.random.default_rng(L)
    score, information, squares = kernel(y, m, noise)
    for _ in range(3):
        order = rng.permutation(L)
        index = (order[:, None] * p + np.arange(p)).ravel()
        got = kernel(rng.permutation(y), m[order], noise)
        assert close(got[0], score[index], 1e-7)
        assert close(got[1], information[np.ix_(index, index)], 1e-7)
        assert_allclose(got[2], squares, rtol=1e-7)


@sizes
def test_units_and_origin_are_irrelevant(L, p):
    y, m, noise = draw(L, p, 1)
    score, information, squares = kernel(y, m, noise)
    for scale, shift in ((1e-3, 0.0), (1e3, 0.0), (1.0, 10.0)):
        got = kernel(scale * y + shift, scale * m + shift, scale**2 * noise)
        if shift:  # another origin may choose another direction, of the same gap
            assert np.isfinite(got[0]).all()
            continue
        assert close(got[0] * scale, score, 1e-7)
        assert close(got[1] * scale**2, information, 1e-7)
        assert_allclose(got[2], squares, rtol=1e-7)


def gap(m, u):
    return np.diff(np.sort(m @ u)).min()


@pytest.mark.parametrize(("L", "p"), [(L, p) for p in (2, 3, 5) for L in range(2, 7)])
@pytest.mark.parametrize("seed", range(4))
def test_direction_is_as_wide_as_that_of_every_pair(L, p, seed):
    rng = np.random.default_rng([L, p, seed])
    noise, m = covariance(rng, p), rng.normal(size=(L, p))
    precision = np.linalg.inv(noise)
    u = best_direction(m, precision)
    assert_allclose(u @ noise @ u, 1.0, rtol=1e-9)
    for i in range(L):
        for j in range(i):
            pair = precision @ (m[i] - m[j])
            assert gap(m, u) >= gap(m, pair / np.sqrt(pair @ noise @ pair)) * 0.95  # a few sweeps, not the optimum


def test_two_systems_are_told_apart_along_their_discriminant():
    noise = np.array([[2.0, 0.9], [0.9, 0.5]])
    m = np.array([[0.0, 0.0], [1.0, 1.0]])
    u = best_direction(m, np.linalg.inv(noise))
    best = np.linalg.solve(noise, m[1] - m[0])
    assert_allclose(abs(u), abs(best / np.sqrt(best @ noise @ best)), rtol=1e-9)


@pytest.mark.parametrize("m", [np.ones((1, 3)), np.ones((4, 3)), np.zeros((3, 3))], ids=["one", "same", "zero"])
def test_direction_of_means_that_coincide_has_unit_noise(m):
    noise = np.diag([4.0, 1.0, 0.25])
    u = best_direction(m, np.linalg.inv(noise))
    assert_allclose(u @ noise @ u, 1.0)


@sizes
def test_sets_without_noise_and_means_that_coincide_break_nothing(L, p):
    y, m, _ = draw(L, p, 2)
    for means in (m, np.zeros((L, p)), np.ones((L, p))):
        for variance in (1.0, 1e-16):
            for readings in (means.copy(), y):
                score, information, squares = kernel(readings, means, variance * np.eye(p))
                assert np.isfinite(score).all()
                assert np.isfinite(information).all()
                assert np.isfinite(squares)
        score, _, squares = kernel(means.copy(), means, np.eye(p))
        assert abs(score).max() < 1e-7
        assert squares < 1e-7


def test_one_system_is_the_textbook():
    y, m, noise = draw(1, 3, 0)
    score, information, squares = kernel(y, m, noise)
    assert_allclose(score, np.linalg.solve(noise, (y - m)[0]), rtol=1e-9)
    assert_allclose(information, np.linalg.inv(noise), rtol=1e-9)
    assert_allclose(squares, (y - m)[0] @ np.linalg.solve(noise, (y - m)[0]), rtol=1e-9)


def test_means_far_apart_are_as_with_labels():
    noise = np.array([[1.0, 0.5], [0.5, 2.0]])
    m = np.array([[0.0, 0.0], [80.0, 10.0], [-80.0, 30.0]])
    _, information, _ = kernel(m, m, noise)
    assert close(information, np.kron(np.eye(3), np.linalg.inv(noise)), 0.02)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2)])
def test_means_that_coincide_leave_no_value_out(L, p):
    """Nodes are kept apart, so that all L p values count: r'V⁻¹r has mean L p, and fewer if nodes met."""
    rng = np.random.default_rng([L, p])
    m, noise = np.zeros((L, p)), np.eye(p)
    squares = np.array([kernel(y, m, noise)[2] for y in rng.normal(size=(6000, L, p))])
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - L * p) < 5 * error
    assert L * p - 1 < squares.mean() - 5 * error  # the control: one value less would be noticed
