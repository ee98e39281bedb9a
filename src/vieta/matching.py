"""The one matcher of rows: which of some parameter vectors belongs to which of others."""

from functools import cache
from itertools import permutations

import numpy as np

from vieta.arrays import Floats, Integers

FARTHEST = 1e140  # that two rows can be apart: its square is finite
FEW = 6  # systems, of which all orders are tried


def match_rows(rows: Floats, like: Floats, unit: Floats | float | None = None) -> Integers:
    r"""(L,) the order that brings rows (L, D) nearest to those of `like` (L, D): ``rows[match_rows(rows, like)]``.

    It minimises :math:`\sum_l \sum_d (r_{\sigma(l) d} - t_{ld})^2 / u_d^2` over permutations, a linear assignment. Each coordinate
    counts in units :math:`u_d`, by default of the range of the systems in it, so that units of measurement do not matter.

    >>> rows = np.array([[1.0, 9.0], [1.1, 2.0], [5.0, 5.0]])
    >>> match_rows(rows, np.array([[1.0, 2.0], [1.1, 9.0], [5.0, 5.0]]))
    array([1, 0, 2])
    """
    if unit is None:
        spread = np.ptp(like, axis=0)
        unit = np.where(spread > 0.0, spread, 1.0)
    with np.errstate(all="ignore"):
        gaps = (rows[None, :] - like[:, None]) / unit
        if not abs(gaps).max(initial=0.0) <= FARTHEST:
            gaps = np.clip(np.nan_to_num(gaps, nan=FARTHEST), -FARTHEST, FARTHEST)
    cost = (gaps**2).sum(axis=2)
    nearest = np.asarray(cost.argmin(axis=1), dtype=np.int64)
    if len(set(nearest.tolist())) == len(nearest):  # no two want the same row: nothing is better
        return nearest
    return _assignment(cost)


def _assignment(cost: Floats) -> Integers:
    """(L,) the column of each row that together cost least. Few orders are all tried: to import SciPy takes longer than a small fit."""
    L = len(cost)
    if L <= FEW and cost.max() < FARTHEST:  # beyond, sums would lose what is small beside it
        orders = _all_orders(L)
        return np.asarray(orders[cost[np.arange(L), orders].sum(axis=1).argmin()])
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


@cache
def _all_orders(L: int) -> Integers:
    """(L!, L) all permutations."""
    return np.array(list(permutations(range(L))), dtype=np.int64)


def block_index(order: Integers, dim: int) -> Integers:
    """(L D,) the same order for parameters read row by row, as a covariance has them.

    >>> block_index(np.array([1, 0]), 2)
    array([2, 3, 0, 1])
    """
    return (order[:, None] * dim + np.arange(dim)).ravel()
