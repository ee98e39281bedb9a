"""The one matcher of rows: which of some parameter vectors belongs to which of others."""

import numpy as np

from vieta.arrays import Floats, Integers

FARTHEST = 1e140  # that two rows can be apart: its square is finite


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
        gaps = np.nan_to_num((rows[None, :] - like[:, None]) / unit, nan=FARTHEST)
    cost = (np.clip(gaps, -FARTHEST, FARTHEST) ** 2).sum(axis=2)
    nearest = np.asarray(cost.argmin(axis=1), dtype=np.int64)
    if len(set(nearest.tolist())) == len(nearest):  # no two want the same row: nothing is better
        return nearest
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


def block_index(order: Integers, dim: int) -> Integers:
    """(L D,) the same order for parameters read row by row, as a covariance has them.

    >>> block_index(np.array([1, 0]), 2)
    array([2, 3, 0, 1])
    """
    return (order[:, None] * dim + np.arange(dim)).ravel()
