r"""Answers as they come: recursive scoring, a block of sets after another, and whether late scores still have mean zero.

.. math:: H \leftarrow f^n H + \sum_k w_k I_k(u), \qquad M \leftarrow f^{2n} M + \sum_k w_k^2\,g_k g_k'(u), \qquad
    u \leftarrow u + H^{-1} \sum_k w_k g_k(u), \qquad w_k = f^{n-k}

over the n sets of a block, with the scores g and the information I of all unknowns (their squares, where these are scores of a likelihood);
:math:`\mathrm{Cov} = H^{-1} M H^{-1}`. No predictor of the block moves by more than `LONGEST`. Scores are remembered for `LATELY` sets,

.. math:: e \leftarrow \lambda^n e + \sum_k g_k, \qquad V \leftarrow \lambda^{2n} V + S + J\,\mathrm{Cov}\,J,

J the information of the block and S the squares of its scores, or J where that is by the law (answers that are hardly ever wrong have
squares that look as if they did not vary). :math:`e'V^{-1}e` is about chi-square as long as nothing changes. Scores of a block are taken
where the blocks before it led to, whose error is in the last term: it is much where inputs lead to where little is known, as a trend does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerLikelihood, input_rows
from vieta.arrays import Floats
from vieta.sets import Data
from vieta.tails import chi_square_tail

BLOCK = 64  # sets
LONGEST = 1.0  # of a predictor, at a block
LATELY = 512.0  # sets that late scores are remembered for
CHANGED = 1e-8  # probability of late scores, below which something has changed
FLAT = 1e-9  # eigenvalue of V, of the largest in units of the diagonal, below which a direction is left out


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """Where recursive scoring stands: unknowns u (m,), H and M (m, m), and late scores e (m,) with V (m, m)."""

    u: Floats
    information: Floats
    meat: Floats
    late: Floats
    late_squares: Floats

    def forgetful(self) -> "Recursion":
        """The same without late scores."""
        return replace(self, late=np.zeros_like(self.late), late_squares=np.zeros_like(self.late_squares))


def begin(law: AnswerLikelihood, data: Data, u: Floats, forgetting: float) -> Recursion:
    """The recursion after sets of which u is the estimate, each remembered as if it had come one by one."""
    weights = forgetting ** np.arange(len(data) - 1, -1, -1.0)
    H, M = law.weighted(data, u, weights), law.weighted(data, u, weights**2)
    if law.robust:
        g = law.scores(data, u)[1]
        M = (g * weights[:, None] ** 2).T @ g
    return Recursion(u.copy(), H, M, np.zeros(law.size), np.zeros((law.size, law.size)))


def scored(law: Any, now: Recursion, block: Data, forgetting: float) -> Recursion:
    """The recursion after a block of sets."""
    n, g = len(block), law.scores(block, now.u)[1]
    weights = forgetting ** np.arange(n - 1, -1, -1.0)
    told, squares = law.weighted(block, now.u, weights), g.T @ g
    H = forgetting**n * now.information + told
    M = forgetting ** (2 * n) * now.meat + (g * weights[:, None] ** 2).T @ g
    step = inverse(H) @ (weights @ g)
    far = float(abs(input_rows(block) @ law.theta(step).T).max(initial=0.0))
    u = law.moved(now.u, step if far <= LONGEST else step * (LONGEST / far))
    return replace(remembered(now, g, squares, told), u=u, information=H, meat=M)


def remembered(now: Recursion, g: Floats, squares: Floats, told: Floats) -> Recursion:
    """With the scores g (n, m) of the next block, at the unknowns as they are, among the late ones; S and J are its `squares` and `told`."""
    fades = (1.0 - 1.0 / LATELY) ** len(g)
    missed = told @ inverse(now.information)
    late_squares = fades**2 * now.late_squares + squares + missed @ now.meat @ missed.T
    return replace(now, late=fades * now.late + g.sum(axis=0), late_squares=late_squares)


def has_changed(now: Recursion, left_out: Sequence[int] = ()) -> bool:
    """Whether late scores are not those of unknowns that stay; those on the way to infinity, which all push one way, are `left_out`."""
    late, V = now.late, now.late_squares
    if left_out:
        free = [i for i in range(len(late)) if i not in left_out]
        late, V = late[free], V[np.ix_(free, free)]
    if not len(late):
        return False
    size = np.sqrt(np.maximum(np.diag(V), 1e-300))
    values, vectors = np.linalg.eigh(np.clip(V / (size[:, None] * size), -1.0, 1.0))
    kept = values > max(FLAT * float(values[-1]), 1e-12)
    along = vectors.T @ (late / size)
    return chi_square_tail(int(kept.sum()), float((along[kept] ** 2 / values[kept]).sum())) < CHANGED
