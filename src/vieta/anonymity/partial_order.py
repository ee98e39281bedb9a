r"""Whether the order of readings gives anything away, where sets are of different sizes.

A place of a set of n readings of which m are some system's (0 or 1), or false (any number), is one of them with probability m/n if the order is
random. And of two systems that are in two sets, the order is the same in both with probability one half.
"""

from itertools import combinations

import numpy as np

from vieta.adaptive.reading_associations import best_assignments
from vieta.adaptive.set_model import SetModel, by_set, log_odds
from vieta.anonymity.order_evidence import RECORDS
from vieta.arrays import Floats, Integers
from vieta.sets import Data


def partial_order(data: Data, model: SetModel) -> tuple[float, float]:
    """Two z-values as those of `order_evidence`, from the first records."""
    some = data.part(0, RECORDS)
    if is_ascending(some):
        return 0.0, 0.0
    labels = guessed(some, model)
    return position_evidence(labels, some.flat[1], len(model.theta)), persistence(
        labels, some.flat[1], len(model.theta)
    )


def is_ascending(data: Data) -> bool:
    """Whether all sets are in ascending, or all in descending, order of one of their coordinates."""
    readings, offsets = data.flat
    inside = np.ones(max(len(readings) - 1, 0), dtype=np.bool_)
    ends = offsets[1:-1]
    inside[ends[(ends > 0) & (ends < len(readings))] - 1] = False
    steps = np.diff(readings, axis=0)[inside]
    return bool(((steps >= 0.0).all(axis=0) | (steps <= 0.0).all(axis=0)).any())


def guessed(data: Data, model: SetModel) -> Integers:
    """(R,) the system of each reading in the best guess, -1 for a false one; shuffled first, so that ties do not favour a place."""
    readings, offsets = data.flat
    owner = np.repeat(np.arange(len(data)), np.diff(offsets))
    order = np.lexsort((np.random.default_rng(0).random(len(owner)), owner))
    mixed = Data(readings[order], data.inputs, data.dim, offsets, data.n_systems)
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = best_assignments(log_odds(mixed, model), offsets)
    return labels


def position_evidence(labels: Integers, offsets: Integers, n_systems: int) -> float:
    """The largest |z| over places of a set, from the first and from the last on, and systems, or false readings."""
    sizes = np.diff(offsets)
    largest = 0.0
    for kind in range(-1, n_systems):
        own = labels == kind
        share = by_set(own.astype(np.float64), offsets) / np.maximum(sizes, 1)
        for place in range(int(sizes.max(initial=0))):
            there = np.flatnonzero(sizes > place)
            expected = share[there]
            spread = float(np.sqrt((expected * (1.0 - expected)).sum()))
            for at in (offsets[there] + place, offsets[there + 1] - 1 - place):
                if spread > 1.0:
                    largest = max(largest, abs(float((own[at] - expected).sum())) / spread)
    return largest


def persistence(labels: Integers, offsets: Integers, n_systems: int) -> float:
    """z of the order of two systems being kept from a set to the next, over pairs of sets that do not overlap."""
    n = len(offsets) - 1
    place = np.full((n, n_systems), -1, dtype=np.int64)
    known = np.flatnonzero(labels >= 0)
    owner = np.repeat(np.arange(n), np.diff(offsets))[known]
    place[owner, labels[known]] = known
    first, second = place[0 : 2 * (n // 2) : 2], place[1 : 2 * (n // 2) : 2]
    kept: Floats = np.zeros(len(first))
    for a, b in combinations(range(n_systems), 2):
        both = (np.stack([first[:, a], first[:, b], second[:, a], second[:, b]]) >= 0).all(axis=0)
        same = (first[:, a] < first[:, b]) == (second[:, a] < second[:, b])
        kept += np.where(both, np.where(same, 1.0, -1.0), 0.0)
    size = float(np.sqrt((kept**2).sum()))
    return float(kept.sum()) / size if size > 0.0 else 0.0
