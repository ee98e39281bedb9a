from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

import vieta
from vieta.laws import clutter, detection, labels, noise
from vieta.scenarios.interleaving import interleaved
from vieta.scenarios.records import ABSENT, FALSE


def test_what_is_seen_keeps_its_order_and_false_readings_stand_between():
    sets = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    order = np.array([[2, 0, 1], [0, 1, 2]])
    seen = np.array([[True, False, True], [False, False, False]])
    found, label = interleaved(sets, order, seen, np.array([1, 0]), np.array([[9.0]]), np.random.default_rng(0))
    assert found.shape == (2, 3)
    assert [v for v in found[0] if v != 9.0] == [1.0, 3.0]
    assert_array_equal(label[0][found[0] == 9.0], FALSE)
    assert [one for one in label[0] if one >= 0] == [2, 1]
    assert np.isnan(found[1]).all()
    assert_array_equal(label[1], ABSENT)


@pytest.mark.parametrize("seed", range(3))
def test_every_place_of_a_false_reading_is_equally_likely(seed):
    n = 6000
    sets, order = np.tile([1.0, 2.0, 3.0], (n, 1)), np.tile([0, 1, 2], (n, 1))
    seen = np.ones((n, 3), dtype=bool)
    found, _ = interleaved(sets, order, seen, np.full(n, 2), np.full((2 * n, 1), 9.0), np.random.default_rng(seed))
    ways = Counter(tuple(row) for row in (found == 9.0).tolist())
    assert len(ways) == 10
    assert chisquare(list(ways.values())).pvalue > 1e-4


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("p", [1, 2])
def test_records_with_misses_and_clutter_hold_the_complete_ones(seed, p):
    theta = np.arange(3.0) * 10 if p == 1 else np.arange(6.0).reshape(3, 2) * 10
    options = {"n": 200, "seed": seed, "noise": noise.Gaussian(0.1)}
    whole = vieta.simulate(theta, **options)
    found = vieta.simulate(
        theta, detection=detection.Independent(0.6), clutter=clutter.Uniform(1.5, -50, -40), **options
    )
    assert whole.is_complete
    assert not found.is_complete
    seen = ~np.isnan(found.readings)
    assert_array_equal(found.readings[seen], whole.readings[seen])  # the same noise, whatever is seen
    assert_array_equal(found.sizes, (found.labels != ABSENT).sum(axis=1))
    false = found.sets[found.labels == FALSE]
    assert ((false >= -50) & (false <= -40)).all()
    assert 0.5 < len(false) / 300 < 1.5
    shorter = vieta.simulate(
        theta, detection=detection.Independent(0.6), clutter=clutter.Uniform(1.5, -50, -40), **(options | {"n": 50})
    )
    width = shorter.sets.shape[1]
    assert_array_equal(shorter.sets, found.sets[:50, :width])


def test_labels_of_a_fixed_order_are_kept():
    found = vieta.simulate(
        [1, 2, 3], n=300, labels=labels.Labeled(), detection=detection.Independent(0.5), clutter=clutter.Uniform(1.0)
    )
    for row in found.labels:
        systems = row[row >= 0]
        assert_array_equal(systems, np.sort(systems))
