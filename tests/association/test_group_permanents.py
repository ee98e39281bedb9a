"""Several permanents at a time against sums over all permutations."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.association.group_permanents import LANES, associate_lanes


def run(A, y):
    g = len(y)
    F, expected = np.empty((1 << g, LANES)), np.empty((g, LANES))
    associate_lanes(A, y, g, np.empty(1 << g, np.int64), F, np.empty((1 << g, LANES)), expected)
    return F[-1], expected


def draw(g):
    rng = np.random.default_rng(g)
    return np.exp(-3.0 * rng.random((g, g, LANES))), rng.standard_normal((g, LANES))


@pytest.mark.parametrize("g", [3, 4, 6])
def test_all_permutations(g):
    A, y = draw(g)
    total, readings = np.zeros(LANES), np.zeros((g, LANES))
    for order in permutations(range(g)):  # reading i is of system order[i]
        weight = np.prod([A[i, l] for i, l in enumerate(order)], axis=0)
        total += weight
        for i, l in enumerate(order):
            readings[l] += weight * y[i]
    permanent, expected = run(A, y)
    assert_allclose(permanent, total, rtol=1e-12)
    assert_allclose(expected, readings / total, atol=1e-12)


def test_a_lane_does_not_feel_the_others():
    A, y = draw(5)
    both = run(A, y)
    A[:, :, 1:], y[:, 1:] = 0.5, 7.0
    alone = run(A, y)
    assert_array_equal(both[0][0], alone[0][0])
    assert_array_equal(both[1][:, 0], alone[1][:, 0])
    assert not np.array_equal(both[1][:, 1], alone[1][:, 1])
