r"""Whether further unknowns, which the family has not, are needed: the score test.

With the scores g (m,) of the unknowns, which add up to nothing at the estimate, and h (K,) of the further ones where these are nothing,

.. math:: x = \Bigl(\sum_k h_k\Bigr)' W^{-} \Bigl(\sum_k h_k\Bigr), \qquad
    W = \sum h h' - \sum h g' \Bigl(\sum g g'\Bigr)^{-1} \sum g h'

is about chi-square with as many degrees of freedom as W has directions that the unknowns do not cover.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vieta.answers.answer_climb import Climb
from vieta.answers.answer_errors import inverse
from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail

COVERED = 0.02  # of a direction's own variance, below which the unknowns cover it


@dataclass(frozen=True, slots=True, eq=False)
class _Products(Sums):
    """The sum of h (K,), and the products of h and g (K + m, K + m)."""

    total: Floats
    products: Floats


class ScoreTest(NamedTuple):
    """The statistic, its degrees of freedom, and the probability of more by chance."""

    x: float
    dof: int
    p_value: float


def score_test(passes: Passes, law: Any, found: Climb, further: Callable[[Data, Floats], Floats]) -> ScoreTest:
    """The test of further unknowns with scores (n, K) of a block at the estimate."""

    def work(block: Data, _: int) -> _Products:
        h = further(block, found.u)
        both = np.column_stack([h, law.scores(block, found.u)[1]])
        return _Products(h.sum(axis=0), both.T @ both)

    sums = passes.total(work)
    K = len(sums.total)
    size = np.sqrt(np.maximum(np.diag(sums.products)[:K], 1e-300))
    own, across, known = sums.products[:K, :K], sums.products[:K, K:], sums.products[K:, K:]
    W = (own - across @ inverse(known) @ across.T) / (size[:, None] * size)
    values, vectors = np.linalg.eigh(W)
    kept = values > COVERED
    along = vectors.T @ (sums.total / size)
    x, dof = float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum())
    return ScoreTest(x, dof, chi_square_tail(dof, x) if dof else 1.0)
