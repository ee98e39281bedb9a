r"""The curvature of a likelihood at its maximum.

With scores :math:`s_k` of the parameters (and of the logarithm of the noise scale, where it is estimated),
:math:`M = \sum_k s_k s_k'` and :math:`A = -\sum_k \partial s_k`, set k moves the estimate by its influence
:math:`A^{-1} s_k`, and the covariance is the sandwich :math:`A^{-1} M A^{-1}` (`vieta.likelihood.sandwich`). When the law is
right A and M are equal up to chance; when it is wrong the sandwich still gives the scatter of the estimate, though not its bias.

A comes from the information :math:`A^c` that the law gives to labeled sets, less what the posterior labels take from it
when the parameters move (which is Louis' formula, :math:`A = A^c - \sum_k \mathrm{Cov}(s^c \mid Y_k)`):

.. math:: s = \sum_{il} P_{il}\, c_{il}, \qquad A = A^c - \sum_k \sum_{il} c_{il}\, \partial P_{il},

with :math:`c_{il}` the score that reading i gives if it belongs to system l. Only the probabilities are differentiated,
by central differences, and not the scores, which jump for a law with a kink.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from vieta.arrays import Floats
from vieta.laws.noise import Scaled
from vieta.laws.quadrature import grid
from vieta.laws.scaled import whitening
from vieta.likelihood.associations import associations
from vieta.likelihood.model import residuals, to_parameters
from vieta.likelihood.score_sums import in_pieces, moved
from vieta.sets import Data
from vieta.sums import Passes, Sums

STEP = 0.1  # of the numerical derivative, in standard errors
LEAST = 0.05  # A below this part of M, and of the information of labeled sets, is no curvature to trust


@dataclass(frozen=True, slots=True, eq=False)
class CurvatureSums(Sums):
    """Sums over sets.

    Attributes
    ----------
    labeled : (m, m)
        Information of the sets if they had labels.
    taken : (m, m)
        What the posterior labels take from it, column by column.
    """

    labeled: Floats
    taken: Floats


def curvature(passes: Passes, theta: Floats, law: Scaled, meat: Floats) -> Floats:
    """A (m, m), in one pass; where it is not clearly positive, M, which is given."""
    largest = max(1.0, float(abs(theta).max()))
    steps = STEP * np.minimum(1.0 / np.sqrt(np.maximum(np.diag(meat), 1e-300)), largest)
    sums = passes.total(in_pieces(lambda piece, _: curvature_sums(piece, theta, law, steps)))
    A = sums.labeled - 0.5 * (sums.taken + sums.taken.T)
    return A if max(_relative(A, meat), _relative(A, sums.labeled)) > LEAST else meat


def curvature_sums(data: Data, theta: Floats, law: Scaled, steps: Floats) -> CurvatureSums:
    """Sums over a piece of the sets, by central differences with steps (m,)."""
    m = len(steps)
    taken = np.zeros((m, m))
    for j, h in enumerate(steps):
        before, after = (_marginals(data, *moved(theta, law, sign * h * np.eye(m)[j])) for sign in (-1.0, 1.0))
        taken[:, j] = _collect(data, theta, law, (after - before) / (2.0 * h))[:m]
    return CurvatureSums(labeled_information(data, theta, law)[:m, :m], taken)


def labeled_information(data: Data, theta: Floats, law: Scaled) -> Floats:
    """(L D + 1, L D + 1) the information of sets with labels, the log scale last."""
    N, L, p = data.sets.shape
    n = theta.size
    rows = white_inputs(data, whitening(np.asarray(law.variance), L, p)[0])
    location, scale, both = unit_information(law.scaled(1.0))
    A = np.zeros((n + 1, n + 1))
    A[:n, :n] = np.kron(np.eye(L), location * np.einsum("npd,npe->de", rows, rows))
    A[:n, n] = A[n, :n] = np.tile(both * rows.sum(axis=(0, 1)), L)
    A[n, n] = scale * N * L * p
    return A


def _marginals(data: Data, theta: Floats, law: Scaled) -> Floats:
    return associations(law.log_density(residuals(data, theta))).marginals


def _collect(data: Data, theta: Floats, law: Scaled, weights: Floats) -> Floats:
    """(L D + 1,) the sum of weights (N, L, L) times the scores that reading i gives if it belongs to system l."""
    r = residuals(data, theta)
    pulls = weights[..., None] * law.score(r)
    about_theta = to_parameters(data, pulls.sum(axis=1)).sum(axis=0).ravel()
    return np.append(about_theta, 0.5 * ((pulls * r).sum() - data.reading_dim * weights.sum()))


def white_inputs(data: Data, W: Floats) -> Floats:
    """(N, p, D) inputs in units of the noise."""
    if data.inputs.ndim == 1:
        return np.asarray(data.inputs[:, None, None] * W)
    return np.asarray(np.einsum("qp,npd->nqd", W, data.inputs))


@cache
def unit_information(law: Scaled) -> tuple[float, float, float]:
    """Information of one labeled number of variance one about its location, about its log scale, and about both together.

    >>> from vieta.laws.noise import Gaussian, Laplace
    >>> np.abs([unit_information(Gaussian()), unit_information(Laplace())]).round(4)
    array([[1. , 0.5 , 0. ], [2. , 0.25, 0. ]])
    """
    v, weight = grid()
    f = weight * np.exp(law.unit_log_density(v))
    s = law.unit_score(v)
    t = np.where(f > 0.0, 0.5 * (v * s - 1.0), 0.0)
    return float(f @ s**2), float(f @ t**2), float(f @ (s * t))


def _relative(A: Floats, M: Floats) -> float:
    """The least eigenvalue of A relative to M; zero if it cannot be computed."""
    values, vectors = np.linalg.eigh(M)
    usable = values > 1e-12 * values[-1]
    whiten = vectors[:, usable] / np.sqrt(values[usable])
    whitened = whiten.T @ A @ whiten
    return float(np.linalg.eigvalsh(whitened)[0]) if usable.any() and np.isfinite(whitened).all() else 0.0
