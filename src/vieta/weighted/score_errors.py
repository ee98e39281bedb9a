r"""What the covariance of an estimate rests on: the sets' scores, their leverage and their memory.

.. math:: \mathrm{Cov}\,\hat\theta = H^{-1} M H^{-1}, \qquad M = \sum_k \frac{s_k s_k'}{(1 - h_k)^2}, \qquad
    h_k = \frac{\mathrm{tr}\,\Psi_k (\sum_j \Psi_j'\Psi_j)^{-1} \Psi_k'}{\min(p, D)} .

A set with leverage h pulls the estimate towards itself, so that its residual, and with it its score, is about 1 - h times what its noise
would have made it (MacKinnon and White 1985, "HC3"). With memory over time, M gives way to the long-run covariance (`vieta.long_run`).
Intervals use the t law with degrees of freedom

.. math:: \nu = \min\Bigl(N - D/p,\; \tfrac32 \frac{(\sum h)^2}{\sum h^2},\; \frac{N_\mathrm{eff}}{2} - D\Bigr),

of which the second counts the sets that carry the information, and the third, with memory only, the sets without memory that would say as
much.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from vieta.arrays import Floats, product
from vieta.long_run import Lagged, Persistence, long_run
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.sum_regression import SumRegression, as_matrices

HIGHEST = 0.99  # leverage, beyond which a set's residual tells nothing and the noise of all sets serves
CACHED = 100_000  # numbers, L D of a set, that stay near the processor
FEWEST, MOST = 4_000, 32_000  # sets of a piece: between short operations threads wait for each other
TIMES = 1.5  # degrees of freedom for each set that carries information
FEWEST_DOF = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSums(Sums):
    """Sums over sets: M (L D, L D), of the squares of the leverages, and what tells memory."""

    meat: Floats
    concentration: float
    persistence: Persistence


@dataclass(frozen=True, slots=True)
class Basis:
    """What the covariance of an estimate rests on.

    Attributes
    ----------
    dof : float
        Degrees of freedom of its intervals.
    carrying : float
        (Σh)²/Σh²: how many sets, all alike, would have leverages that are as uneven.
    n_effective : float
        How many sets without memory would say as much.
    factor : float
        By which memory makes the largest standard error grow; one where there is none.
    """

    dof: float
    carrying: float
    n_effective: float
    factor: float = 1.0

    @property
    def has_memory(self) -> bool:
        """Whether the scores have memory over time."""
        return self.factor != 1.0


def score_sums(scores: Floats, block: Data, regression: SumRegression) -> ScoreSums:
    """The sums over a block with scores (n, L D), by pieces that stay in the processor's cache."""
    size = min(max(CACHED // scores.shape[1], FEWEST), MOST)
    cuts = range(0, max(len(block), 1), size)
    parts = (_score_sums(scores[at : at + size], block.part(at, at + size), regression) for at in cuts)
    return reduce(add, parts)


def _score_sums(scores: Floats, block: Data, regression: SumRegression) -> ScoreSums:
    h = leverages(block, regression)
    freed = scores * freeing(h)[:, None]
    meat = product(freed.T, freed) + _unseen(block, h, regression)
    shape = len(block), block.n_systems, block.dim
    return ScoreSums(meat, float(h @ h), Persistence.of(scores.reshape(shape)))


def leverages(block: Data, regression: SumRegression) -> Floats:
    """(n,) h of each set."""
    rows = as_matrices(block) @ regression.root
    return np.asarray(np.einsum("kpd,kpd->k", rows, rows) / min(rows.shape[1:]))


def freeing(h: Floats) -> Floats:
    """(n,) the weights 1/(1 - h) of scores; zero where h leaves nothing of them.

    >>> freeing(np.array([0.5, 1.0]))
    array([2., 0.])
    """
    seen = h < HIGHEST
    return np.asarray(seen / np.where(seen, 1.0 - h, 1.0))


def _unseen(block: Data, h: Floats, regression: SumRegression) -> Floats:
    """Sum of the covariances I ⊗ Ψ'C⁻¹Ψ of the scores that nothing is left of, were the readings labeled."""
    psi = as_matrices(block)[h >= HIGHEST]
    share = np.einsum("kpd,pq,kqe->de", psi, np.linalg.inv(regression.noise), psi)
    return np.kron(np.eye(block.n_systems), share)


def basis_of(sums: ScoreSums, regression: SumRegression) -> Basis:
    """What a covariance without memory rests on."""
    N, p, D = regression.n_sets, len(regression.noise), len(regression.solution)
    carrying = (D / min(p, D)) ** 2 / max(sums.concentration, 1e-300)
    return Basis(max(min(N - D / p, TIMES * carrying), 1.0), carrying, float(N))


def with_memory(found: Basis, passes: Passes, influences: Callable[[Data], Floats]) -> tuple[Floats, Basis]:
    """Covariance (L D, L D) of an estimate to which each set of a block adds influences (n, L D), from one pass; and what it rests on."""
    D = passes.like.dim
    sums = passes.total(lambda block, _: Lagged.of(influences(block)))
    cov = long_run(sums, D).cov
    plain = np.maximum(np.diag(sums.products[0]), 1e-300)
    ratio = max(float(np.max(np.diag(cov) / plain)), 1.0 + 1e-9)
    n_effective = sums.count / ratio
    dof = max(min(found.dof, 0.5 * n_effective - D), FEWEST_DOF)
    return cov, replace(found, dof=dof, n_effective=n_effective, factor=float(np.sqrt(ratio)))
