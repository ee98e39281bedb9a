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
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_theta
from vieta.laws.inputs import respond
from vieta.laws.noise import Scaled, as_law
from vieta.likelihood.associations import associations
from vieta.sets import Data, as_data, require_finite

PIECE = 2**21  # numbers, about, that are held at once


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The likelihood of each set at some parameters.

    Attributes
    ----------
    log_likelihood : (N,)
    scores : (N, L D)
        Derivatives by the parameters, row by row.
    scale_scores : (N,)
        Derivatives by the logarithm of a common factor on the noise covariances.
    """

    log_likelihood: Floats
    scores: Floats
    scale_scores: Floats

    def joint(self, scale_known: bool) -> Floats:
        """(N, L D) scores, or (N, L D + 1) with the one for the scale last."""
        return self.scores if scale_known else np.column_stack([self.scores, self.scale_scores])


def log_likelihood(
    theta: ArrayLike, sets: ArrayLike, inputs: ArrayLike | None = None, noise: ArrayLike | Scaled = 1.0
) -> Floats:
    """Log density of each set, (N,), under parameters (L, D) and noise of a law, or Gaussian noise of a variance.

    Minus infinity for a set that is impossible under the law.

    >>> log_likelihood([1.0, 3.0], [[3.0, 1.0]], noise=1.0).round(4)  # one of two labellings, without residual
    array([-2.5129])
    """
    data, rows, law = checked(theta, sets, inputs, noise)
    log_orders = lgamma(data.n_systems + 1.0)
    pieces = [associations(law.log_density(residuals(part, rows))).log_permanent for part in parts(data)]
    return np.concatenate(pieces) - log_orders


def score(
    theta: ArrayLike, sets: ArrayLike, inputs: ArrayLike | None = None, noise: ArrayLike | Scaled = 1.0
) -> Floats:
    """Derivative of each set's log density by the parameters, row by row: (N, L D).

    >>> score([1.0, 3.0], [[3.0, 1.2]], noise=1.0).round(3)
    array([[ 0.248, -0.048]])
    """
    return evaluate(*checked(theta, sets, inputs, noise)).scores


def checked(
    theta: ArrayLike, sets: ArrayLike, inputs: ArrayLike | None, noise: ArrayLike | Scaled
) -> tuple[Data, Floats, Scaled]:
    """Data, parameters (L, D) and a law that fit together."""
    rows = as_theta(theta)
    data = as_data(sets, inputs, len(rows))
    require_finite(data)
    if rows.shape[1] != data.dim:
        raise ValueError(
            f"theta of {rows.shape[1]} parameter(s) a system came, but the readings and inputs have {data.dim}. Needed: "
            f"shape ({data.n_systems}, {data.dim})."
        )
    return data, rows, as_law(noise)


def parts(data: Data) -> Iterator[Data]:
    """The sets in pieces that fit into memory."""
    N, L, p = data.sets.shape
    size = max(PIECE // (L * L * p), 1)
    for at in range(0, N, size):
        yield Data(data.sets[at : at + size], data.inputs[at : at + size], data.dim)


def residuals(data: Data, theta: Floats) -> Floats:
    """(N, L, L, p): reading i minus the mean of system l."""
    means = respond(data.inputs, np.broadcast_to(theta, (len(data.sets), *theta.shape)))
    return data.sets[:, :, None, :] - means[:, None, :, :]


def evaluate(data: Data, theta: Floats, law: Scaled) -> Evaluation:
    """The likelihood and its scores, from checked arguments."""
    pieces = [_evaluate(part, theta, law) for part in parts(data)]
    return Evaluation(
        np.concatenate([piece.log_likelihood for piece in pieces]),
        np.concatenate([piece.scores for piece in pieces]),
        np.concatenate([piece.scale_scores for piece in pieces]),
    )


def _evaluate(data: Data, theta: Floats, law: Scaled) -> Evaluation:
    N, L, p = data.sets.shape
    r = residuals(data, theta)
    found = associations(law.log_density(r))
    pulls = found.marginals[..., None] * law.score(r)  # (N, L, L, p)
    return Evaluation(
        found.log_permanent - lgamma(L + 1.0),
        to_parameters(data, pulls.sum(axis=1)).reshape(N, -1),
        0.5 * ((pulls * r).sum(axis=(1, 2, 3)) - L * p),
    )


def possible(now: Evaluation, law: Scaled) -> Evaluation:
    """Refuse to begin where the law excludes sets."""
    bad = np.flatnonzero(~np.isfinite(now.log_likelihood))
    if len(bad):
        raise ValueError(
            f"sets[{int(bad[0])}], and {len(bad)} set(s) in all, cannot come from noise of law {type(law).__name__} around the "
            "parameters to begin with: its density is zero there. Give a law or a variance with wider support, or use method "
            "'efficient', which needs none."
        )
    return now


def to_parameters(data: Data, pulls: Floats) -> Floats:
    """Psi' applied to vectors (N, L, p), one for each reading's mean: (N, L, D)."""
    if data.inputs.ndim == 1:
        return np.asarray(data.inputs[:, None, None] * pulls)
    return np.asarray(np.einsum("npd,nlp->nld", data.inputs, pulls))
