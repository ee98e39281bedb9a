"""Products and roots of small matrices, one per time."""

import numpy as np

from vieta.arrays import Floats


def apply(matrices: Floats, vectors: Floats) -> Floats:
    r"""Product of matrices and vectors, :math:`u_i = \sum_d A_{id} x_d`, over broadcast leading axes.

    The sum runs over d in order and entry by entry. The rounding is therefore the same on every machine and
    for every number of matrices, which matrix libraries do not promise.

    Parameters
    ----------
    matrices : (..., p, D)
    vectors : (..., D)

    >>> apply(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([3.0, 4.0]))
    array([11., 4.])
    """
    product: Floats = matrices[..., 0] * vectors[..., None, 0]
    for d in range(1, matrices.shape[-1]):
        product += matrices[..., d] * vectors[..., None, d]
    return product


def root(covariance: Floats) -> Floats:
    r"""Symmetric square root: :math:`S = S^\top`, :math:`S S = C`, for positive semidefinite C (..., p, p).

    >>> root(np.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.], [0., 3.]])
    """
    values, vectors = np.linalg.eigh(covariance)
    scaled: Floats = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return apply(scaled[..., None, :, :], vectors)


def respond(inputs: Floats | None, theta: Floats) -> Floats:
    r"""Noiseless readings :math:`\Psi(k)\,\theta_l(k)`: (n, L, p) from theta (n, L, D).

    >>> respond(np.array([2.0, 3.0]), np.ones((2, 1, 1))).ravel()
    array([2., 3.])
    """
    if inputs is None:
        return theta
    if inputs.ndim == 1:
        return inputs[:, None, None] * theta
    return apply(inputs[:, None, None, :] if inputs.ndim == 2 else inputs[:, None], theta)
