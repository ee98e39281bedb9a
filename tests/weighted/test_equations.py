"""Sums over sets: right about the parameters, bounded when asked, and without bias for every noise law."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, covariance, draw_sets, stands_apart
from vieta.laws import noise
from vieta.weighted import number_equations
from vieta.weighted.equations import accumulate, each_score, mirrored

SEEDS = (0, 1, 2)
LAWS = {
    "gaussian": noise.Gaussian,
    "laplace": noise.Laplace,
    "skewed": noise.Skewed,
    "student": noise.StudentT,
}


def one(y, psi, theta, cov, cap=np.inf):
    score = each_score(y[None], psi[None], theta, cov, cap)[0]
    sums = accumulate(y[None], psi[None], theta, cov, cap)
    return score, sums.information, sums.squares[0]


@pytest.mark.parametrize(("L", "p", "D"), [(1, 1, 1), (3, 1, 1), (2, 1, 3), (2, 2, 2), (3, 2, 3), (2, 3, 2), (2, 4, 4)])
def test_chain_rule_sums_and_outer_products(L, p, D):
    theta, psi, sets = draw_sets(L, p, D, 6, 0)
    cov = covariance(np.random.default_rng(p), p, 0.2)
    H, g, M, squares = accumulate(sets, psi, theta, cov)
    parts = [one(y, x, theta, cov) for y, x in zip(sets, psi)]
    assert_allclose(H, sum(part[1] for part in parts))
    assert_allclose(g, sum(part[0] for part in parts))
    assert_allclose(M, sum(np.outer(part[0], part[0]) for part in parts))
    assert_allclose(squares, [part[2] for part in parts])
    assert_allclose(each_score(sets, psi, theta, cov), [part[0] for part in parts])
    for y, x, (score, information, _) in zip(sets, psi, parts):  # means through the identity, then psi
        by_mean = one(y, np.eye(p), theta @ x.T, cov)
        G = np.kron(np.eye(L), x)
        assert close(score, G.T @ by_mean[0], 1e-9)
        assert close(information, G.T @ by_mean[1] @ G, 1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_influence_is_bounded_by_the_cap(p):
    theta, psi, sets = draw_sets(2, p, 2, 1, 0)
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
    theta, psi, sets = draw_sets(L, p, D, n, seed, LAWS[law], np.linspace(0.1, 0.5, L))
    working = 0.3 * np.eye(p)  # the mean of the variances; the right one is not needed

    def z_values(at):
        scores = each_score(sets, psi, at, working)
        return scores.mean(axis=0) / (scores.std(axis=0) / np.sqrt(n))

    assert np.all(abs(z_values(theta)) < 5.0)
    assert abs(z_values(theta + 0.1)).max() > 5.0  # the control


def test_information_is_the_slope_of_the_mean_score():
    theta, psi, sets = draw_sets(3, 1, 1, 40_000, 0, noise.Laplace)
    cov = np.array([[0.3]])
    H, _, _, _ = accumulate(sets, psi, theta, cov)
    for l in range(3):
        step = np.zeros((3, 1))
        step[l] = 0.02
        up, down = (each_score(sets, psi, theta + s * step, cov) for s in (1, -1))
        slope = (up - down) / 0.04
        error = 5 * slope.std(axis=0) / np.sqrt(len(sets))
        assert np.all(abs(slope.mean(axis=0) + H[:, l] / len(sets)) < error + 0.02 * abs(H).max() / len(sets))


def test_sandwich_is_the_information_for_the_noise_assumed():
    """V depends on second moments of the noise only: the information equality holds for every law with them."""
    for law in LAWS.values():
        theta, psi, sets = draw_sets(2, 1, 1, 60_000, 3, law)
        cov = np.array([[0.3]])
        H, _, M, squares = accumulate(sets, psi, theta, cov)
        scores = each_score(sets, psi, theta, cov)
        error = 5 * np.sqrt((scores**2).std(axis=0) ** 2 * len(sets))
        assert np.all(abs(np.diag(M - H)) < error)
        assert abs(squares.mean() - 1.0) < 5 * squares.std() / np.sqrt(len(sets))


def test_layout_of_the_arrays_does_not_matter():
    """Any strides and byte orders, and arrays that may not be written to."""
    theta, psi, sets = draw_sets(3, 1, 2, 40, 0)
    cov = np.array([[0.3]])
    expected = accumulate(sets, psi, theta, cov)
    locked = sets.copy()
    locked.flags.writeable = False
    odd = (np.asfortranarray(sets), sets.astype(">f8"), locked, np.repeat(sets, 2, axis=0)[::2])
    for y in odd:
        for part, same in zip(accumulate(y, np.asfortranarray(psi), np.asfortranarray(theta), cov), expected):
            assert_allclose(part, same, rtol=0, atol=0)


def test_no_sets_have_no_scores():
    theta, psi, sets = draw_sets(3, 1, 2, 1, 0)
    assert each_score(sets[:0], psi[:0], theta, np.eye(1)).shape == (0, 6)
    assert_allclose(accumulate(sets[:0], psi[:0], theta, np.eye(1)).information, 0.0)


def test_mirrored_is_symmetric():
    assert_allclose(mirrored(np.array([[1.0, 0.0], [2.0, 3.0]])), [[1, 2], [2, 3]])


def test_what_the_kernel_writes_for_every_set_is_beside_nothing_that_another_thread_writes(monkeypatch):
    given = []
    monkeypatch.setattr(number_equations, "accumulate_numbers", lambda *places: given.extend(places))
    theta, psi, sets = draw_sets(3, 1, 1, 40, 0)
    accumulate(sets, psi, theta, np.eye(1))
    written = [one for one in given[5:] if isinstance(one, np.ndarray) and one.shape != (len(sets),)]
    assert len(written) == 7
    assert all(map(stands_apart, written))
