r"""Error of the weighted estimator: the inverse of its mean information.

.. math:: n\,\mathrm{Cov}\,\hat\theta \to \bigl(E\, J' V^{-1} J\bigr)^{-1},

J and V the slope and the covariance of what the estimator sees of a set (`vieta.estimation.efficient`), the mean over
the inputs. Any noise law of the same variance has the same limit.
"""

import numpy as np
from numpy.typing import ArrayLike

from vieta.symmetric.arrays import Floats
from vieta.theory.coefficients import require_identified
from vieta.theory.prediction import PerSet
from vieta.theory.setting import InputsLike, NoiseLike, Points, as_parameters, as_points, as_shared_noise


def efficient_covariance(theta: ArrayLike, noise: NoiseLike, inputs: InputsLike = None) -> PerSet:
    """Error of the weighted estimator, in batch and online.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A variance, or a law of noise; only its variance matters. One for all systems.
    inputs
        A law of inputs, None for Psi = I, or a sample (n,), (n, D) or (n, p, D).

    >>> from vieta.simulation.inputs import Gaussian
    >>> efficient_covariance([-2, 5, 8], 1.0, Gaussian()).stderr(10_000).ravel().round(4)
    array([0.0101, 0.0104, 0.0104])
    """
    parameters = as_parameters(theta)
    L, D = parameters.shape
    points = as_points(inputs, D)
    information = mean_information(parameters, as_shared_noise(noise, L, points.reading_dim(D)), points)
    require_identified(information)
    return PerSet(parameters, np.asarray(np.linalg.inv(information), dtype=np.float64))


def mean_information(theta: Floats, noise: Floats, points: Points) -> Floats:
    """E J'V⁻¹J, (L D, L D), at a noise covariance (p, p)."""
    from vieta.estimation.efficient.sums import accumulate

    psi = points.matrices(theta.shape[1])
    means = np.ascontiguousarray(np.einsum("npd,ld->nlp", psi, theta))  # the information does not depend on readings
    precision = np.asarray(np.linalg.inv(noise), dtype=np.float64)
    total = np.zeros((theta.size, theta.size))
    for k, weight in enumerate(points.weights):
        one = slice(k, k + 1)
        total += weight * accumulate(means[one], psi[one], theta, noise, precision, np.inf)[0]
    return total
