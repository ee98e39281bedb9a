r"""The covariance of a likelihood estimate, and its contrast with the symmetric one, from sums.

With scores :math:`s_k` of the likelihood at the likelihood estimate and :math:`t_k` of the estimating equations at the symmetric
one, set k moves the two by :math:`a_k = A^{-1} s_k` and :math:`b_k = B^{-1} t_k`, A being the curvature and B the information of the
symmetric estimate. All that is needed of the sets are the sums

.. math:: \sum_k s_k s_k' = M, \qquad \sum_k s_k t_k', \qquad \sum_k t_k t_k' :

the covariance is :math:`A^{-1} M A^{-1}`, and that of the difference of the estimates follows (`vieta.likelihood.contrast`). In these sums
scores are freed of leverage; memory over time makes covariances grow (`vieta.weighted.score_errors`).
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.laws.noise import Scaled
from vieta.likelihood import model
from vieta.likelihood.contrast import Contrast, compare, difference_covariance
from vieta.likelihood.curvature import curvature
from vieta.likelihood.score_sums import Evaluate, ScoreSums, in_pieces
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted import solve
from vieta.weighted.score_errors import Basis, freeing, leverages, with_memory


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodFit:
    """A likelihood estimate beside the symmetric one.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of `symmetric.theta`.
    cov : (L D, L D)
        Sandwich covariance.
    law : Scaled
        The noise law with its variance.
    log_likelihood : float
    contrast : Contrast
        Whether the law is contradicted.
    symmetric : solve.Fit
        The efficient symmetric estimate.
    basis : Basis
        What the covariance rests on.
    """

    theta: Floats
    cov: Floats
    law: Scaled
    log_likelihood: float
    contrast: Contrast
    symmetric: solve.Fit
    basis: Basis


@dataclass(frozen=True, slots=True, eq=False)
class JointSums(Sums):
    """Sums over sets of both kinds of scores.

    Attributes
    ----------
    likelihood : ScoreSums
        Of s.
    outer : (L D + 1, L D + 1)
        Sum of s s', freed of leverage as the next two are.
    cross : (L D + 1, L D)
        Sum of s t'.
    symmetric : (L D, L D)
        Sum of t t'.
    """

    likelihood: ScoreSums
    outer: Floats
    cross: Floats
    symmetric: Floats

    def reordered(self, index: Integers) -> "JointSums":
        """With the parameters of the likelihood in another order (L D,); the scale stays last."""
        index = np.append(index, len(index))
        s = self.likelihood
        moved = replace(s, slope=s.slope[index], products=s.products[np.ix_(index, index)])
        return JointSums(moved, self.outer[np.ix_(index, index)], self.cross[index], self.symmetric)


def joint_sums(
    passes: Passes,
    symmetric: solve.Fit,
    theta: Floats,
    law: Scaled,
    evaluate: Evaluate = model.evaluate,
    size: int = 0,
) -> JointSums:
    """The sums at a likelihood estimate and the symmetric one, in one pass."""

    def work(piece: Data, before: int) -> JointSums:
        found, weights = evaluate(piece, theta, law), _weights(piece, symmetric)
        s, t = found.joint * weights, solve.block_scores(piece, symmetric) * weights
        return JointSums(ScoreSums.of(found, before), s.T @ s, s.T @ t, t.T @ t)

    return passes.total(in_pieces(work, size))


def conclude(passes: Passes, symmetric: solve.Fit, theta: Floats, law: Scaled, scale_known: bool) -> LikelihoodFit:
    """Covariance and contrast of a likelihood estimate, rows in the order of the symmetric one, in two passes."""
    sums = joint_sums(passes, symmetric, theta, law)
    bread = curvature(passes, theta, law, sums.likelihood.about(scale_known)[1])
    found = concluded(sums, bread, symmetric, theta, law)
    if not symmetric.basis.has_memory:
        return found
    inverse, m = _inverse(bread)[:, : theta.size], len(bread)

    def influences(piece: Data) -> Floats:
        return np.asarray(model.evaluate(piece, theta, law).joint[:, :m] * _weights(piece, symmetric) @ inverse)

    pieces = passes.cut(model.parts)
    cov, basis = with_memory(symmetric.basis, pieces, influences)
    return replace(found, cov=cov, basis=basis)


def _weights(block: Data, symmetric: solve.Fit) -> Floats:
    """(n, 1) that free scores of leverage."""
    return freeing(leverages(block, symmetric.regression))[:, None]


def concluded(sums: JointSums, bread: Floats, symmetric: solve.Fit, theta: Floats, law: Scaled) -> LikelihoodFit:
    """The fit from its sums and the curvature A (m, m), m = L D, or L D + 1 where the scale was estimated."""
    m, n = len(bread), theta.size
    by_likelihood, by_symmetric = _inverse(bread)[:, :n], _inverse(symmetric.information)
    cov = _between(by_likelihood, sums.outer[:m, :m], by_likelihood)
    cov = 0.5 * (cov + cov.T)
    spread = difference_covariance(
        cov,
        _between(by_likelihood, sums.cross[:m], by_symmetric),
        _between(by_symmetric, sums.symmetric, by_symmetric),
    )
    growth = symmetric.growth
    contrast = compare(theta, symmetric.theta, spread * growth, symmetric.rough_cov)
    return LikelihoodFit(theta, cov * growth, law, sums.likelihood.likelihood, contrast, symmetric, symmetric.basis)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.pinv(matrix, hermitian=True), dtype=np.float64)


def _between(left: Floats, middle: Floats, right: Floats) -> Floats:
    return np.asarray(left.T @ middle @ right, dtype=np.float64)
