r"""How much one reading with a label tells about its mean: the Fisher information of a noise law.

.. math:: I = C^{-1/2}\, (j\,I_p)\, C^{-1/2} = j\,C^{-1}, \qquad j = E\,(f'/f)^2 \ge 1

for noise :math:`C^{1/2}u` with independent coordinates u of density f and variance one.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.laws import noise as laws
from vieta.laws.density import grid
from vieta.laws.setting import NoiseLike, Points, as_given_law


def fisher_information(noise: NoiseLike) -> float:
    r"""j, the information about the mean that one number of the law holds, at variance one.

    1 for Gaussian noise and more for any other law: 2 for Laplace, :math:`\frac{\nu(\nu+1)}{(\nu-2)(\nu+3)}` for Student's
    t, :math:`a/(a-2)` with :math:`a = 4/s^2` for noise of skewness s; by quadrature for a density of one's own.

    >>> fisher_information(laws.Laplace(4.0))
    2.0
    """
    match as_given_law(noise):
        case laws.Gaussian():
            return 1.0
        case laws.Laplace():
            return 2.0
        case laws.StudentT(df=nu):
            return nu * (nu + 1.0) / ((nu - 2.0) * (nu + 3.0))
        case laws.Skewed(skewness=s):
            return _of_gamma(4.0 / s**2)
        case law:
            u, weights = grid()
            return float(np.sum(weights * np.exp(law.unit_log_density(u)) * law.unit_score(u) ** 2))


def _of_gamma(a: float) -> float:
    if a <= 2.0:
        raise ValueError(
            f"the Fisher information of Skewed noise is infinite for skewness {2.0 / np.sqrt(a):.3g}: its density is not "
            "smooth at its edge, estimates can be better than n^(-1/2), and there is no bound. It is finite for a skewness "
            "below sqrt(2)."
        )
    return a / (a - 2.0)


def labeled_information(j: float, covariances: Floats, points: Points, dim: int) -> Floats:
    """Information of a set with labels, (L D, L D): j E Psi'C⁻¹Psi for each system, from covariances (L, p, p)."""
    psi, L = points.matrices(dim), len(covariances)
    blocks = j * np.einsum("n,npd,lpq,nqe->lde", points.weights, psi, np.linalg.inv(covariances), psi, optimize=True)
    full = np.zeros((L, dim, L, dim))
    full[np.arange(L), :, np.arange(L)] = blocks
    return full.reshape(L * dim, L * dim)
