r"""One Fisher-scoring step from the symmetric estimate: the Cramér-Rao bound without a search.

The efficient symmetric estimate :math:`\theta_0` is consistent whatever the noise law. If the law is known, a step

.. math:: \theta_1 = \theta_0 + \Bigl(\sum_k s_k s_k'\Bigr)^{-1} \sum_k s_k

with the scores :math:`s_k` of the likelihood at :math:`\theta_0` has, to first order, the least covariance that any
estimate from unlabeled sets can have (Le Cam). The logarithm of the noise scale is one of the parameters where it is not
known. The second step takes care of what is of second order in the first. Of each step that fraction is taken which the
likelihood likes best, and the estimate never leaves the region around :math:`\theta_0` where the truth must be:
it cannot end in a wrong optimum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.laws.noise import Scaled
from vieta.likelihood.associations import require_few
from vieta.likelihood.assumed import Assumed, assume
from vieta.likelihood.contrast import Contrast, contrast
from vieta.likelihood.curvature import curvature, influence, moved
from vieta.likelihood.model import Evaluation, evaluate, possible
from vieta.sets import Data, as_data, require_finite
from vieta.weighted import solve

STEPS = 2
FRACTIONS = (1.0, 0.5, 0.25)
REGION = 10.0  # standard deviations of a chi-square: how far from the symmetric estimate the truth may be

Place = tuple[Floats, Scaled, Evaluation]


@dataclass(frozen=True, slots=True, eq=False)
class OneStep:
    """A likelihood estimate beside the symmetric one.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of `symmetric.theta`.
    cov : (L D, L D)
        Sandwich covariance.
    law : Scaled
        The noise law with its variance.
    log_likelihood : float
    contrast : Contrast
        Whether the law is contradicted.
    symmetric : batch.Fit
        The efficient symmetric estimate.
    """

    theta: Floats
    cov: Floats
    law: Scaled
    log_likelihood: float
    contrast: Contrast
    symmetric: solve.Fit


def one_step(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    law: str | Scaled = "gaussian",
    noise_var: ArrayLike | str | None = None,
) -> OneStep:
    """Improve the symmetric estimate of unlabeled sets by what the noise law tells.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    law, noise_var
        See `vieta.likelihood.assumed.assume`.

    >>> from vieta.laws import simulate
    >>> records = simulate("example-1", n=500, seed=0)
    >>> one_step(records.sets, records.inputs).theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """
    data = as_data(sets, inputs)
    require_finite(data)
    return fit(data, assume(law, noise_var))


def fit(data: Data, noise: Assumed) -> OneStep:
    """One step, on checked data."""
    require_few(data.n_systems)
    symmetric = solve.fit(data)
    theta, law = symmetric.theta, noise.begin(data)
    now = possible(evaluate(data, theta, law), law)
    for _ in range(STEPS):
        scores = now.joint(noise.known)
        step = np.linalg.lstsq(scores.T @ scores, scores.sum(axis=0), rcond=1e-12)[0].astype(np.float64)
        theta, law, now = _best(data, symmetric, (theta, law, now), step)
    return conclude(data, symmetric, theta, law, noise.known)


def conclude(data: Data, symmetric: solve.Fit, theta: Floats, law: Scaled, scale_known: bool) -> OneStep:
    """Covariance and contrast of a likelihood estimate, rows in the order of the symmetric one."""
    now = evaluate(data, theta, law)
    scores = now.joint(scale_known)
    M = scores.T @ scores
    moves = influence(scores, curvature(data, theta, law, M), theta.size)
    found = contrast(data, symmetric, theta, moves)
    return OneStep(theta, moves.T @ moves, law, float(now.log_likelihood.sum()), found, symmetric)


def _best(data: Data, symmetric: solve.Fit, here: Place, step: Floats) -> Place:
    """The fraction of a step that the likelihood likes best, or none, within the region around the symmetric estimate."""
    found = [here]
    for fraction in FRACTIONS:
        moved_theta, moved_law = moved(here[0], here[1], fraction * step)
        moved_theta = _within(symmetric, moved_theta)
        now = evaluate(data, moved_theta, moved_law)
        found.append((moved_theta, moved_law, now))
    return max(found, key=lambda one: float(one[2].log_likelihood.sum()))


def _within(symmetric: solve.Fit, theta: Floats) -> Floats:
    """Parameters drawn back to where the truth must be, by the symmetric estimate's covariance."""
    d = (theta - symmetric.theta).ravel()
    squares = float(d @ np.linalg.pinv(symmetric.cov, hermitian=True) @ d)
    largest = d.size + REGION * np.sqrt(2.0 * d.size)
    return np.asarray(symmetric.theta + min(1.0, np.sqrt(largest / max(squares, 1e-300))) * (theta - symmetric.theta))
