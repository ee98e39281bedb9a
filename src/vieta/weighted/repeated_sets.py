"""Sets that stand twice: equal to another one, with its input, to the last digit, as where a file was read twice.

Copies tell nothing new, and make errors too small. Next to each other they look like memory over time; elsewhere nothing else shows them. Where
readings are rounded, sets may be equal by chance: so copies count only where the readings of the different sets hardly ever
are. Each set has a number made of its digits; of a long record those sets are compared whose number is a multiple of some number, which has
all copies of a set or none.
"""

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes

Numbers = NDArray[np.uint64]

MOST = 20_000  # sets that are compared
FEWEST = 5  # copies
DIFFERENT = 0.95  # of the readings of different sets, that must differ from all others
MIXED = np.uint64(0x9E3779B97F4A7C15)  # odd, of no pattern


def repeated_sets(passes: Passes, n_sets: int) -> float:
    """The share of the sets that are copies of others, for readings that are numbers; 0 where there are few, or chance may have made them."""
    if passes.like.reading_dim > 1:
        return 0.0
    every = np.uint64(max(1, n_sets // MOST))
    found = passes.total(lambda block, _: (_some(block, every),))
    numbers, readings = (np.concatenate([one[at] for one in found]) for at in (0, 1))
    _, first = np.unique(numbers, return_index=True)
    copies = len(numbers) - len(first)
    if copies < FEWEST:
        return 0.0
    values = readings[first].ravel()
    return copies / len(numbers) if len(np.unique(values)) >= DIFFERENT * len(values) else 0.0


def _some(block: Data, every: np.uint64) -> tuple[Numbers, Floats]:
    """Numbers (m,) and readings (m, L) of the sets of a block that are compared."""
    readings = np.sort(block.sets[:, :, 0], axis=1)
    rows = np.hstack([readings, block.inputs.reshape(len(readings), -1)]) + 0.0
    numbers = _mixed(np.ascontiguousarray(rows).view(np.uint64))
    chosen = numbers % every == 0
    return numbers[chosen], readings[chosen]


def _mixed(digits: Numbers) -> Numbers:
    """(n,) a number for each row of (n, m) others; equal rows have the same one, and others hardly ever do."""
    mixed = np.zeros(len(digits), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in digits.T:
            mixed = (mixed ^ column) * MIXED
            mixed ^= mixed >> np.uint64(29)
    return mixed
