r"""Sets of vectors from which the correlation that a shock makes is taken out, and how large the systems' own noise is.

As `decorrelation` does for numbers: with :math:`v_l = c + u_l`, the shock's covariance G and that of the own noises :math:`\Sigma`,

.. math:: y'_l = y_l - K\,(\bar y - \Psi\bar\theta), \qquad (I - K)\,R\,(I - K)' = \Sigma / L, \qquad R = G + \Sigma / L ,

leaves :math:`E y'_l = \Psi\theta_l` and noises of covariance :math:`\Sigma` that are uncorrelated across systems. With Cholesky factors,
:math:`I - K = C_{\Sigma/L}\,C_R^{-1}`.

Where to begin is found by EM under Gaussian noise, as `within_variance` does: the weights of permutations do not feel the shock, and

.. math:: \Sigma = \frac{1}{(L-1) n} \sum_k E\Bigl[\sum_l (y_l - m_l)(y_l - m_l)' \Bigm| \text{set } k\Bigr]
    - L\,(\bar y - \bar m)(\bar y - \bar m)' .
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, plain
from vieta.search.global_search import search
from vieta.search.problem import expect, problem, regressed
from vieta.sets import Data
from vieta.sums import Passes, in_memory
from vieta.weighted.sum_regression import SumRegression, as_matrices
from vieta.weighted.within_variance import BETTER, GAIN, ITERATIONS, MOST, SEARCHED, SMALLER


def removed(own: Floats, total: Floats) -> Floats:
    """(p, p) the K at which the systems' own noise has covariance `own`, if the sums' noise has `total` = L R."""
    root, inner = np.linalg.cholesky(total), np.linalg.cholesky(own)
    return np.asarray(np.eye(len(own)) - np.linalg.solve(root.T, inner.T).T)


def decorrelate_vectors(data: Data, solution: Floats, share: Floats) -> Data:
    """Sets of y', for a K (p, p) and a sum of parameters (D,)."""
    L, psi = data.n_systems, as_matrices(data)
    residuals = data.sets.mean(axis=1) - psi @ (solution / L)
    return Data(plain(data.sets - (residuals @ share.T)[:, None, :]), data.inputs, data.dim)


def decorrelated_vectors(passes: Passes, solution: Floats, share: Floats) -> Passes:
    """The same sets with y' in the place of y."""
    return passes.changed(passes.like, lambda block: decorrelate_vectors(block, solution, share))


class WithinCovariance(NamedTuple):
    """Log-likelihood of the differences within sets, parameters (L, D), and the covariance (p, p) of the systems' own noise."""

    likelihood: float
    theta: Floats
    covariance: Floats


def within_covariance(sample: Data, regression: SumRegression, theta: Floats) -> WithinCovariance:
    """The best of EM from parameters (L, D), and of EM after searches at smaller and smaller covariances."""
    some = in_memory(sample).spread(SEARCHED, len(sample))
    best = maximized_vectors(sample, theta, regression.noise)
    size = min(_size(best.covariance, regression), 1.0)
    for _ in range(MOST):
        trial = best.covariance * (size / _size(best.covariance, regression))
        sets = decorrelate_vectors(some, regression.solution, removed(trial, regression.noise))
        found = search(problem(sets.sets, as_matrices(some), trial), np.inf)
        other = maximized_vectors(sample, found.best.theta, trial)
        if other.likelihood > best.likelihood + BETTER:
            best, size = other, min(_size(other.covariance, regression), size)
        elif size < _size(best.covariance, regression):  # smaller ones were tried, and did not help
            break
        size *= SMALLER
    return best


def _size(covariance: Floats, regression: SumRegression) -> float:
    """The geometric mean of variances, over that of the sums' noise."""
    logarithm = np.linalg.slogdet(covariance)[1] - np.linalg.slogdet(regression.noise)[1]
    return float(np.exp(logarithm / len(covariance)))


def maximized_vectors(sample: Data, theta: Floats, covariance: Floats) -> WithinCovariance:
    """EM from parameters (L, D) and a covariance (p, p)."""
    n, L, p = sample.sets.shape
    psi, sets, before = as_matrices(sample), sample.sets, -np.inf
    scatter, means_of = np.einsum("nlp,nlq->pq", sets, sets), sets.mean(axis=1)
    for _ in range(ITERATIONS):
        given = problem(sets, psi, covariance)
        now, means = expect(given, theta), np.einsum("npd,ld->nlp", psi, theta)
        apart = means_of - means.mean(axis=1)
        shared = L * apart.T @ apart
        determinant = float(np.linalg.slogdet(covariance)[1])
        likelihood = float(now.logs.sum()) + 0.5 * float(np.trace(np.linalg.solve(covariance, shared)))
        likelihood -= 0.5 * n * (L - 1) * determinant
        if not likelihood - before >= GAIN:
            break
        before = likelihood
        expected = now.readings @ np.linalg.cholesky(covariance).T  # in units of the readings
        cross = np.einsum("nlp,nlq->pq", expected, means)
        left = scatter - cross - cross.T + np.einsum("nlp,nlq->pq", means, means) - shared
        theta = regressed(given, now.readings)
        covariance = left / (n * (L - 1)) + 1e-9 * np.trace(covariance) * np.eye(p)
    return WithinCovariance(likelihood, theta, covariance)
