"""Expected products over two systems, against the sum over all partial assignments."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.association.joint import expected_products
from vieta.association.partial import associate_sets

KEPT = 1024


def enumerated(W, c, m, f):
    """E sum over l < m of f_l f_m, by all assignments of readings."""
    n, L = W.shape
    total, mass = np.zeros(f.shape[2]), 0.0
    for a in product(range(L + 1), repeat=n):
        used = [l for l in a if l < L]
        if len(set(used)) < len(used):
            continue
        weight = np.exp(
            sum(W[i, l] if l < L else c[i] for i, l in enumerate(a)) + sum(m[l] for l in range(L) if l not in used)
        )
        own = [f[i, l] for i, l in enumerate(a) if l < L]
        pairs = [own[i] * own[j] for i in range(len(own)) for j in range(i)]
        total += weight * np.sum(pairs, axis=0) if pairs else 0.0
        mass += weight
    return total / mass


def filled(W, c, m, offsets, f):
    t = np.empty((len(offsets) - 1, f.shape[2]))
    expected_products(W, c, m, offsets, KEPT, f, t)
    return t


@pytest.mark.parametrize("L", [14, 16])
def test_a_set_with_too_many_states_counts_for_nothing(L):
    W, f = np.zeros((L, L)), np.ones((L, L, 1))
    W[:2, 2:] = W[2:, :2] = -np.inf  # two systems of their own, seen in a second set alone
    both = np.concatenate([W, W[:2]])
    t = filled(both, np.full(L + 2, -9.0), np.full(L, -9.0), np.array([0, L, L + 2]), np.concatenate([f, f[:2]]))
    assert t[0, 0] == 0.0
    assert t[1, 0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_pairs_are_summed(L, seed):
    rng = np.random.default_rng(seed)
    offsets = np.array([0, 0, 1, 4, 8])  # an empty set, one reading, three and four
    W, c, m = 2.0 * rng.normal(size=(8, L)), rng.normal(size=8) - 1.0, -abs(rng.normal(size=L))
    f = rng.normal(size=(8, L, 2))
    found = filled(W, c, m, offsets, f)
    for k in range(4):
        own = slice(offsets[k], offsets[k + 1])
        assert_allclose(found[k], enumerated(W[own], c[own], m, f[own]), atol=1e-5)


def test_marginals_alone_would_not_do():
    """Two systems that are hard to tell apart: the product of expectations is another number."""
    W, c, m = np.zeros((2, 2)), np.full(2, -20.0), np.full(2, -20.0)
    f = np.array([[[1.0], [3.0]], [[2.0], [-1.0]]])
    t = filled(W, c, m, np.array([0, 2]), f)[0, 0]
    assert t == pytest.approx(0.5 * (1.0 * -1.0 + 3.0 * 2.0))
    assert t != pytest.approx(0.5 * (1.0 + 2.0) * 0.5 * (3.0 - 1.0))


@pytest.mark.parametrize("L", [3, 6, 14])
@pytest.mark.parametrize("seed", [0, 1])
def test_one_pass_is_what_pair_after_pair_gives(L, seed):
    rng, n = np.random.default_rng(seed), 2 * L
    offsets = np.array([0, n // 2, n])
    at = np.sort(
        np.concatenate([rng.integers(0, L, n // 2), rng.integers(0, L, n // 2)]).reshape(2, -1), axis=1
    ).ravel()
    W = np.where(abs(np.arange(L) - at[:, None] - 0.4) < 0.7, rng.normal(size=(n, L)), -np.inf)
    c, m, f = rng.normal(size=n) - 1.0, -abs(rng.normal(size=L)), rng.normal(size=(n, L, 2))
    exact = filled(W, c, m, offsets, f)
    P = np.empty(W.shape)
    associate_sets(W, c, m, offsets, KEPT, np.empty(2), P)
    by_pairs = np.empty((2, 2))
    for k in range(2):
        own = slice(offsets[k], offsets[k + 1])
        by_pairs[k] = taken_in_turn(W[own], c[own], m, P[own], f[own])
    assert_allclose(exact, by_pairs, atol=1e-5)


def taken_in_turn(W, c, m, P, f):
    """By the probabilities of all other pairs given each one."""
    total, n = np.zeros(f.shape[2]), len(W)
    for i, l in np.argwhere(P > 1e-7):
        left = np.delete(np.arange(n), i)
        others, given = np.where(np.arange(W.shape[1]) == l, -np.inf, W)[left], np.empty((n - 1, W.shape[1]))
        associate_sets(others, c[left], m, np.array([0, n - 1]), KEPT, np.empty(1), given)
        total += 0.5 * P[i, l] * f[i, l] * np.einsum("jm,jmc->c", given, f[left])
    return total
