"""Whether the order of the readings within the records gives anything away: it must not, or there is nothing to guess."""

import numpy as np

from vieta.anonymity.guesses import assign, explained
from vieta.anonymity.reading_weights import log_weights
from vieta.anonymity.simulated import means_at
from vieta.arrays import Floats, Integers
from vieta.laws.noise import Gaussian, Scaled
from vieta.scenarios.records import pick
from vieta.sets import Data

RECORDS = 2000  # that are looked at


def order_evidence(data: Data, theta: Floats, law: Scaled) -> tuple[float, float]:
    """Two z-values, near zero when every record is shuffled anew.

    The first: some system is found at some position more often than by chance (the largest over both). The second: the
    order of a record is more often than by chance that of the one before (or, below zero, less often), counted by the
    readings that kept their place, of which a random order has one on average, with variance one.

    Records that are sorted by their values say nothing that the values do not, and give zeros.
    """
    if is_sorted(data.sets[:RECORDS]):
        return 0.0, 0.0
    guess = guessed_labels(data, theta, law)
    n, L = guess.shape
    counts = (guess[:, :, None] == np.arange(L)).sum(axis=0)
    position = abs(counts - n / L) / np.sqrt(n / L * (1.0 - 1.0 / L))
    pairs = n // 2
    kept = (guess[0 : 2 * pairs : 2] == guess[1 : 2 * pairs : 2]).sum(axis=1)
    return float(position.max()), float((kept.mean() - 1.0) * np.sqrt(pairs))


def is_sorted(sets: Floats) -> bool:
    """Whether all sets (n, L, p) are in ascending, or all in descending, order of one of their coordinates."""
    steps = np.diff(sets, axis=1)
    return bool(((steps >= 0.0).all(axis=(0, 1)) | (steps <= 0.0).all(axis=(0, 1))).any())


def guessed_labels(data: Data, theta: Floats, law: Scaled) -> Integers:
    """(n, L): the system of each reading in the best guess, for the first records.

    The readings are shuffled first, so that ties do not favour a position.
    """
    sets, means = data.sets[:RECORDS], means_at(theta, data.inputs[:RECORDS])
    spread = law if np.any(law.variance) else Gaussian(1.0)  # without noise, the nearest
    shuffle = np.argsort(np.random.default_rng(0).random(sets.shape[:2]), axis=1)
    guess = assign(log_weights(spread, pick(sets, shuffle), means))
    labels = np.empty_like(guess)
    np.put_along_axis(labels, shuffle, guess, axis=1)
    return labels


def excluded(data: Data, theta: Floats, law: Scaled) -> int:
    """How many of the first records the law excludes, whoever's the readings are: its density is zero there."""
    sets, means = data.sets[:RECORDS], means_at(theta, data.inputs[:RECORDS])
    return int((~explained(log_weights(law, sets, means))).sum())
