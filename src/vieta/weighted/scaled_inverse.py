"""The inverse of an information matrix, whatever the units of the parameters."""

import numpy as np

from vieta.arrays import Floats

ROUNDING = 1e-15


def scaled_inverse(H: Floats, rcond: float = ROUNDING) -> Floats:
    r"""Pseudo-inverse :math:`S (S H S)^+ S` of a positive semidefinite matrix, S scaling its diagonal to one.

    Directions whose eigenvalue in S H S is below `rcond` of the largest are left out. Without S, a parameter measured in small units
    would be: an intercept beside a slope per second, say.

    >>> scaled_inverse(np.diag([4.0, 1e-40, 0.0]))
    array([[2.5e-01, 0.0e+00, 0.0e+00],
           [0.0e+00, 1.0e+40, 0.0e+00],
           [0.0e+00, 0.0e+00, 0.0e+00]])
    """
    diagonal = np.diag(H)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    inverse = np.linalg.pinv(H * scale[:, None] * scale, rcond=rcond, hermitian=True)
    return np.asarray(inverse * scale[:, None] * scale, dtype=np.float64)
