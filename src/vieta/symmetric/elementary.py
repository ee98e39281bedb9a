r"""Scalar readings: elementary symmetric polynomials.

.. math:: \prod_{l=1}^{L}(1 + s\,y_l) = 1 + \sum_{d=1}^{L} e_d(y)\,s^d, \qquad e_d(\psi\theta) = \psi^d e_d(\theta).

The degree d counts the factors of each product, here and in every module. (The paper attaches its coefficients to
:math:`s^{L-l}` when it builds them and to :math:`s^{l-1}` when it inverts them; its inverse read literally is wrong.)
"""

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.roots import roots
from vieta.symmetric.transform import Transform, scalar_gains, square_sensitivity


def elementary(n_systems: int) -> Transform:
    """The transform of sets of L numbers into e_1 .. e_L.

    >>> e = elementary(3)
    >>> e.transform(np.array([[-2.0], [5.0], [8.0]]))
    array([ 11.,  14., -80.])
    >>> e.inverse(np.array([11.0, 14.0, -80.0])).theta.round(12).ravel()
    array([-2.,  5.,  8.])
    """
    terms = [Term(0, d, d + 1) for d in range(n_systems)]
    algebra = Algebra.from_terms(
        n_systems, list(range(n_systems + 1)), [0], terms, reported=list(range(1, n_systems + 1))
    )
    return Transform("elementary", algebra, algebra, scalar_gains(algebra), _solve, square_sensitivity(algebra))


def _solve(coefficients: Floats) -> Complexes:
    return roots(coefficients)[..., None]


def root_sensitivity(theta: Floats) -> Floats:
    r"""Derivative of each parameter by each coefficient, (L, L), in closed form:

    .. math:: \partial\theta_i / \partial\lambda_m = (-\theta_i)^{L-m} / \prod_{j \ne i}(\theta_j - \theta_i).

    The paper's Theorem 6 has another sign for odd L, and its displayed formula is off by :math:`(-1)^m`.

    >>> root_sensitivity(np.array([1.0, 4.0]))
    array([[-0.33333333,  0.33333333],
           [ 1.33333333, -0.33333333]])
    """
    L = len(theta)
    gaps = theta[None, :] - theta[:, None] + np.eye(L)
    powers = (-theta[:, None]) ** np.arange(L - 1, -1, -1)
    return np.asarray(powers / gaps.prod(axis=1, keepdims=True))
