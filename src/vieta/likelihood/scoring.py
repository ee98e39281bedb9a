r"""One Fisher-scoring step from the symmetric estimate: the Cramér-Rao bound without a search.

The efficient symmetric estimate :math:`\theta_0` is consistent whatever the noise law. If the law is known, a step

.. math:: \theta_1 = \theta_0 + \Bigl(\sum_k s_k s_k'\Bigr)^{-1} \sum_k s_k

with the scores :math:`s_k` of the likelihood at :math:`\theta_0` has, to first order, the least covariance that any
estimate from unlabeled sets can have (Le Cam). The logarithm of the noise scale is one of the parameters where it is not
known. The second step takes care of what is of second order in the first. Of each step the fraction of the highest likelihood
is taken, and the estimate never leaves the region around :math:`\theta_0` where the truth must be: it cannot end in a wrong
optimum.

Each step is one pass, which gives the likelihood of all fractions and the sums of scores there.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.likelihood.associations import require_few
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.sandwich import LikelihoodFit, conclude
from vieta.likelihood.score_sums import Place, moved, places, require_possible, step_by_products
from vieta.sums import Passes
from vieta.weighted import solve

STEPS = 2
FRACTIONS = (1.0, 0.5, 0.25)
REGION = 10.0  # standard deviations of a chi-square: how far from the symmetric estimate the truth may be


def fit(passes: Passes, noise: Assumed) -> LikelihoodFit:
    """One step, on checked data."""
    require_few(passes.like.n_systems)
    symmetric = solve.fit(passes)
    [here] = places(passes, [(symmetric.theta, noise.begin_at(symmetric.noise))])
    require_possible(here.sums.excluded, here.law)
    for _ in range(STEPS):
        here = _best(passes, symmetric, here, step_by_products(*here.sums.about(noise.known)))
    return conclude(passes, symmetric, here.theta, here.law, noise.known)


def _best(passes: Passes, symmetric: solve.Fit, here: Place, step: Floats) -> Place:
    """The fraction of a step with the highest likelihood, or none, within the region around the symmetric estimate."""
    tried = [moved(here.theta, here.law, fraction * step) for fraction in FRACTIONS]
    found = places(passes, [(_within(symmetric, theta), law) for theta, law in tried])
    return max([here, *found], key=lambda place: place.likelihood)


def _within(symmetric: solve.Fit, theta: Floats) -> Floats:
    """Parameters drawn back to where the truth must be, by the symmetric estimate's covariance."""
    d = (theta - symmetric.theta).ravel()
    squares = float(d @ np.linalg.pinv(symmetric.rough_cov, hermitian=True) @ d)
    largest = d.size + REGION * np.sqrt(2.0 * d.size)
    return np.asarray(symmetric.theta + min(1.0, np.sqrt(largest / max(squares, 1e-300))) * (theta - symmetric.theta))
