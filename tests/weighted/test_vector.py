"""The kernel for vectors: the same score and information as in the coefficients of the full symmetric tensor."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, covariance, spread_means, twin
from vieta.weighted import vector
from vieta.weighted.equations import accumulate
from vieta.weighted.vector_planes import planes_for, scratch_for

sizes = pytest.mark.parametrize(
    ("L", "p"), [(1, 2), (1, 4), (2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4), (5, 2), (6, 2)]
)


def kernel(y, m, noise):
    """Score, information and r'V⁻¹r over its expectation, of one set about its means."""
    L, p = m.shape
    theta, psi = m.ravel()[:, None].reshape(L, p), np.eye(p)[None]
    information, score, _, (squares,) = accumulate(y[None], psi, theta, noise)
    return score, information, squares


def draw(L, p, seed):
    rng = np.random.default_rng([L, p, seed])
    noise, m = covariance(rng, p, 0.2), spread_means(rng, L, p)
    return m + rng.normal(size=(L, p)) @ np.linalg.cholesky(noise).T, m, noise


@sizes
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_the_tensor(L, p, seed):
    """Also where p > L - 1 and coordinates are turned: what is left out there tells nothing."""
    y, m, noise = draw(L, p, seed)
    score, information, squares = kernel(y, m, noise)
    expected = twin(y, m, noise)
    assert close(score, expected[0], 1e-5)
    assert close(information, expected[1], 1e-5)
    assert squares > 0.0
    assert not close(information, twin(y, m, 1.1 * noise)[1], 1e-3)  # the control


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2), (2, 4), (4, 3)])
@pytest.mark.parametrize("gap", [0.3, 0.03])
def test_agrees_where_means_are_close_and_nodes_are_pushed_apart(L, p, gap):
    rng = np.random.default_rng([L, p])
    noise, m = covariance(rng, p), gap * rng.normal(size=(L, p))
    y = m + rng.normal(size=(L, p))
    score, information, _ = kernel(y, m, noise)
    expected = twin(y, m, noise)
    assert close(score, expected[0], 1e-4)
    assert close(information, expected[1], 1e-4)


def described(m):
    """Planes and scratch, filled for means (L, p) with noise I; and the functions of a set that the kernel sees."""
    L, p = m.shape
    given = planes_for(L, p)
    work, q = scratch_for(given, L, p, p), given.directions.shape[1]
    vector.turn_means(np.eye(p), m, q, work)
    vector.place_planes(given, work)
    return given, work, q


def seen(y, given, work, q):
    """The values of a set (L, p) and, for each further coordinate, t: by their definitions."""
    z = y @ work.frame
    planes = [[(given.directions[k], work.nodes[k, i]) for k, i in part] for part in (given.values, given.lower)]
    values = [np.prod(z[:, :q] @ u - x) for u, x in planes[0]]
    w = z[:, q:] - work.means[:, q:]
    t = [
        [sum(w[l, c] * np.prod(np.delete(z[:, :q] @ u - x, l)) for l in range(len(y))) for u, x in planes[1]]
        for c in range(w.shape[1])
    ]
    return np.concatenate([values, *t])


@pytest.mark.parametrize(("p", "seed"), [(2, 0), (2, 1), (3, 0)])
def test_covariance_between_directions_by_enumeration(p, seed):
    """Two systems, noise of +-1 in each coordinate: all outcomes, for a law that is not Gaussian."""
    m = np.random.default_rng([p, seed]).normal(size=(2, p)) * 2
    given, work, q = described(m)
    frame = work.frame
    outcomes = [np.reshape(one, (2, p)) @ frame.T for one in product((-1.0, 1.0), repeat=2 * p)]  # turned: independent
    z = np.array([seen(m + one, given, work, q) for one in outcomes])
    exact = np.cov(z.T, bias=True)
    S, T = len(given.values), len(given.lower)
    for planes, lower, at in ((given.values, 0.0, 0), (given.lower, 1.0, S)):
        if len(planes):
            vector.fill_factors(planes, work)
            vector.fill_covariance(given.gram, planes, lower, work)
            n = len(planes)
            size = work.scale[0, :n] ** (2 - int(lower))
            got = np.tril(work.covariance[:n, :n]) / np.outer(size, size)
            assert_allclose(got, np.tril(exact[at : at + n, at : at + n]), rtol=1e-9, atol=1e-9)
    assert_allclose(exact[:S, S:], 0.0, atol=1e-9)  # values and t are uncorrelated, and the t of two coordinates
    if p == 3:
        assert_allclose(exact[S : S + T, S + T :], 0.0, atol=1e-9)


