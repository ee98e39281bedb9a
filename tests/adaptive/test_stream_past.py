"""Blocks of the past of a stream: sums by hand, and changes that they show or do not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.adaptive.stream_past import added, begun
from vieta.weighted import record

THETA = np.array([[1.0], [2.0]])


def scores_of(rng, n, shift=0.0):
    """Scores of a linear model with information R'R a set, at parameters that are off by a shift."""
    root = np.array([[1.0, 0.3], [0.0, 2.0]])
    return rng.normal(size=(n, 2)) @ root + shift @ root.T @ root if np.ndim(shift) else rng.normal(size=(n, 2)) @ root


def test_blocks_hold_the_sums_and_scores_at_the_reference():
    rng = np.random.default_rng(0)
    first, later = scores_of(rng, 256), scores_of(rng, 128)
    kept, changed = begun(THETA, first)
    other = THETA + 0.1
    for _ in range(2):
        kept, changed = added(kept, other, later, later.T @ later)
    assert not changed
    assert kept.n_blocks == 2
    assert_allclose(kept.sizes[:2, 0], 256.0)
    assert_allclose(np.tril(kept.blocks[1, :2, :2]), np.tril(2.0 * later.T @ later))
    assert_allclose(kept.blocks[1, 6, :2], 2.0 * (later.sum(axis=0) + later.T @ later @ [0.1, 0.1]))
    estimate = record.block_sums(kept, 1).theta
    assert_allclose(estimate.ravel(), other.ravel() + np.linalg.solve(later.T @ later, later.sum(axis=0)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_change_is_seen_and_its_time_and_no_change_is_not(seed):
    rng = np.random.default_rng(seed)
    still = scores_of(rng, 4096)
    assert not begun(THETA, still)[1]
    moved = scores_of(rng, 2048, np.array([0.4, 0.0]))
    kept, changed = begun(THETA, np.concatenate([still[:2048], moved]))
    assert changed
    assert record.homogeneous(kept)[1] == [2048]


def test_a_walk_is_looked_at_again_from_time_to_time():
    rng = np.random.default_rng(3)
    kept, _ = begun(THETA, scores_of(rng, 256))
    looks = []
    for _ in range(8):
        some = scores_of(rng, 256)
        kept, due = added(kept, THETA, some, some.T @ some, walks=True)
        looks.append(due)
    assert all(looks)  # blocks are far apart in units of a tenth of all sets
