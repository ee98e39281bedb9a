r"""The likelihood of unlabeled sets, and its score.

With :math:`m_l = \Psi\theta_l`, noise density p_l and a uniform prior over permutations, a set has the density

.. math:: p(Y) = \frac1{L!} \sum_\sigma \prod_i p_{\sigma(i)}(y_i - m_{\sigma(i)}) = \mathrm{perm}(A)/L!, \qquad
    A_{il} = p_l(y_i - m_l),

and with the association probabilities :math:`P_{il}` (`vieta.likelihood.associations`), residuals
:math:`r_{il} = y_i - m_l` and :math:`s_l = -\nabla\log p_l`

.. math:: \frac{\partial \log p(Y)}{\partial\theta_l} = \Psi' \sum_i P_{il}\, s_l(r_{il}), \qquad
    \frac{\partial \log p(Y)}{\partial\log s} = \tfrac12 \sum_{il} P_{il}\,(r_{il}' s_l(r_{il}) - p)

for a common factor s on all noise covariances. (The paper calls this likelihood concave in theta when the noise is
Gaussian; it is not, since rows may be exchanged.)

Functions of parameters and data take them in this order everywhere: theta, noise, sets, inputs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_theta
from vieta.errors import InputError
from vieta.laws.linear import respond
from vieta.laws.noise import Scaled, as_law
from vieta.likelihood.associations import associations
from vieta.set_requirements import require_complete, require_finite
from vieta.sets import Data, as_data

PIECE = 2**21  # numbers, about, that are held at once


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The likelihood of each set of a block at some parameters.

    Attributes
    ----------
    log_likelihood : (N,)
        Minus infinity for a set that the law excludes; its scores are NaN.
    scores : (N, L D)
        Derivatives by the parameters, row by row.
    scale_scores : (N,)
        Derivatives by the logarithm of a common factor on the noise covariances.
    """

    log_likelihood: Floats
    scores: Floats
    scale_scores: Floats

    @property
    def joint(self) -> Floats:
        """(N, L D + 1) all scores, the one for the scale last."""
        return np.column_stack([self.scores, self.scale_scores])


def log_likelihood(
    theta: ArrayLike, noise: ArrayLike | Scaled, sets: ArrayLike, inputs: ArrayLike | None = None
) -> Floats:
    """Log density of each set, (N,), under parameters and noise.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A law with a density, or a variance for Gaussian noise.
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)

    Returns
    -------
    (N,)
        Minus infinity for a set that is impossible under the law.

    >>> log_likelihood([1.0, 3.0], 1.0, [[3.0, 1.0]]).round(4)  # one of two labellings, without residual
    array([-2.5129])
    """
    data, rows, law = checked(theta, noise, sets, inputs)
    log_orders = lgamma(data.n_systems + 1.0)
    pieces = [associations(law.log_density(residuals(part, rows))).log_permanent for part in parts(data)]
    return np.concatenate(pieces) - log_orders


def score(theta: ArrayLike, noise: ArrayLike | Scaled, sets: ArrayLike, inputs: ArrayLike | None = None) -> Floats:
    """Derivative of each set's log density by the parameters, row by row: (N, L D). Arguments as in `log_likelihood`.

    >>> score([1.0, 3.0], 1.0, [[3.0, 1.2]]).round(3)
    array([[ 0.248, -0.048]])
    """
    data, rows, law = checked(theta, noise, sets, inputs)
    return np.concatenate([evaluate(part, rows, law).scores for part in parts(data)])


def checked(
    theta: ArrayLike, noise: ArrayLike | Scaled, sets: ArrayLike, inputs: ArrayLike | None
) -> tuple[Data, Floats, Scaled]:
    """Data, parameters (L, D) and a law that fit together."""
    rows = as_theta(theta)
    data = as_data(sets, inputs, len(rows))
    require_complete(data, "likelihood")
    require_finite(data)
    if rows.shape[1] != data.dim:
        raise InputError(
            "theta-shape",
            "theta has {given} parameter(s) a system, but the readings and inputs have {dim}. Needed: shape ({n_systems}, {dim}).",
            given=rows.shape[1],
            dim=data.dim,
            n_systems=data.n_systems,
        )
    return data, rows, as_law(noise)


def parts(data: Data, size: int = 0) -> Iterator[Data]:
    """Sets in pieces of a `size`, by default such that arrays (n, L, L, p) fit into memory; one piece at least."""
    L, p = data.n_systems, data.reading_dim
    step = size or max(PIECE // (L * L * p), 1)
    for at in range(0, max(len(data), 1), step):
        yield data.part(at, at + step)


def residuals(data: Data, theta: Floats) -> Floats:
    """(N, L, L, p): reading i minus the mean of system l."""
    means = respond(data.inputs, np.broadcast_to(theta, (len(data.sets), *theta.shape)))
    return data.sets[:, :, None, :] - means[:, None, :, :]


def evaluate(data: Data, theta: Floats, law: Scaled) -> Evaluation:
    """The likelihood and its scores of a piece of the sets, from checked arguments."""
    r = residuals(data, theta)
    found = associations(law.log_density(r))
    return scored(data, r, found.log_permanent - lgamma(len(theta) + 1.0), found.marginals, law)


def scored(data: Data, residuals: Floats, log_likelihood: Floats, marginals: Floats, law: Scaled) -> Evaluation:
    """Scores of sets with residuals (N, L, L, p) and association probabilities (N, L, L), beside their likelihood (N,)."""
    N, L, p = data.sets.shape
    pulls = marginals[..., None] * law.score(residuals)  # (N, L, L, p)
    return Evaluation(
        log_likelihood,
        to_parameters(data, pulls.sum(axis=1)).reshape(N, -1),
        0.5 * ((pulls * residuals).sum(axis=(1, 2, 3)) - L * p),
    )


def to_parameters(data: Data, pulls: Floats) -> Floats:
    """Psi' applied to vectors (N, L, p), one for each reading's mean: (N, L, D)."""
    if data.inputs.ndim == 1:
        return np.asarray(data.inputs[:, None, None] * pulls)
    return np.asarray(np.einsum("npd,nlp->nld", data.inputs, pulls))
