from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from tests.likelihood.cases import enumerated, ryser
from vieta.association.permanents import assignment_duals, associate_each, fill_reach, fill_subsets, group_of, size
from vieta.likelihood.associations import Associations

few = settings(deadline=None, max_examples=40, derandomize=True)


def associations(log_weights):
    """The kernel on one set."""
    logs, marginals = associate_each(np.ascontiguousarray(log_weights)[None])
    return Associations(logs[0], marginals[0])


def assert_enumerated(log_weights, tolerance=1e-12):
    total, marginals = enumerated(log_weights)
    found = associations(log_weights)
    assert_allclose(found.log_permanent, total, rtol=tolerance, atol=tolerance)
    assert_allclose(found.marginals, marginals, rtol=0, atol=tolerance)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("L", [1, 2, 3, 4, 5, 6, 7])
def test_permanents_and_marginals_are_those_of_all_permutations(L, spread):
    rng = np.random.default_rng(L)
    for _ in range(2 if L == 7 else 5):
        assert_enumerated(spread * rng.normal(size=(L, L)))


@few
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.6]))
def test_impossible_pairs(L, seed, share):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(L, L))
    A[rng.random((L, L)) < share] = -np.inf
    with np.errstate(invalid="ignore"):
        total, _ = enumerated(A)
    if np.isfinite(total):
        assert_enumerated(A)
    else:
        found = associations(A)
        assert found.log_permanent == -np.inf
        assert np.isnan(found.marginals).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("far", [-1e5, -1e12, 1e5])
def test_nothing_over_or_underflows(far, seed):
    """A row or column far below the others changes the logarithm only, and far pairs are never chosen."""
    rng = np.random.default_rng(seed)
    A = np.round(rng.normal(size=(4, 4)) * 256) / 256  # exact beside a power of ten
    plain = associations(A)
    moved = A.copy()
    moved[2] += far
    moved[:, 1] += far
    got = associations(moved)
    assert_allclose(got.log_permanent - 2 * far, plain.log_permanent, rtol=0, atol=1e-15 * abs(far) * 4 + 1e-12)
    assert_allclose(got.marginals, plain.marginals, rtol=0, atol=1e-12)
    apart = np.where(np.eye(4, dtype=bool), A, -abs(far))
    assert_allclose(associations(apart).marginals, np.eye(4), atol=1e-12)
    assert_allclose(associations(apart).log_permanent, np.trace(A), rtol=1e-12)


def test_all_readings_far_from_all_systems():
    A = -1e5 * np.random.default_rng(0).random((6, 6))
    rows, columns = linear_sum_assignment(-A)
    found = associations(A)
    assert_allclose(found.log_permanent, A[rows, columns].sum(), rtol=1e-13)
    assert_array_equal(found.marginals.round(9).argmax(axis=1), columns)


@few
@given(st.integers(1, 6), st.data())
def test_integers_agree_with_ryser_in_exact_arithmetic(L, data):
    A = [[data.draw(st.integers(0, 9)) for _ in range(L)] for _ in range(L)]
    exact = ryser(A)
    with np.errstate(divide="ignore"):
        found = associations(np.log(np.array(A, dtype=float)))
    assert_allclose(np.exp(found.log_permanent), float(exact), rtol=1e-12)
    if exact > 0 and L > 1:
        minor = [row[1:] for row in A[1:]]
        assert_allclose(found.marginals[0, 0], float(Fraction(A[0][0]) * ryser(minor) / exact), atol=1e-12)


@pytest.mark.parametrize("L", [2, 5])
def test_the_work_on_subsets_is_the_permanent_of_plain_weights(L):
    A, marginals = np.random.default_rng(L).random((L, L)), np.empty((L, L))
    permanent = fill_subsets(A, np.empty(1 << L), np.empty(1 << L), marginals)
    total, expected = enumerated(np.log(A))
    assert_allclose(permanent, np.exp(total), rtol=1e-12)
    assert_allclose(marginals, expected, atol=1e-12)


def test_each_set_is_on_its_own():
    weights = np.random.default_rng(0).normal(size=(6, 3, 3))
    weights[2] = -np.inf
    logs, marginals = associate_each(weights)
    for k in (0, 1, 3, 4, 5):
        total, expected = enumerated(weights[k])
        assert_allclose(logs[k], total)
        assert_allclose(marginals[k], expected, atol=1e-12)
    assert logs[2] == -np.inf
    assert np.isnan(marginals[2]).all()


@few
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_duals_are_feasible_and_tight(L, seed):
    cost = np.random.default_rng(seed).normal(size=(L, L)) * 10
    u, v = np.empty(L), np.empty(L)
    assert assignment_duals(cost, u, v, np.empty(L + 1, np.int64))
    assert (cost - u[:, None] - v > -1e-12 * 10).all()
    rows, columns = linear_sum_assignment(cost)
    assert_allclose(u.sum() + v.sum(), cost[rows, columns].sum(), rtol=1e-11, atol=1e-11)


def test_sizes_of_sets():
    assert [size(S) for S in (0, 1, 2, 3, 255, 2**16 - 1)] == [0, 1, 1, 2, 8, 16]


@pytest.mark.parametrize("seed", range(6))
def test_systems_that_never_exchange_readings_factor(seed):
    """Weights in blocks, some of which lead one way only, in any order of readings and systems."""
    rng, sizes = np.random.default_rng(seed), (1, 3, 2, 2)
    owner = np.repeat(np.arange(4), sizes)
    A = rng.normal(size=(8, 8))
    A[owner[:, None] > owner] = -1e3  # a lower block leads nowhere: what leads to it makes no cycle
    A[:, 0] = np.where(np.arange(8) == 0, 0.0, -1e3)
    A = A[rng.permutation(8)][:, rng.permutation(8)]
    assert_enumerated(A)


def test_groups_are_those_that_reach_each_other():
    A = np.eye(5)
    A[0, 1] = A[1, 2] = A[2, 0] = A[3, 4] = A[1, 3] = 0.5
    reach, members = np.empty(5, np.int64), np.empty(5, np.int64)
    fill_reach(A, np.arange(6), reach)
    groups = [members[: group_of(reach, l, members)].tolist() for l in range(5)]
    assert groups == [[0, 1, 2]] * 3 + [[3], [4]]
