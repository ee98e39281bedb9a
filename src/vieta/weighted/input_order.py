r"""Whether inputs and sets are in the same order: do the inputs explain anything, and do those of a set before or after explain more?

Inputs in a wrong order leave slopes of about zero and noise that holds what they should have explained: an answer that looks fine. Two
things give it away. That no slope of any system differs from zero, by the Wald test; and, where the order is off by a few sets, that the
sums of the readings follow the inputs of other sets more closely. With :math:`\delta_k` the difference between what the inputs of set k - j
and those of set k predict of a sum, and e the residuals of either regression, the residuals' squares fall by

.. math:: z = \frac{\sum_k e_{0k}^2 - e_{jk}^2}{2 \hat\sigma_0 \sqrt{\sum_k \delta_k^2}}

times the standard error that this has where the order is right; its mean is then negative, so that z is above a normal variable less often
than that is itself.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from vieta.arrays import Floats
from vieta.long_run import Lagged
from vieta.sets import Data
from vieta.sums import Passes
from vieta.tails import chi_square_tail
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.sum_regression import as_matrices

ENOUGH = 50  # sets below which no shift is looked for
FARTHEST = 3  # sets by which the order may be off
VARIES = 1e-9  # of an input's size: less is no variation


class Shift(NamedTuple):
    """The inputs of the set so many places before (negative: after) explain the sums better, by z."""

    by: int
    z: float


def slopes_probability(theta: Floats, cov: Floats, varying: Floats) -> float:
    """How probable slopes as large as those of parameters (L, D) with covariance (L D, L D) are where all are zero.

    `varying` (D,) says which inputs are no constants.
    """
    some = np.flatnonzero(np.tile(varying, len(theta)))
    if not len(some) or not np.isfinite(cov).all():
        return 0.0
    t = theta.ravel()[some]
    wald = float(t @ scaled_inverse(cov[np.ix_(some, some)], rcond=1e-12) @ t)
    return chi_square_tail(len(some), wald)


def varying_inputs(passes: Passes) -> Floats:
    """(D,) which columns of the inputs are no constants, for readings that are numbers."""
    found = passes.total(lambda block, _: _range(block))
    low, high = found.low, found.high
    return np.asarray(high - low > VARIES * np.maximum(abs(low), abs(high)))


@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """The smallest and the largest of each column (D,)."""

    low: Floats
    high: Floats

    def __add__(self, other: Self, /) -> Self:
        return type(self)(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def _range(block: Data) -> _Range:
    rows = as_matrices(block)[:, 0]
    return _Range(rows.min(axis=0, initial=np.inf), rows.max(axis=0, initial=-np.inf))


def better_shift(passes: Passes, n_sets: int, varying: Floats) -> Shift:
    """The shift, of up to three sets either way, whose inputs explain the sums best, and how much better than those of the sets themselves."""
    if n_sets < ENOUGH or passes.like.reading_dim > 1 or not varying.any():
        return Shift(0, 0.0)
    mean = passes.total(lambda block, _: _columns(block, varying).sum(axis=0)) / n_sets
    lagged = passes.total(lambda block, _: Lagged.of(_columns(block, varying) - mean))
    return max(
        (_shifted(lagged.products / n_sets, n_sets, by) for by in range(-FARTHEST, FARTHEST + 1) if by),
        key=lambda one: one.z,
    )


def _columns(block: Data, varying: Floats) -> Floats:
    """(n, q + 1) the inputs that vary, and the sums."""
    return np.column_stack([as_matrices(block)[:, 0][:, varying], block.sets[:, :, 0].sum(axis=1)])


def _shifted(products: Floats, n_sets: int, by: int) -> Shift:
    """That of one shift, from the means of products of centred columns at each lag."""
    P, total = products[0][:-1, :-1], products[0][-1, -1]
    across = products[by] if by > 0 else products[-by].T  # a_k a'_{k-by}
    inverse = scaled_inverse(P, rcond=1e-12)
    b0, bj = inverse @ products[0][:-1, -1], inverse @ across[-1, :-1]
    squares = bj @ P @ bj + b0 @ P @ b0 - 2.0 * b0 @ across[:-1, :-1] @ bj
    gain = bj @ P @ bj - b0 @ P @ b0
    left = max(total - b0 @ P @ b0, 0.0)
    spread = 4.0 * left * max(squares, 0.0) / n_sets
    return Shift(by, float(gain / np.sqrt(spread)) if spread > 0.0 else 0.0)
