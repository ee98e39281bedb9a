r"""Without false readings: do the complete sets alone, and without any law of the noise, say the same?

Where systems are missed by chance, sets of L readings are a fair sample, and their law-free estimate (`vieta.weighted`) differs from the
likelihood of all sets by chance only. That being the efficient one (Hausman),

.. math:: d'V^{-1}d \sim \chi^2, \qquad V = \mathrm{Cov}_{complete} - \mathrm{Cov}_{all} ,

with V at least `LEAST` of the first covariance in every direction: both are estimates, and their difference may come out too small. Where that
matters, the test has a lower level than it says.
"""

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.assumed_scores import Outcome
from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.findings import Finding, finding
from vieta.matching import match_rows
from vieta.sets import Data
from vieta.sums import Passes
from vieta.tails import chi_square_tail
from vieta.weighted import solve
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.separation import separation

ENOUGH = 200  # complete sets
APART = 8.0  # standard errors between systems, from which on the law-free estimate has the errors that it says
LEVEL = 1e-3  # probability of a false alarm
LEAST = 0.2


def complete_sets(passes: Passes, n_systems: int) -> Passes:
    """The sets that have one reading for each system."""
    like = Data(np.empty((0, n_systems, passes.like.reading_dim)), passes.like.inputs, passes.like.dim)
    return passes.resized(like, lambda block: _whole(block, n_systems))


def _whole(block: Data, L: int) -> Data:
    some = block.at(np.flatnonzero(block.sizes == L))
    return Data(some.readings.reshape(-1, L, block.reading_dim), some.inputs, block.dim)


def contrast(theta: Floats, cov: Floats, other: Floats, other_cov: Floats) -> Outcome:
    """The test of estimates (L, D), the second of which uses less.

    >>> contrast(np.zeros((1, 1)), np.eye(1), np.full((1, 1), 4.0), 5.0 * np.eye(1)).statistic
    4.0
    """
    values, vectors = np.linalg.eigh(other_cov)
    whiten = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    relative, directions = np.linalg.eigh(np.eye(len(cov)) - whiten.T @ cov @ whiten)
    z = directions.T @ (whiten.T @ (theta - other).ravel()) / np.sqrt(np.maximum(relative, LEAST))
    statistic = float(z @ z)
    return Outcome(statistic, len(z), chi_square_tail(len(z), statistic))


def against_complete(passes: Passes, found: AdaptiveFit) -> Outcome | None:
    """The test, where there is no clutter, some sets are incomplete, and enough are not; None where it cannot be made."""
    theta, sizes, free = found.chosen.model.theta, found.known.sizes, found.chosen.free
    L = len(theta)
    n_whole = int(sizes[L]) if len(sizes) > L else 0
    if free.rate or free.detection == "none" or n_whole < max(ENOUGH, 20 * theta.size):
        return None
    try:
        alone = solve.fit(complete_sets(passes, L))
    except VietaError:
        return None
    sound = alone.converged and alone.certified and not is_exact(alone)  # without noise there is rounding to compare
    if not sound or not separation(alone.theta, alone.cov) > APART:
        return None
    order = match_rows(alone.theta, theta)
    D = theta.shape[1]
    cov = alone.cov.reshape(L, D, L, D)[order][:, :, order].reshape(L * D, L * D)
    return contrast(theta, found.errors.cov, alone.theta[order], cov)


def of_complete_sets(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """A finding where the complete sets disagree."""
    told = against_complete(passes, found)
    if told is None or told.p_value > LEVEL:
        return ()
    return (finding("complete-sets-disagree", p=told.p_value),)
