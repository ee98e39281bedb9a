"""Forgetting where the inputs reach, against the definition written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.weighted.cases import covariance
from vieta import excitation

SEEDS = [0, 1, 2]


def brute_force(H, inputs, forgetting):
    """Forget only the information about what the inputs reach, H - (1 - f^w) Phi (Phi' H^-1 Phi)^-1 Phi', and add the new."""
    rows = inputs.reshape(-1, inputs.shape[2])
    Phi = np.linalg.svd(rows)[2][: np.linalg.matrix_rank(rows)].T
    known = Phi @ np.linalg.inv(Phi.T @ np.linalg.inv(H) @ Phi) @ Phi.T
    kept = forgetting ** len(inputs)
    return H - (1.0 - kept) * known + sum(forgetting**k * row.T @ row for k, row in enumerate(inputs[::-1]))


def window_of(rng, n, D, rank, scale=1.0):
    """Inputs (n, 1, D) confined to a subspace that is not along the axes."""
    return (rng.normal(size=(n, rank)) @ rng.normal(size=(rank, D)))[:, None] * scale


def forgotten_everywhere(H, inputs, forgetting):
    for row in inputs:
        H = forgetting * H + row.T @ row
    return H


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("units", [1.0, 1e6])
def test_what_was_forgotten_about_other_directions_is_given_back(seed, rank, units):
    rng = np.random.default_rng(seed)
    scale = np.array([1.0, units, 1.0 / units, 1.0])
    H0, inputs = covariance(rng, 4) / np.outer(scale, scale), window_of(rng, 16, 4, rank, 1.0 / scale)
    after = forgotten_everywhere(H0, inputs, 0.9)
    found = excitation.reach(inputs, np.diag(after))
    assert found.missed == 4 - rank
    factor = excitation.given_back(0.9, 16)
    H, _ = excitation.restored(after, H0, found.unreached, factor)
    expected = brute_force(H0 * np.outer(scale, scale), inputs * scale, 0.9)
    assert_allclose(H * np.outer(scale, scale), expected, rtol=1e-8, atol=1e-8)
    P = excitation.restored_inverse(np.linalg.inv(after), found, factor)
    assert_allclose(P / np.outer(scale, scale), np.linalg.inv(expected), rtol=1e-6, atol=1e-6)
    assert not np.allclose(after * np.outer(scale, scale), expected, rtol=0.1)  # plain forgetting loses it


@pytest.mark.parametrize("seed", SEEDS)
def test_the_scores_are_weighted_as_the_information_is(seed):
    rng = np.random.default_rng(seed)
    H0, M0, inputs = covariance(rng, 3), covariance(rng, 3), window_of(rng, 8, 3, 2)
    found = excitation.reach(inputs, np.diag(H0))
    kept = 0.9**8
    V, P0 = found.unreached, np.linalg.inv(H0)
    Phi = np.linalg.svd(V.T)[2][1:].T  # all that vanishes on V
    B = np.eye(3) - (1.0 - kept) * Phi @ np.linalg.inv(Phi.T @ P0 @ Phi) @ Phi.T @ P0
    H, M = excitation.restored(kept * H0, kept**2 * M0, V, 1.0 / kept)
    assert_allclose(H, B @ H0, atol=1e-10)
    assert_allclose(M, B @ M0 @ B.T, atol=1e-10)


def test_inputs_that_reach_everything_miss_nothing():
    rng = np.random.default_rng(0)
    assert excitation.reach(rng.normal(size=(64, 1, 3)), np.ones(3)).missed == 0
    assert excitation.reach(1e-3 * rng.normal(size=(64, 1, 3)), np.ones(3)).missed == 0
    assert excitation.reach(1e-9 * rng.normal(size=(64, 1, 3)), np.ones(3)).missed == 3  # beside what is known, nothing


def test_inputs_that_count_as_zero():
    given = np.array([0.0, 1e-120, 1e-90, -1.0])
    assert_array_equal(excitation.is_lit(given), [False, False, True, True])
    assert_array_equal(excitation.is_lit(given[:, None, None] * np.eye(2)), [False, False, True, True])


@pytest.mark.parametrize("size", [1.0, 1e3])
def test_rounding_of_strong_inputs_is_not_taken_for_light(size):
    row = size * np.array([4.0, 2.0, 1.0]) / 3.0
    assert excitation.reach(np.tile(row, (64, 1, 1)), np.array([1.0, 0.7, 0.3])).missed == 2


def test_windows_that_clearly_reach_everything_are_counted_to_the_first_that_does_not():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(100, 1, 2))
    assert excitation.clear_sets(inputs, 8, np.ones(2)) == 96
    assert excitation.clear_sets(inputs, 8, np.full(2, 1e9)) == 0  # beside what is known, hardly anything
    inputs[40:48, :, 1] = 0.0
    assert excitation.clear_sets(inputs, 8, np.ones(2)) == 40
    assert excitation.clear_sets(inputs[:7], 8, np.ones(2)) == 0
    assert excitation.clear_sets(np.tile(inputs[:40], (20, 1, 1)), 8, np.ones(2)) == 8 * excitation.AHEAD
