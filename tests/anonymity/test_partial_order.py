"""The order of readings in sets of different sizes: silent if it is random, loud if not."""

import numpy as np
import pytest

from tests.anonymity.test_incomplete_sets import model
from vieta.anonymity.incomplete_sets import draw_sets
from vieta.anonymity.partial_order import guessed, is_ascending, partial_order
from vieta.sets import Data


def ordered(data, key):
    """The sets with their readings in the order of a key (R,)."""
    readings, offsets = data.flat
    owner = np.repeat(np.arange(len(data)), np.diff(offsets))
    return Data(readings[np.lexsort((key, owner))], data.inputs, data.dim, offsets, data.size)


@pytest.mark.parametrize("seed", range(4))
def test_random_orders_are_silent(seed):
    made = model()
    position, kept = partial_order(draw_sets(made, np.ones(1000), np.random.default_rng(seed)), made)
    assert position < 4.5
    assert abs(kept) < 4.0


def test_fixed_orders_are_found():
    made = model()
    data = draw_sets(made, np.ones(600), np.random.default_rng(0))
    labels = guessed(data, made)
    position, kept = partial_order(ordered(data, np.where(labels < 0, 9, labels)), made)
    assert position > 5.0
    assert kept > 5.0
    last, _ = partial_order(
        ordered(data, np.where(labels < 0, 9, 0) + np.random.default_rng(1).random(len(labels))), made
    )
    assert last > 5.0  # false readings are last


def test_sorted_records_say_nothing():
    made = model()
    data = draw_sets(made, np.ones(300), np.random.default_rng(2))
    up = ordered(data, data.readings[:, 0])
    assert is_ascending(up)
    assert is_ascending(ordered(data, -data.readings[:, 0]))
    assert not is_ascending(data)
    assert partial_order(up, made) == (0.0, 0.0)


def test_orders_that_alternate():
    made = model(seen=0.95, rate=0.1)
    data = draw_sets(made, np.ones(600), np.random.default_rng(3))
    owner = np.repeat(np.arange(600), data.sizes)
    labels = guessed(data, made)
    _, kept = partial_order(ordered(data, np.where(owner % 2, labels, -labels)), made)
    assert kept < -5.0
