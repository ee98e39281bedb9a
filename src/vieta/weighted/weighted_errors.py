r"""Error of the weighted estimator: the inverse of its mean information.

.. math:: n\,\mathrm{Cov}\,\hat\theta \to \bigl(E\, J' V^{-1} J\bigr)^{-1},

J and V the slope and the covariance of what the estimator sees of a set (`vieta.weighted`), the mean over
the inputs. A filter sees values of the set's polynomial; their V needs second moments only, and every noise law of the same
variance has the same limit. A fit of all sets at once also sees products of the values, where systems are few and readings are
numbers, or vectors that share an input; their V needs third and fourth moments, and each system's variance is estimated with the
parameters. For laws of skewness above 4 or kurtosis above 60 the figure is approximate: the estimator holds its weights to milder ones.
So it is for products of vectors whose noise is not Gaussian: the weights are those of a law that has its kurtosis in every direction.
"""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients.coefficient_errors import require_identified
from vieta.laws.points import Points
from vieta.laws.setting import (
    InputsLike,
    NoiseLike,
    as_given_law,
    as_noise,
    as_parameters,
    as_points,
    as_shared_noise,
    require_noise,
)
from vieta.predictions import PerSet
from vieta.weighted.equations import accumulate
from vieta.weighted.refinement import MOST_SYSTEMS, held
from vieta.weighted.vector_refinement import is_refined


def efficient_covariance(
    theta: ArrayLike, noise: NoiseLike, inputs: InputsLike = None, *, online: bool = False
) -> PerSet:
    """Error of the weighted estimator.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A law of noise, or a variance for Gaussian noise.
    inputs
        A law of inputs, None for Psi = I, or a sample (n,), (n, D) or (n, p, D).
    online
        Whether a set at a time is absorbed (`vieta.SymmetricFilter`) and not all at once (`vieta.fit`).

    >>> from vieta.laws.inputs import Gaussian
    >>> efficient_covariance([-2, 5, 8], 1.0, Gaussian()).stderr(10_000).ravel().round(4)
    array([0.01 , 0.0102, 0.0102])
    >>> efficient_covariance([-2, 5, 8], 1.0, Gaussian(), online=True).stderr(10_000).ravel().round(4)
    array([0.0101, 0.0104, 0.0104])
    """
    parameters = as_parameters(theta)
    L, D = parameters.shape
    points = as_points(inputs, D)
    p = points.reading_dim(D)
    if not online and p == 1 and 1 < L <= MOST_SYSTEMS:
        information = _with_products(parameters, noise, points)
    elif not online and p > 1 and len(points.weights) == 1 and is_refined(L, p):
        information = _with_vector_products(parameters, noise, points.matrices(D)[0])
    else:
        information = mean_information(parameters, as_shared_noise(noise, L, p), points)
    require_identified(information)
    covariance = np.linalg.inv(information)[: L * D, : L * D]
    return PerSet(parameters, np.asarray(covariance, dtype=np.float64))


def mean_information(theta: Floats, noise: Floats, points: Points) -> Floats:
    """E J'V⁻¹J of the values, (L D, L D), at a noise covariance (p, p)."""
    psi = points.matrices(theta.shape[1])
    means = np.ascontiguousarray(np.einsum("npd,ld->nlp", psi, theta))  # the information does not depend on readings
    total = np.zeros((theta.size, theta.size))
    for k, weight in enumerate(points.weights):
        one = slice(k, k + 1)
        total += weight * accumulate(means[one], psi[one], theta, noise).information
    return total


def _with_products(theta: Floats, noise: NoiseLike, points: Points) -> Floats:
    """E J'V⁻¹J of the values and their products about parameters and variances, (L D + L, L D + L); numbers only."""
    from vieta.weighted.shared_products import accumulate_products

    L, D = theta.shape
    covariances = as_noise(noise, L, 1)
    require_noise(covariances)
    skewness, kurtosis = held(*as_given_law(noise).shape())
    rows = points.matrices(D)[:, 0, :]
    total = np.zeros((L * D + L, L * D + L))
    for row, weight in zip(rows, points.weights, strict=True):
        means = (theta @ row)[None]
        one = accumulate_products(means, row[None], theta, covariances.ravel(), skewness, kurtosis)
        total += weight * one.information[:-1, :-1]
    return total


def _with_vector_products(theta: Floats, noise: NoiseLike, psi: Floats) -> Floats:
    """The same for vectors that share an input (p, D), about parameters and covariances."""
    from vieta.weighted.vector_products import Law, accumulate_vector_products

    covariances = as_noise(noise, len(theta), len(psi))
    require_noise(covariances)
    root = np.linalg.inv(np.linalg.cholesky(covariances.mean(axis=0)))
    law = Law(root @ covariances @ root.T, held(*as_given_law(noise).shape())[1] / 3.0)
    means = theta @ (root @ psi).T
    return accumulate_vector_products(means[None], root @ psi, theta, law)[0]
