"""Sets as they are seen: systems that were missed are left out, and false readings stand anywhere among the others."""

import numpy as np
from numpy.random import Generator

from vieta.arrays import Booleans, Floats, Integers
from vieta.scenarios.records import ABSENT, FALSE


def interleaved(
    sets: Floats, labels: Integers, seen: Booleans, counts: Integers, false: Floats, rng: Generator
) -> tuple[Floats, Integers]:
    """Sets (N, M) or (N, M, p), with NaN after the last reading of smaller sets, and their labels (N, M).

    Parameters
    ----------
    sets, labels : (N, L) or (N, L, p), and (N, L)
        The readings of all systems in the order in which they would be shown, which those that are seen keep.
    seen : (N, L)
        Of the readings in that order.
    counts, false : (N,), (R, p)
        How many false readings each set has, and their values, one set after another.
    rng
        For their places: every way to put them among the others is equally likely.
    """
    n, L = labels.shape
    times, places = np.nonzero(seen)
    for_true, for_false = rng.spawn(2)
    keys = for_true.random((n, L))
    keys[~seen] = np.inf
    keys.sort(axis=1)  # the i-th reading that is seen gets the i-th smallest, so that they keep their order
    time = np.concatenate([times, np.repeat(np.arange(n), counts)])
    key = np.concatenate([keys[np.isfinite(keys)], for_false.random(len(false))])
    values = np.concatenate([sets[times, places].reshape(len(times), -1), false])
    label = np.concatenate([labels[times, places], np.full(len(false), FALSE)])
    order = np.lexsort((key, time))
    return _padded(values[order], label[order], time[order], n, sets.shape[2:])


def _padded(values: Floats, label: Integers, time: Integers, n: int, shape: tuple[int, ...]) -> tuple[Floats, Integers]:
    """Readings (R, p) of ascending times as rows of one length."""
    sizes = np.bincount(time, minlength=n)
    width = max(int(sizes.max(initial=0)), 1)
    place = np.arange(len(time)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    sets, labels = np.full((n, width, *shape), np.nan), np.full((n, width), ABSENT, dtype=np.int64)
    sets[time, place] = values.reshape(len(time), *shape)
    labels[time, place] = label
    return sets, labels
