"""Bounds and sizes of sets, against plain counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.files.set_sizes import any_of, bounds_of, common_count, is_regular

counts = st.lists(st.integers(1, 5), min_size=1, max_size=12)


def key_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize(
    ("key", "size", "regular"),
    [
        ([1, 1, 2, 2], 2, True),
        ([1, 1, 1, 1], 2, False),
        ([1, 2, 2, 3], 2, False),
        ([1, 1, 2], 2, False),
        ([1, 1, 2, 3], 2, False),
        ([1, 2, 3], 1, True),
        ([1, 1, 3], 1, False),
    ],
)
def test_regular_means_sets_of_one_size(key, size, regular):
    assert is_regular(np.array(key), size) is regular


@given(counts)
def test_bounds_and_the_common_size_against_a_count(sizes):
    assert np.diff(bounds_of(key_of(sizes))).tolist() == sizes
    times = Counter(sizes)
    common = [size for size, count in times.items() if count >= 2 and 10 * count >= len(sizes)]
    usual = max(times, key=lambda size: (times[size], size))
    assert common_count(key_of(sizes)) == (max(common) if common else usual)
    assert is_regular(key_of(sizes), sizes[0]) == (len(times) == 1)


@given(st.lists(st.lists(st.booleans(), max_size=4), min_size=1, max_size=8))
def test_marks_of_sets_are_those_of_any_of_their_rows(sets):
    marks = np.array([mark for one in sets for mark in one], dtype=bool)
    bounds = np.concatenate([[0], np.cumsum([len(one) for one in sets])])
    assert any_of(marks, bounds).tolist() == [any(one) for one in sets]
    if {len(one) for one in sets} == {2}:
        assert any_of(marks, 2).tolist() == [any(one) for one in sets]
