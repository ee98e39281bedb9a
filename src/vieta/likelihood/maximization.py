r"""The M-step: parameters and scale, given who belongs to whom.

The laws here are Gaussian scale mixtures: each coordinate of the whitened noise u is normal with a precision of its own,
whose conditional mean is :math:`w(u) = s(u)/u` with s the score (1 for Gaussian noise, :math:`\sqrt2/|u|` for Laplace,
:math:`(\nu+1)/(\nu-2+u^2)` for Student's t). With that precision as part of the missing data, the M-step is weighted
least squares, and it never lowers the likelihood:

.. math:: \theta_l \leftarrow \theta_l + H_l^{-1} g_l, \qquad
    g_l = \sum_k \Psi' \sum_i P_{il}\, s(r_{il}), \qquad
    H_l = \sum_k \sum_i P_{il}\, \Psi' C^{-1/2} \mathrm{diag}\,w(u_{il})\, C^{-1/2} \Psi,

which for Gaussian noise is the least squares fit of the mean readings. g is also the gradient of the likelihood
(Fisher's identity). The scale is multiplied by :math:`\bigl(\sum P\,r's(r) - \sum_l g_l' H_l^{-1} g_l\bigr)/(N L p)`.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.estimation.data import Data
from vieta.likelihood.model import to_parameters
from vieta.simulation.algebra import apply
from vieta.simulation.noise import Gaussian, Laplace, Scaled, StudentT
from vieta.simulation.scaled import whitening
from vieta.symmetric.arrays import Floats

MIXTURES = (Gaussian, Laplace, StudentT)
NEAREST = 1e-9  # standard deviations: Laplace noise nearer to zero than this has the precision of this


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What the M-step needs of the sets; pieces add up.

    Attributes
    ----------
    normal : (L, D, D)
        H.
    gradient : (L, D)
        g.
    squares : float
        Sum of P r's(r).
    count : int
        N L p.
    """

    normal: Floats
    gradient: Floats
    squares: float
    count: int

    def __add__(self, other: Self) -> "Sums":
        return Sums(
            self.normal + other.normal,
            self.gradient + other.gradient,
            self.squares + other.squares,
            self.count + other.count,
        )


def gather(data: Data, residuals: Floats, marginals: Floats, law: Scaled) -> Sums:
    """Sums over sets with residuals (N, L, L, p) and association probabilities (N, L, L)."""
    N, L, p = data.sets.shape
    W, _ = whitening(np.asarray(law.variance), L, p)
    u = apply(W, residuals)
    u = np.where(np.abs(u) < NEAREST, NEAREST, u)
    pulls = marginals[..., None] * law.unit_score(u)
    precision = (pulls / u).sum(axis=1)  # (N, L, p)
    return Sums(
        _normal(data, W, precision),
        to_parameters(data, apply(W, pulls.sum(axis=1))).sum(axis=0),
        float((pulls * u).sum()),
        N * L * p,
    )


def _normal(data: Data, W: Floats, precision: Floats) -> Floats:
    """(L, D, D) sum of Psi' W diag(precision) W Psi."""
    if data.inputs.ndim == 1:
        weights = np.einsum("n,nlp->lp", data.inputs**2, precision)
        return np.asarray(np.einsum("pd,lp,pe->lde", W, weights, W))
    rows = np.einsum("qp,npd->nqd", W, data.inputs)
    return np.asarray(np.einsum("nqd,nlq,nqe->lde", rows, precision, rows, optimize=True))


def maximize(sums: Sums, theta: Floats, law: Scaled, scale_known: bool, floor: float) -> tuple[Floats, Scaled, float]:
    """New parameters and law, and the squared length g'H⁻¹g of the step; no scale below `floor` times the present one."""
    step = np.linalg.solve(sums.normal, sums.gradient[..., None])[..., 0]
    length = float((sums.gradient * step).sum())
    if scale_known:
        return theta + step, law, length
    factor = (sums.squares - length) / sums.count
    return theta + step, law.scaled(max(factor, floor) * np.asarray(law.variance)), length


def require_mixture(law: Scaled) -> None:
    """Refuse laws for which the M-step is not known to climb."""
    if not isinstance(law, MIXTURES):
        names = ", ".join(kind.__name__ for kind in MIXTURES)
        raise ValueError(
            f"EM needs noise that is a mixture of Gaussian scales ({names}), got {type(law).__name__}. Use method "
            "'one-step', which takes any law with a score."
        )
