r"""Whether readings have a constant that the inputs lack: an intercept that was forgotten.

With :math:`C_k = I - \Psi_k B` the part of a constant in each coordinate that the inputs do not make, and e the residuals of the sums'
regression (`sum_regression`), which are orthogonal to the inputs, a constant among them would be

.. math:: \gamma = M^{-1} \sum_k e_k, \qquad M = \sum_k C_k' C_k, \qquad z_q = \gamma_q / \sqrt{(M^{-1} W M^{-1})_{qq}} ,

with W the larger one of :math:`\sum_k C_k' r_k r_k' C_k` and :math:`\overline{r^2} M`, of :math:`r_k = e_k - C_k\gamma`: one lets
variances depend on the inputs (White 1980), and the other is not decided by a single set. Memory makes z smaller by
`vieta.long_run.Remembered`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.long_run import Remembered
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import student_tail
from vieta.weighted.sum_regression import SumRegression, as_matrices

CHANCE = 7e-6  # of a normal variable beyond 4.5
LEFT = 1e-6  # share of a constant that the inputs must leave, in every direction


class MissingConstant(NamedTuple):
    """How surely a constant is missing, the largest z over coordinates with its degrees of freedom, and how large it is, of a reading."""

    z: float
    dof: float
    size: float

    @property
    def is_sure(self) -> bool:
        """Whether chance would hardly show as large a z."""
        return student_tail(self.z, self.dof) < CHANCE


NOTHING = MissingConstant(0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Inputs(Sums):
    """Sums of Ψ'Ψ (D, D), Ψ' (D, p) and e (p,)."""

    gram: Floats
    total: Floats
    residual: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Left(Sums):
    """Sums of C'r r'C (p, p) and of the squares of r, and the memory of C'r."""

    outer: Floats
    square: float
    remembered: Remembered


def missing_constant(passes: Passes, regression: SumRegression) -> MissingConstant:
    """The test; zero where inputs make a constant, or where nothing can be told."""
    N, D, p = regression.n_sets, passes.like.dim, passes.like.reading_dim
    free = N * p - D - p
    if free < 1 or not regression.weakest > 0.0:
        return NOTHING
    known = passes.total(lambda block, _: _inputs(block, regression))
    B = regression.root @ (regression.root.T @ known.total)
    M = N * np.eye(p) - known.total.T @ B
    if np.linalg.eigvalsh(M)[0] < LEFT * N:
        return NOTHING
    inverse = np.linalg.inv(M)
    gamma = inverse @ known.residual
    left = passes.total(lambda block, _: _left(block, regression, B, gamma))
    white, plain = (np.diag(inverse @ W @ inverse) for W in (left.outer, left.square / free * M))
    errors = left.remembered.growth * np.sqrt(np.maximum(np.maximum(white, plain), 1e-300))
    z = abs(gamma) / errors
    q = int(z.argmax())
    return MissingConstant(float(z[q]), float(free) / p, float(gamma[q] / regression.n_systems))


def _inputs(block: Data, regression: SumRegression) -> _Inputs:
    psi = as_matrices(block)
    return _Inputs(np.einsum("npd,npe->de", psi, psi), psi.sum(axis=0).T, regression.residuals(block).sum(axis=0))


def _left(block: Data, regression: SumRegression, B: Floats, gamma: Floats) -> _Left:
    C = np.eye(block.reading_dim) - as_matrices(block) @ B
    r = regression.residuals(block) - C @ gamma
    each = np.einsum("npq,np->nq", C, r)
    return _Left(each.T @ each, float(np.sum(r**2)), Remembered.of(each))
