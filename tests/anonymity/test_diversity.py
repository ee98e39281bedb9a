"""Groups of look-alikes, counted by hand and by loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta.anonymity import diversity


def naive_values(theta, tolerance):
    """Chains by merging pairs until nothing changes."""
    groups = [{i} for i in range(len(theta))]
    near = [(i, j) for i in range(len(theta)) for j in range(i) if np.linalg.norm(theta[i] - theta[j]) <= tolerance]
    for i, j in near:
        a, b = (next(g for g in groups if m in g) for m in (i, j))
        if a is not b:
            groups = [g for g in groups if g is not a and g is not b] + [a | b]
    return groups


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 3), st.floats(0.0, 2.0))
def test_groups_as_merged_one_by_one(seed, L, D, tolerance):
    theta = np.random.default_rng(seed).normal(size=(L, D))
    found, groups = diversity(theta, tolerance=tolerance), naive_values(theta, tolerance)
    assert found.distinct == len(groups)
    assert {frozenset(np.flatnonzero(found.values == v).tolist()) for v in set(found.values)} == set(
        map(frozenset, groups)
    )
    counts = [sum(np.linalg.norm(a - b) <= tolerance for b in theta) for a in theta]
    assert found.look_alikes.tolist() == counts
    assert found.k_anonymity == min(counts)
    assert 1 - 1e-9 <= found.l_diversity <= found.distinct + 1e-9


def test_l_diversity_counts_values_that_are_held_equally_often():
    assert_allclose(diversity([1, 1, 2, 2, 3, 3]).l_diversity, 3.0)
    assert_allclose(diversity([1, 1, 1, 1]).l_diversity, 1.0)
    assert diversity([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]).l_diversity < 1.4  # two values, one of them hardly there


def test_a_chain_is_one_value():
    found = diversity([0.0, 0.9, 1.8, 5.0], tolerance=1.0)
    assert found.look_alikes.tolist() == [2, 3, 2, 1]
    assert found.values.tolist() == [0, 0, 0, 1]


def test_systems_that_coincide_look_alike_at_no_tolerance():
    assert diversity([[1, 2], [1, 2], [1, 3]]).look_alikes.tolist() == [2, 2, 1]


@pytest.mark.parametrize("tolerance", [-1.0, [1.0]])
def test_a_tolerance_is_a_distance(tolerance):
    with pytest.raises(ValueError, match="`tolerance` must be one number of at least 0"):
        diversity([1, 2], tolerance=tolerance)