@pytest.mark.parametrize(("L", "p"), [(3, 2), (2, 3)])
def test_covariance_by_monte_carlo(L, p):
    """The score's covariance is the information, for noise with correlations and heavy tails."""
    rng = np.random.default_rng([L, p])
    noise, m = covariance(rng, p, 0.3), spread_means(rng, L, p)
    n = 40_000
    v = rng.laplace(size=(n, L, p)) / np.sqrt(2.0) @ np.linalg.cholesky(noise).T
    equations = accumulate(m + v, np.repeat(np.eye(p)[None], n, axis=0), m, noise)
    information, meat = equations.information / n, equations.meat / n
    scale = np.sqrt(np.diag(information))
    assert abs((meat - information) / np.outer(scale, scale)).max() < 0.15
    assert abs(equations.score / n / (scale / np.sqrt(n))).max() < 4.5
    wrong = accumulate(m + v, np.repeat(np.eye(p)[None], n, axis=0), m, 1.5 * noise)  # the control
    assert abs((wrong.meat / n - information) / np.outer(scale, scale)).max() > 0.15


@sizes
def test_order_of_the_set_is_irrelevant_and_that_of_the_means_moves_along(L, p):
    y, m, noise = draw(L, p, 0)
    rng = np.random.default_rng(L)
    score, information, squares = kernel(y, m, noise)
    for _ in range(3):
        order = rng.permutation(L)
        index = (order[:, None] * p + np.arange(p)).ravel()
        got = kernel(rng.permutation(y), m[order], noise)
        assert close(got[0], score[index], 1e-6)
        assert close(got[1], information[np.ix_(index, index)], 1e-6)
        assert_allclose(got[2], squares, rtol=1e-5)


@pytest.mark.parametrize(("L", "p"), [(3, 4), (4, 3), (4, 10), (6, 3)])
def test_order_of_the_means_is_irrelevant_where_values_are_left_out(L, p):
    """At low noise some are, and which of them must not depend on the order."""
    rng = np.random.default_rng([L, p])
    m, noise = 3 * rng.normal(size=(L, p)), 1e-4 * np.eye(p)
    y = m + 1e-2 * rng.normal(size=(L, p))
    score, information, _ = kernel(y, m, noise)
    for _ in range(3):
        order = rng.permutation(L)
        index = (order[:, None] * p + np.arange(p)).ravel()
        got = kernel(y, m[order], noise)
        assert close(got[0], score[index], 1e-7)
        assert close(got[1], information[np.ix_(index, index)], 1e-9)


@sizes
def test_units_and_origin_are_irrelevant(L, p):
    y, m, noise = draw(L, p, 1)
    score, information, squares = kernel(y, m, noise)
    for scale, shift in ((1e-3, 0.0), (1e3, 0.0), (1.0, 10.0)):
        got = kernel(scale * y + shift, scale * m + shift, scale**2 * noise)
        assert close(got[0] * scale, score, 1e-6)
        assert close(got[1] * scale**2, information, 1e-6)
        assert_allclose(got[2], squares, rtol=1e-5)


@sizes
def test_means_differ_in_the_first_coordinates_only(L, p):
    _, m, _ = draw(L, p, 3)
    _, work, q = described(m)
    assert_allclose(work.frame @ work.frame.T, np.eye(p), atol=1e-12)
    assert_allclose(work.means, m @ work.frame, atol=1e-12)
    assert_allclose(np.ptp(work.means[:, q:], axis=0), 0.0, atol=1e-12)


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
    assert_allclose(squares, (y - m)[0] @ np.linalg.solve(noise, (y - m)[0]) / 3, rtol=1e-9)


@pytest.mark.parametrize(("L", "p"), [(3, 2), (8, 3), (12, 2), (6, 6)])
def test_means_far_apart_are_as_with_labels(L, p):
    """Also where the budget leaves out most of a basis."""
    rng = np.random.default_rng([L, p])
    noise, m = covariance(rng, p), 1e3 * rng.normal(size=(L, p))
    _, information, _ = kernel(m, m, noise)
    assert close(information, np.kron(np.eye(L), np.linalg.inv(noise)), 0.05)


def test_dependent_rows_are_left_out():
    rng = np.random.default_rng(0)
    root, X = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    V = root @ root.T  # of rank 3
    got = X.copy()
    assert vector.eliminate(V.copy(), got, np.empty(4)) == 3
    expected = X[:3].T @ np.linalg.solve(V[:3, :3], X[:3])
    G = np.empty((2, 2))
    vector.multiply(got, G)
    assert_allclose(G, expected, rtol=1e-9)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2)])
def test_squares_have_mean_one(L, p):
    rng = np.random.default_rng([L, p])
    m, noise = np.zeros((L, p)), np.eye(p)
    y = rng.normal(size=(6000, L, p))
    squares = accumulate(y, np.repeat(np.eye(p)[None], 6000, axis=0), m, noise).squares
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - 1.0) < 5 * error
    assert abs(squares.mean() * (1 - 1 / (L * p)) - 1.0) > 5 * error  # the control: one value less would be noticed
