"""The numbers of each of very many small sets in ascending order, at a few nanoseconds a number."""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import kernel

MANY = 50_000  # numbers from which compiled code is worth its loading
PIECE = 4096  # sets that are looked at together
LARGE = 12  # numbers of a set from which numpy is as fast


def are_ascending(sets: Floats) -> bool:
    """Whether the numbers of all sets (N, L) are in ascending order, without NaN, and with no zero that is negative.

    >>> are_ascending(np.array([[1.0, 2.0], [0.0, 0.0]])), are_ascending(np.array([[-0.0, 2.0]]))
    (True, False)
    """
    for at in range(0, len(sets), PIECE):
        some = sets[at : at + PIECE]
        if not (some[:, 1:] >= some[:, :-1]).all() or np.isnan(some).any() or np.signbit(some[some == 0.0]).any():
            return False
    return True


def sort_numbers(numbers: Floats, offsets: Integers | None, size: int) -> bool:
    """Sort numbers (R,) within sets, in place; false if that is not for this sort, which takes many of them, small sets, and no NaN.

    Set k has those from offsets[k] to before offsets[k + 1]; where there are no offsets, `size` of them.

    >>> y = np.tile([3.0, 1.0, 2.0], MANY)
    >>> sort_numbers(y, None, 3), y[:6]
    (True, array([1., 2., 3., 1., 2., 3.]))
    """
    if len(numbers) < MANY or (offsets is None and size > LARGE) or np.isnan(numbers.min()):
        return False
    _sort(numbers, np.zeros(0, np.int64) if offsets is None else offsets, 0 if offsets is not None else size)
    return True


@kernel
def _sort(numbers: Floats, offsets: Integers, size: int) -> None:
    """By insertion, with comparisons that choose instead of jumps: what is random cannot be foretold, and a wrong guess costs more."""
    n_sets = len(numbers) // size if size > 0 else len(offsets) - 1
    for k in range(n_sets):
        first = k * size if size > 0 else offsets[k]
        own = numbers[first : first + size if size > 0 else offsets[k + 1]]
        for i in range(1, len(own)):
            moved = own[i]
            for j in range(i):
                held = own[j]
                own[j] = moved if held > moved else held
                moved = held if held > moved else moved
            own[i] = moved
