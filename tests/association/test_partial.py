"""Partial assignments, against the sum over all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta.association.partial import associate_partially, associate_sets, partial_workspace, propagate
from vieta.association.permanents import associate_each

KEPT = 1024
few = settings(deadline=None, max_examples=60, derandomize=True)


def enumerated(W, c, m):
    """log Z and the probabilities of pairs: every reading is one of a system, of which none has two, or false."""
    n, L = W.shape
    logs, pairs = [], []
    for a in product(range(L + 1), repeat=n):
        used = [l for l in a if l < L]
        if len(set(used)) == len(used):
            missed = sum(m[l] for l in range(L) if l not in used)
            logs.append(sum(W[i, l] if l < L else c[i] for i, l in enumerate(a)) + missed)
            pairs.append([[float(l == own) for l in range(L)] for own in a])
    top = max(logs)
    weights = np.exp(np.array(logs) - top)
    P = np.einsum("a,ail->il", weights, np.array(pairs).reshape(len(pairs), n, L)) / weights.sum()
    return top + np.log(weights.sum()), P


def associated(W, c, m):
    P = np.full(W.shape, np.nan)
    return associate_partially(W, c, m, KEPT, P, partial_workspace(*W.shape)), P


@few
@given(st.integers(0, 5), st.integers(1, 4), st.sampled_from([0.1, 1.0, 5.0, 30.0]), st.integers(0, 2**32 - 1))
def test_all_partial_assignments_are_summed(n, L, spread, seed):
    rng = np.random.default_rng(seed)
    W, c, m = spread * rng.normal(size=(n, L)), spread * rng.normal(size=n) - 1.0, -abs(rng.normal(size=L))
    log, P = associated(W, c, m)
    expected, marginals = enumerated(W, c, m)
    assert_allclose(log, expected, rtol=1e-12, atol=1e-8)
    assert_allclose(P, marginals, rtol=0, atol=1e-8)


@pytest.mark.parametrize("L", [2, 4, 6])
def test_without_false_and_missed_readings_it_is_the_permanent(L):
    rng = np.random.default_rng(L)
    W = rng.normal(size=(L, L))
    log, P = associated(W, np.full(L, -30.0), np.full(L, -30.0))
    logs, marginals = associate_each(W[None])
    assert_allclose(log, logs[0], atol=1e-8)
    assert_allclose(P, marginals[0], atol=1e-8)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_order_of_readings_and_systems_is_irrelevant(seed):
    rng = np.random.default_rng(seed)
    W, c, m = 4.0 * rng.normal(size=(6, 5)), rng.normal(size=6), -abs(rng.normal(size=5))
    rows, columns = rng.permutation(6), rng.permutation(5)
    log, P = associated(W, c, m)
    other, Q = associated(np.ascontiguousarray(W[rows][:, columns]), c[rows], m[columns])
    assert_allclose(other, log, atol=1e-7)
    assert_allclose(Q, P[rows][:, columns], atol=1e-7)


@pytest.mark.parametrize("L", [13, 20])
def test_groups_that_are_far_apart_factor(L):
    """Many systems, of which few are near any reading: the sum is the product of those of the groups."""
    rng = np.random.default_rng(L)
    size = 3
    n_groups = L // size
    W, expected = np.full((n_groups * size, L), -200.0), 0.0
    c, m = rng.normal(size=len(W)), -abs(rng.normal(size=L))
    for g in range(n_groups):
        own = slice(size * g, size * (g + 1))
        W[own, own] = rng.normal(size=(size, size))
        expected += enumerated(W[own, own], c[own], m[own])[0]
    log, P = associated(W, c, m)
    assert_allclose(log, expected + m[n_groups * size :].sum(), rtol=1e-8)
    assert_allclose(P[:size, :size], enumerated(W[:size, :size], c[:size], m[:size])[1], atol=1e-8)


def test_no_set_is_impossible():
    log, P = associated(np.full((3, 2), -np.inf), np.array([-1.0, -2.0, -3.0]), np.array([-4.0, -5.0]))
    assert log == pytest.approx(-15.0)
    assert not P.any()


@pytest.mark.parametrize("far", [-1e4, 1e4])
def test_nothing_over_or_underflows(far):
    rng = np.random.default_rng(0)
    W, c, m = rng.normal(size=(4, 3)), rng.normal(size=4), -abs(rng.normal(size=3))
    log, P = associated(W, c, m)
    for i in range(4):
        W[i] += far
        c[i] += far
    moved, Q = associated(W, c, m)
    assert_allclose(moved, log + 4 * far, rtol=1e-10)
    assert_allclose(Q, P, atol=1e-8)


def test_belief_propagation_is_exact_without_cycles_and_near_where_all_are_alike():
    rng = np.random.default_rng(0)
    for n, L in ((1, 4), (5, 1)):
        W, c, m = rng.normal(size=(n, L)), rng.normal(size=n), -abs(rng.normal(size=L))
        P = np.empty((n, L))
        expected, marginals = enumerated(W, c, m)
        assert_allclose(propagate(W, c, m, P), expected, rtol=1e-9)
        assert_allclose(P, marginals, atol=1e-8)
    W, c, m = 0.1 * rng.normal(size=(5, 4)), np.full(5, -2.0), np.full(4, -1.0)
    P = np.empty((5, 4))
    assert abs(propagate(W, c, m, P) - enumerated(W, c, m)[0]) < 0.7
    assert_allclose(P, enumerated(W, c, m)[1], atol=0.03)


def test_many_systems_within_reach_of_each_other_take_bounded_work():
    L = 16
    assert KEPT < 2**L
    log, P = associated(np.zeros((L, L)), np.full(L, -3.0), np.full(L, -2.0))
    assert np.isfinite(log)
    assert_allclose(P, P[0, 0], atol=1e-6)
    assert 0.5 < P.sum(axis=0)[0] < 1.0


def test_many_sets_are_each_their_own():
    rng = np.random.default_rng(5)
    sizes = np.array([2, 0, 4, 1])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    W, c, m = rng.normal(size=(7, 3)), rng.normal(size=7), -abs(rng.normal(size=3))
    logs, P = np.empty(4), np.empty((7, 3))
    associate_sets(W, c, m, offsets, KEPT, logs, P)
    for k in range(4):
        own = slice(offsets[k], offsets[k + 1])
        expected, marginals = enumerated(W[own], c[own], m)
        assert_allclose(logs[k], expected, atol=1e-8)
        assert_allclose(P[own], marginals, atol=1e-8)
