from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta.scenarios import simulate
from vieta.scenarios.records import canonical, pick


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=6))
def test_canonical_order_is_that_of_tuples(rows):
    assert_array_equal(canonical(np.array(rows, dtype=float)), sorted(rows))


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_picking_is_indexing_time_by_time(n, L, seed):
    rng = np.random.default_rng(seed)
    rows, order = rng.random((n, L, 2)), np.argsort(rng.random((n, L)), axis=1)
    assert_array_equal(pick(rows, order), [row[o] for row, o in zip(rows, order)])


def test_labels_name_the_system_behind_each_reading():
    records = simulate([[0.0, 1.0], [10.0, 11.0], [20.0, 21.0]], n=50)
    assert_array_equal(np.round(records.sets[..., 0] / 10), records.labels)
    for k in range(50):
        for i in range(3):
            assert_array_equal(records.readings[k, records.labels[k, i]], records.sets[k, i])


def test_records_are_frozen():
    with pytest.raises(FrozenInstanceError):
        simulate([1.0], n=1).seed = 3
