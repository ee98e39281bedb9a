"""The compiled sort within sets, against numpy's, and when it leaves the work to numpy."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.ascending import LARGE, MANY, sort_numbers
from vieta.sets import Data, in_canonical_order


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_sets_of_one_size(size, seed):
    rng = np.random.default_rng(seed)
    sets = rng.integers(-3, 3, (MANY // size + 1, size)) + rng.choice([0.0, 0.25, np.inf, -np.inf], (1, size))
    found = sets.ravel().copy()
    assert sort_numbers(found, None, size)
    assert_array_equal(found.reshape(sets.shape), np.sort(sets, axis=1))


def test_sets_of_different_sizes_stay_apart():
    rng = np.random.default_rng(2)
    sizes = rng.integers(0, 9, MANY // 3)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    numbers = rng.normal(size=offsets[-1])
    found = numbers.copy()
    assert sort_numbers(found, offsets, 0)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    assert_array_equal(found, numbers[np.lexsort((numbers, owner))])
    assert not np.array_equal(found, np.sort(numbers))  # of one set, the other would be right too


def test_few_numbers_large_sets_and_nan_are_left_as_they_are():
    for numbers, size in [
        (np.arange(6.0)[::-1].copy(), 3),
        (np.arange(2.0 * MANY)[::-1].copy(), LARGE + 1),
        (np.append(np.arange(2.0 * MANY)[::-1], np.nan), 1),
    ]:
        before = numbers.copy()
        assert not sort_numbers(numbers, None, size)
        assert_array_equal(numbers, before)


@pytest.mark.parametrize("extra", [0, MANY])
def test_the_order_is_the_same_for_few_sets_and_for_many(extra):
    rng = np.random.default_rng(3)
    sets = rng.normal(size=(40 + extra, 3, 1))
    sets[0] = [[0.0], [-0.0], [-1.0]]
    data = Data(sets, np.ones(len(sets)), 1)
    kept = sets.copy()
    found = in_canonical_order(data).sets
    assert_array_equal(found, np.sort(sets, axis=1))
    assert not np.signbit(found[0, 1:]).any()
    assert_array_equal(sets, kept)  # given data are not touched
