r"""The best guess of who is who in a set, and how likely it is to be right.

With :math:`A_{il}` the density of reading i under system l and a prior :math:`\pi` over permutations, a set has the
posterior :math:`P(\sigma \mid Y) \propto \pi_\sigma \prod_i A_{i\sigma(i)}`. Its mode is the best guess of the whole
permutation; its marginals :math:`P(\sigma(i) = l \mid Y)` tell how likely that guess, or any other, is right for one
system. Under a uniform prior the mode is a linear assignment, O(L³), and the marginals come from permanents, O(L 2^L);
with another prior all permutations are looked at.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Booleans, Floats, Integers
from vieta.likelihood.associations import associations


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """What the best guess achieves on each of n sets.

    Attributes
    ----------
    wrong : (n,)
        Probability, given the set, that the guess of the whole permutation is wrong; or 0 and 1 if it was or not.
    right : (n, L)
        Probability that this guess names the right reading of system l; or 0 and 1.
    alone : (n, L)
        Probability that the best guess of system l's reading alone is right; NaN where it was not worked out.
    surprise : (n,)
        What remains unknown of the permutation given the set, in nats: the entropy of the posterior; NaN likewise.
    """

    wrong: Floats
    right: Floats
    alone: Floats
    surprise: Floats


def by_enumeration(log_weights: Floats, prior: Floats, permutations: Integers) -> Guesses:
    """All permutations (L!, L) with their prior (L!,): `permutations[s, i]` is the system of reading i."""
    n, L, _ = log_weights.shape
    with np.errstate(divide="ignore"):
        joint = log_weights[:, np.arange(L), permutations].sum(axis=-1) + np.log(prior)
    joint -= joint.max(axis=1, keepdims=True)
    posterior = np.exp(joint)
    posterior /= posterior.sum(axis=1, keepdims=True)
    best = np.argmax(posterior, axis=1)
    marginals = (posterior @ np.eye(L)[permutations].reshape(len(prior), -1)).reshape(n, L, L)
    surprise = -np.sum(posterior * np.log(np.where(posterior > 0.0, posterior, 1.0)), axis=1)
    return Guesses(1.0 - posterior.max(axis=1), _named(marginals, permutations[best]), marginals.max(axis=1), surprise)


def by_association(log_weights: Floats) -> Guesses:
    """Uniform prior: the mode by assignment, its probability and the marginals by permanents."""
    found = associations(log_weights)
    guess = assign(log_weights)
    possible = np.isfinite(log_weights)
    finite = np.where(possible, log_weights, 0.0)
    best = np.take_along_axis(finite, guess[:, :, None], axis=2).sum(axis=(1, 2)) - found.log_permanent
    marginals = np.clip(found.marginals, 0.0, 1.0)
    surprise = found.log_permanent - np.sum(marginals * finite, axis=(1, 2))
    return Guesses(-np.expm1(np.minimum(best, 0.0)), _named(marginals, guess), marginals.max(axis=1), surprise)


def by_assignment(log_weights: Floats, truth: Integers) -> Guesses:
    """Uniform prior, any number of systems: the mode by assignment, compared with the truth (n, L).

    The readings must have been shuffled: where several guesses are equally good, which one is taken must not depend
    on the truth.
    """
    n, L, _ = log_weights.shape
    hit = assign(log_weights) == truth
    right = np.zeros((n, L))
    np.put_along_axis(right, truth, hit.astype(np.float64), axis=1)
    return Guesses(1.0 - hit.all(axis=1), right, np.full((n, L), np.nan), np.full(n, np.nan))


def assign(log_weights: Floats) -> Integers:
    """(n, L): the system of each reading in the most likely permutation of each set.

    For a set that no permutation explains, of those with the fewest impossible pairs.
    """
    from scipy.optimize import linear_sum_assignment

    finite = _penalised(log_weights)
    found = [linear_sum_assignment(one, maximize=True)[1] for one in finite]
    return np.array(found, dtype=np.int64).reshape(log_weights.shape[:2])


def explained(log_weights: Floats) -> Booleans:
    """(n,) whether some permutation of each set has no impossible pair."""
    possible = np.isfinite(log_weights)
    found = np.asarray(possible.all(axis=(1, 2)))
    doubtful = np.flatnonzero(~found)
    guess = assign(log_weights[doubtful])[:, :, None]
    found[doubtful] = np.take_along_axis(possible[doubtful], guess, axis=2).all(axis=(1, 2))
    return found


def _penalised(log_weights: Floats) -> Floats:
    """Impossible pairs made so bad that no gain elsewhere makes up for one of them."""
    possible = np.isfinite(log_weights)
    largest = abs(np.where(possible, log_weights, 0.0)).max(axis=(1, 2), keepdims=True)
    return np.where(possible, log_weights, -(2.0 * log_weights.shape[1] + 1.0) * largest - 1.0)


def _named(marginals: Floats, guess: Integers) -> Floats:
    """(n, L): probability that reading i, which the guess gives to system l, is that of l; by system."""
    named = np.take_along_axis(marginals, guess[:, :, None], axis=2)[:, :, 0]
    by_system = np.empty_like(named)
    np.put_along_axis(by_system, guess, named, axis=1)
    return by_system
