r"""A test whether scores that were not set to zero could be zero on average.

Let :math:`h_k` be the scores of what was estimated, and :math:`t_k` (r,) those of what was assumed instead, of each set. What the estimate
takes out of them is a regression,

.. math:: S = \sum_k (t_k - B'h_k), \quad V = \sum_k (t_k - B'h_k)(t_k - B'h_k)', \quad B = \Bigl(\sum_k h_k h_k'\Bigr)^{-1} \sum_k h_k t_k',
    \qquad S'V^{-1}S \sim \chi^2_r

where the assumption holds. Directions of t that the scores h explain are left out: the sets cannot tell them.
"""

from dataclasses import dataclass

import numpy as np

from vieta.adaptive.set_errors import inverted
from vieta.arrays import Floats, Integers
from vieta.sums import Sums
from vieta.tails import chi_square_tail

EXPLAINED = 1e-5  # part of a sum of squares: what is left of it counts as nothing


@dataclass(frozen=True, slots=True, eq=False)
class Scored(Sums):
    """Sums of scores (m,) and of their products (m, m)."""

    totals: Floats
    products: Floats

    @classmethod
    def of(cls, scores: Floats) -> "Scored":
        """Those of scores (N, m)."""
        return cls(scores.sum(axis=0), scores.T @ scores)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The statistic, its degrees of freedom (none where nothing can be told), and the probability of a larger one."""

    statistic: float
    df: int
    p_value: float

    @property
    def z(self) -> float:
        """The root of the statistic: for one degree of freedom, standard errors from zero."""
        return float(np.sqrt(self.statistic))


def score_test(sums: Scored, estimated: Integers, assumed: Integers) -> Outcome:
    """The test of the scores at the places `assumed`, given those at the places `estimated`.

    >>> h, t = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    >>> found = score_test(Scored.of(np.column_stack([h, t])), np.array([0]), np.array([1]))
    >>> round(found.statistic, 4), found.df  # 10 squared over 30 - 2 squared over 4
    (3.4483, 1)
    """
    H, cross = sums.products[np.ix_(estimated, estimated)], sums.products[np.ix_(estimated, assumed)]
    T = sums.products[np.ix_(assumed, assumed)]
    B = inverted(H) @ cross
    S, V = sums.totals[assumed] - B.T @ sums.totals[estimated], T - cross.T @ B
    return outcome(S, V, np.sqrt(np.maximum(np.diag(T), 1e-300)))


def outcome(S: Floats, V: Floats, scale: Floats) -> Outcome:
    """The test of sums S (r,) with covariance V (r, r), whose sizes before anything was taken out of them are `scale` (r,).

    >>> outcome(np.array([3.0, 0.0]), np.diag([1.0, 0.0]), np.ones(2)).statistic  # the second is explained by other scores
    9.0
    """
    values, vectors = np.linalg.eigh(V / (scale[:, None] * scale))
    kept = values > EXPLAINED
    z = (vectors.T @ (S / scale))[kept] / np.sqrt(values[kept])
    statistic, df = float(z @ z), int(kept.sum())
    return Outcome(statistic, df, chi_square_tail(df, statistic) if df else 1.0)
