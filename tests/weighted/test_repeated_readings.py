"""Readings that stand twice: found where a member is lost, not where readings are rounded."""

import numpy as np
import pytest

from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.repeated_readings import Repeated, repeated_readings


def draw(seed, n=500, lost=0.0, digits=None):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=n)
    sets = psi[:, None] * [1.0, 3.0, 6.0] + 0.5 * rng.normal(size=(n, 3))
    sets = rng.permuted(sets if digits is None else sets.round(digits), axis=1)
    hit = rng.uniform(size=n) < lost
    sets[hit, 0] = sets[hit, 1]
    return as_data(sets, psi), int(hit.sum())


@pytest.mark.parametrize("blocks", [1, 9])
def test_a_lost_member_is_counted(blocks):
    for seed in range(10):
        data, hit = draw(seed, lost=0.05)
        found = repeated_readings(in_memory(data, blocks))
        assert found.equal == hit
        assert found.found


@pytest.mark.parametrize("digits", [None, 0, 1, 2, 3])
def test_rounded_readings_are_none(digits):
    for seed in range(40):
        assert not repeated_readings(in_memory(draw(seed, digits=digits)[0])).found


def test_rounded_readings_hide_no_lost_member_where_they_are_fine():
    assert repeated_readings(in_memory(draw(0, 2000, lost=0.05, digits=4)[0])).found


def test_vectors_and_single_systems_have_none():
    assert repeated_readings(in_memory(as_data(np.zeros((20, 2, 2)), None))) == Repeated(0, 0)
    assert repeated_readings(in_memory(as_data(np.zeros((20, 1)), np.ones(20)))) == Repeated(0, 0)
    assert repeated_readings(in_memory(as_data(np.zeros((20, 2)), np.ones(20)))).equal == 20
