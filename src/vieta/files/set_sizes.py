"""Where sets begin and end among sorted rows, and how many rows they have."""

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats, Integers
from vieta.sets import common_size

Mask = NDArray[np.bool_]
Bounds = int | Integers  # every so many rows form a set; or set k is the rows from bounds[k] to before bounds[k + 1]
LOOKED_AT = 1 << 12  # rows in which the end of the first set is looked for


def common_count(sorted_key: "Integers | Floats") -> int:
    """How many rows the largest sets have that are common (`vieta.sets.common_size`).

    >>> common_count(np.array([1, 1, 2, 2, 3, 4, 4])), common_count(np.array([1, 2, 2]))
    (2, 2)
    """
    different = sorted_key[:LOOKED_AT] != sorted_key[0]
    first = int(different.argmax()) or len(sorted_key)
    if is_regular(sorted_key, first):
        return first
    return common_size(np.diff(bounds_of(sorted_key)))


def is_regular(sorted_key: "Integers | Floats", size: int) -> bool:
    """Whether every set has `size` rows: those at its two ends agree, and neighbours differ."""
    if len(sorted_key) % size:
        return False
    table = sorted_key.reshape(-1, size)
    return bool((table[:, 0] == table[:, -1]).all() and (table[1:, 0] != table[:-1, -1]).all())


def bounds_of(sorted_key: "Integers | Floats") -> Integers:
    """Where sets begin, and where the last one ends."""
    return np.concatenate([[0], np.flatnonzero(sorted_key[1:] != sorted_key[:-1]) + 1, [len(sorted_key)]])


def any_of(rows: Mask, bounds: Bounds) -> Mask:
    """(N,): sets of which one row or more is marked."""
    if isinstance(bounds, int):
        return np.asarray(rows.reshape(-1, bounds).any(axis=1))
    before = np.concatenate([[0], np.cumsum(rows)])
    return np.asarray(before[bounds[1:]] > before[bounds[:-1]])
