"""Copies of sets are counted, wherever they stand; sets that rounding made equal are not copies."""

import numpy as np
import pytest

import vieta
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import repeated_sets as module
from vieta.weighted.repeated_sets import repeated_sets

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def draw(seed, n=300, decimals=None):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(n), rng.integers(0, 4, n)])
    sets = rng.permuted(rows @ THETA.T + 0.3 * rng.standard_normal((n, 3)), axis=1)
    return sets if decimals is None else np.round(sets, decimals), rows


def share(sets, rows):
    return repeated_sets(in_memory(as_data(sets, rows)), len(sets))


@pytest.mark.parametrize("seed", range(3))
def test_a_file_that_was_read_twice_is_noticed(seed):
    sets, rows = draw(seed)
    assert share(sets, rows) == 0.0
    again = np.random.default_rng(seed).permuted(sets, axis=1)  # in another order within sets
    both, inputs = np.concatenate([sets, again]), np.concatenate([rows, rows])
    assert share(both, inputs) == 0.5
    codes = [one.code for one in vieta.fit(both, inputs).findings]
    assert "sets-repeated" in codes
    assert "sets-repeated" not in [one.code for one in vieta.fit(sets, rows).findings]


def test_some_copies_in_any_place_are_counted():
    sets, rows = draw(0)
    order = np.random.default_rng(0).permutation(np.concatenate([np.arange(300), np.arange(30)]))
    assert share(sets[order], rows[order]) == pytest.approx(30 / 330)


def test_the_same_readings_under_another_input_are_no_copies():
    sets, rows = draw(0)
    assert share(np.concatenate([sets, sets]), np.concatenate([rows, rows + 1.0])) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_rounded_readings_are_equal_by_chance(seed):
    sets, rows = draw(seed, 3000, decimals=1)
    assert len(np.unique(np.hstack([np.sort(sets, axis=1), rows]), axis=0)) < 2900
    assert share(sets, rows) == 0.0


def test_of_a_long_record_all_copies_of_a_set_are_seen_or_none(monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    sets, rows = draw(0, 4000)
    assert share(sets, rows) == 0.0
    assert share(np.concatenate([sets, sets]), np.concatenate([rows, rows])) == 0.5


def test_vectors_are_not_looked_at():
    rng = np.random.default_rng(0)
    sets = np.repeat(rng.standard_normal((50, 2, 2)), 2, axis=0)
    assert repeated_sets(in_memory(as_data(sets, None)), 100) == 0.0
