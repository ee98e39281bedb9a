"""Sums over sets: right about the parameters, bounded when asked, and without bias for every noise law."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, covariance
from vieta.laws import noise
from vieta.weighted.equations import accumulate, dependence_sums, each_score, mirror, share, solve_positive, workspace

SEEDS = (0, 1, 2)
LAWS = {
    "gaussian": noise.Gaussian,
    "laplace": noise.Laplace,
    "skewed": noise.Skewed,
    "student": noise.StudentT,
}


def one(y, psi, theta, cov, cap=np.inf):
    L, p = y.shape
    n = theta.size
    score, information = np.empty(n), np.empty((n, n))
    precision = np.linalg.inv(cov)
    squares = share(y, psi, theta, cov, precision, cap, workspace(L, p), np.empty(L, np.int64), score, information)
    return score, information, squares


def draw(L, p, D, n, seed, law=noise.Gaussian, variance=0.3):
    rng = np.random.default_rng([L, p, D, seed])
    theta, psi = 1.5 * rng.normal(size=(L, D)), rng.normal(size=(n, p, D))
    v = np.stack([law(s).draw(rng, n, 1, p)[:, 0] for s in np.broadcast_to(variance, L)], axis=1)
    return theta, psi, np.einsum("npd,ld->nlp", psi, theta) + v


@pytest.mark.parametrize(("L", "p", "D"), [(1, 1, 1), (3, 1, 1), (2, 1, 3), (2, 2, 2), (3, 2, 3), (2, 3, 2), (2, 4, 4)])
def test_chain_rule_sums_and_outer_products(L, p, D):
    theta, psi, sets = draw(L, p, D, 6, 0)
    cov = covariance(np.random.default_rng(p), p, 0.2)
    H, g, M, squares = accumulate(sets, psi, theta, cov, np.linalg.inv(cov), np.inf)
    parts = [one(y, x, theta, cov) for y, x in zip(sets, psi)]
    assert_allclose(H, sum(part[1] for part in parts))
    assert_allclose(g, sum(part[0] for part in parts))
    assert_allclose(M, sum(np.outer(part[0], part[0]) for part in parts))
    assert_allclose(squares, [part[2] for part in parts])
    assert_allclose(each_score(sets, psi, theta, cov, np.linalg.inv(cov), np.inf), [part[0] for part in parts])
    for y, x, (score, information, _) in zip(sets, psi, parts):  # means through the identity, then psi
        by_mean = one(y, np.eye(p), theta @ x.T, cov)
        G = np.kron(np.eye(L), x)
        assert close(score, G.T @ by_mean[0], 1e-9)
        assert close(information, G.T @ by_mean[1] @ G, 1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_influence_is_bounded_by_the_cap(p):
    theta, psi, sets = draw(2, p, 2, 1, 0)
    far = sets[0] + 30.0
    plain, capped = one(far, psi[0], theta, np.eye(p)), one(far, psi[0], theta, np.eye(p), cap=2.0)
    assert plain[2] == capped[2] > 4.0
    weight = 2.0 / np.sqrt(plain[2])
    assert_allclose(capped[0], weight * plain[0])
    assert_allclose(capped[1], weight * plain[1])
    near = np.einsum("pd,ld->lp", psi[0], theta) + 0.1
    assert_allclose(one(near, psi[0], theta, np.eye(p))[0], one(near, psi[0], theta, np.eye(p), cap=2.0)[0])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("L", "p", "D"), [(3, 1, 1), (2, 1, 2), (2, 2, 2)])
@pytest.mark.parametrize("seed", SEEDS)
def test_scores_have_mean_zero_at_the_truth_for_every_noise_law(law, L, p, D, seed):
    n = 20_000
    theta, psi, sets = draw(L, p, D, n, seed, LAWS[law], np.linspace(0.1, 0.5, L))
    working = 0.3 * np.eye(p)  # the mean of the variances; the right one is not needed

    def z_values(at):
        scores = each_score(sets, psi, at, working, np.linalg.inv(working), np.inf)
        return scores.mean(axis=0) / (scores.std(axis=0) / np.sqrt(n))

    assert np.all(abs(z_values(theta)) < 5.0)
    assert abs(z_values(theta + 0.1)).max() > 5.0  # the control


def test_information_is_the_slope_of_the_mean_score():
    theta, psi, sets = draw(3, 1, 1, 40_000, 0, noise.Laplace)
    cov = np.array([[0.3]])
    H, _, _, _ = accumulate(sets, psi, theta, cov, 1 / cov, np.inf)
    for l in range(3):
        step = np.zeros((3, 1))
        step[l] = 0.02
        up, down = (each_score(sets, psi, theta + s * step, cov, 1 / cov, np.inf) for s in (1, -1))
        slope = (up - down) / 0.04
        error = 5 * slope.std(axis=0) / np.sqrt(len(sets))
        assert np.all(abs(slope.mean(axis=0) + H[:, l] / len(sets)) < error + 0.02 * abs(H).max() / len(sets))


def test_sandwich_is_the_information_for_the_noise_assumed():
    """V depends on second moments of the noise only: the information equality holds for every law with them."""
    for law in LAWS.values():
        theta, psi, sets = draw(2, 1, 1, 60_000, 3, law)
        cov = np.array([[0.3]])
        H, _, M, squares = accumulate(sets, psi, theta, cov, 1 / cov, np.inf)
        scores = each_score(sets, psi, theta, cov, 1 / cov, np.inf)
        error = 5 * np.sqrt((scores**2).std(axis=0) ** 2 * len(sets))
        assert np.all(abs(np.diag(M - H)) < error)
        assert abs(squares.mean() - 1.0) < 5 * squares.std() / np.sqrt(len(sets))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_solver_against_numpy(n):
    rng = np.random.default_rng(n)
    root, g = rng.normal(size=(n, n + 2)), rng.normal(size=n)
    H, step = root @ root.T, np.empty(n)
    square = solve_positive(H, g, np.empty((n, n)), step)
    assert_allclose(step, np.linalg.solve(H, g), rtol=1e-8)
    assert_allclose(square, g @ np.linalg.solve(H, g), rtol=1e-8)


def test_solver_leaves_out_what_is_not_known():
    step = np.empty(2)
    solve_positive(np.diag([4.0, 0.0]), np.array([2.0, 1.0]), np.empty((2, 2)), step)
    assert_allclose(step, [0.5, 0.0])


@pytest.mark.parametrize(("L", "D"), [(2, 1), (3, 1), (2, 2)])
def test_sums_for_dependence_share_the_parameters_scores(L, D):
    theta, psi, sets = draw(L, 1, D, 500, 0)
    total, outer, joint = dependence_sums(sets[:, :, 0], psi[:, 0], theta, 0.3)
    cov, n = np.array([[0.3]]), L * D
    H, g, M, _ = accumulate(sets, psi, theta, cov, 1 / cov, np.inf)
    assert_allclose(total[:n], g, rtol=1e-7, atol=1e-7)
    assert_allclose(outer[:n, :n], M, rtol=1e-7, atol=1e-7)
    assert_allclose(joint[:n, :n], H, rtol=1e-7, atol=1e-7)
    assert_allclose(joint, joint.T)
    assert joint[n, n] > 0.0
    assert np.linalg.eigvalsh(joint).min() > -1e-9 * np.linalg.eigvalsh(joint).max()
    extra = np.array([dependence_sums(y[None, :, 0], x[:1], theta, 0.3)[0][n] for y, x in zip(sets, psi)])
    assert_allclose(outer[n, n], extra @ extra)
    assert_allclose(outer[n, :n], extra @ each_score(sets, psi, theta, cov, 1 / cov, np.inf), rtol=1e-7, atol=1e-7)
    assert abs(extra.mean()) < 5 * extra.std() / np.sqrt(500)


def test_the_score_for_dependence_is_a_derivative():
    """With covariance g between two noises the mean of the values moves by g times a sum of products: two systems, by hand."""
    rng = np.random.default_rng(0)
    theta, n = np.array([[-1.0], [2.0]]), 40_000
    psi = rng.uniform(0.5, 1.5, size=(n, 1))
    shared, own = rng.normal(size=(n, 1)), rng.normal(size=(n, 2))
    for g in (0.0, 0.1):
        sets = psi * theta.T + np.sqrt(g) * shared + np.sqrt(0.3 - g) * own
        total, outer, joint = dependence_sums(sets, psi, theta, 0.3)
        assert abs(total[-1] - g * joint[-1, -1]) < 5 * np.sqrt(outer[-1, -1])
    assert abs(total[-1]) > 5 * np.sqrt(outer[-1, -1])


def test_mirror_copies_what_is_below_the_diagonal():
    H = np.array([[1.0, 9.0, 9.0], [2.0, 3.0, 9.0], [4.0, 5.0, 6.0]])
    mirror(H)
    assert_allclose(H, [[1, 2, 4], [2, 3, 5], [4, 5, 6]])
