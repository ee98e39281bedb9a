r"""EM for labels that follow a Markov chain over the L! permutations: the hidden Markov model of the paper, eq. prior.

Here the order of a set carries meaning: position i holds the reading of system x_i(k), and x is a Markov chain on
permutations, with a transition matrix that is known, or sticky: with probability q it stays, otherwise all permutations are
alike, :math:`P = q I + (1 - q)\, 1 1'/L!`, and q is estimated where it is not known. The smoothed probabilities come from
the forward and backward recursions, in logarithms and each scaled to one,

.. math:: \alpha_k \propto (P'\alpha_{k-1}) \circ b_k, \qquad \beta_{k-1} \propto P(b_k \circ \beta_k), \qquad
    \gamma_k \propto \alpha_k \circ \beta_k,

with :math:`b_k` the density of set k under each permutation; their marginals take the place of the permanents' in the M-step
(`vieta.likelihood.maximization`). There are L! states, and so L is at most five. The recursions go through all sets in both
directions, and so the sets are held in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import factorial
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.checks import as_transition
from vieta.errors import InputError
from vieta.laws.labels import Sticky
from vieta.laws.noise import Scaled
from vieta.likelihood.assumed import Assumed, assume
from vieta.likelihood.expectation import parted, require_distinct, rounding
from vieta.likelihood.maximization import NormalSums, ascend, gather
from vieta.likelihood.model import parts, residuals
from vieta.likelihood.orders import every_order, log_probabilities, marginals
from vieta.likelihood.score_sums import moved, places, require_possible
from vieta.options import as_start
from vieta.set_requirements import require_complete, require_finite
from vieta.sets import Data, as_data
from vieta.sums import in_memory
from vieta.weighted import solve

LARGEST = 5  # systems; 120 permutations
SETTLED = 1e-6  # change of the probability to stay


@dataclass(frozen=True, slots=True, eq=False)
class MarkovFit:
    """Where EM ended.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of the start; system l of the permutations is row l.
    law : Scaled
        The noise law with its variance.
    stay : float
        q of a sticky chain; NaN for a transition matrix.
    posterior : (N, L!)
        Probability of each permutation at each time, in lexicographic order, given all sets.
    log_likelihood : (iterations + 1,)
        At the start and after each iteration; it never falls.
    converged : bool
    """

    theta: Floats
    law: Scaled
    stay: float
    posterior: Floats
    log_likelihood: Floats
    converged: bool


def markov_em(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    transition: ArrayLike | None = None,
    stay: float | None = None,
    law: str | Scaled = "gaussian",
    noise_var: ArrayLike | str | None = None,
    start: ArrayLike | None = None,
) -> MarkovFit:
    """Maximize the likelihood of sets whose order is a Markov chain.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
        In the order of time, and each set in the order in which it was shown.
    inputs : None, (N,), (N, D) or (N, p, D)
    transition : (L!, L!), optional
        Entry (i, j) is the probability of going from permutation i to j, in lexicographic order.
    stay : float, optional
        Of a sticky chain, if it is known.
    law, noise_var
        See `vieta.likelihood.assumed.assume`.
    start : (L, D), optional
        The efficient symmetric estimate if absent, which does not look at the order; where a `transition` tells systems
        apart, its rows are named such that the sets are likeliest.

    >>> from vieta.laws import labels
    >>> from vieta.scenarios import simulate
    >>> records = simulate((1, 2), n=300, seed=0, labels=labels.Sticky(0.95))
    >>> found = markov_em(records.sets, noise_var=1.0)
    >>> found.theta.round(1).ravel(), round(found.stay, 2)
    (array([1.1, 2. ]), 0.96)
    """
    data = as_data(sets, inputs)
    require_complete(data, "markov_em")
    require_finite(data)
    chain = as_chain(data.n_systems, transition, stay)
    noise, theta = assume(law, noise_var), as_start(start, data.n_systems, data.dim)
    if theta is None:
        passes = in_memory(data)
        theta = _named(data, noise.begin(passes), parted(passes, solve.fit(passes)), chain[0])
    return fit(data, noise, theta, *chain)


def _named(data: Data, law: Scaled, theta: Floats, transition: Floats | None) -> Floats:
    """The rows of theta in the order that makes the sets likeliest; a sticky chain does not tell one order from another."""
    if transition is None:
        return theta
    table = every_order(data.n_systems, LARGEST)
    weights = np.concatenate([law.log_density(residuals(part, theta)) for part in parts(data)])
    found = [smooth(log_probabilities(weights[..., order], table), transition, np.nan)[0] for order in table]
    return np.asarray(theta[table[int(np.argmax(found))]])


def as_chain(n_systems: int, transition: ArrayLike | None, stay: float | None) -> tuple[Floats | None, float, bool]:
    """A transition matrix or None, the probability to stay to begin with, and whether that is to be estimated."""
    every_order(n_systems, LARGEST)
    states = factorial(n_systems)
    if transition is None:
        return None, 0.5 if stay is None else Sticky(stay).stay, stay is None
    if stay is not None:
        raise InputError("two-chains", "`transition` and `stay` were both given; a chain has one or the other.")
    matrix = as_transition(transition)
    if len(matrix) != states:
        raise InputError(
            "transition-shape",
            "`transition` must be ({states}, {states}), one row for each permutation of {n_systems} systems in lexicographic order, got "
            "{shape}.",
            states=states,
            n_systems=n_systems,
            shape=matrix.shape,
        )
    return matrix, np.nan, False


def fit(
    data: Data, noise: Assumed, start: Floats, transition: Floats | None, stay: float, estimate_stay: bool
) -> MarkovFit:
    """EM from parameters (L, D), on checked data."""
    require_distinct(start)
    passes = in_memory(data)
    law = noise.begin(passes)
    require_possible(places(passes, [(start, law)])[0].sums.excluded, law)
    now = _possible(expect(data, start, law, Chain(every_order(data.n_systems, LARGEST), transition, stay)))

    def plan(now: Expected) -> tuple[Callable[[Floats], Expected], bool]:
        stay = now.stays / max(len(data.sets) - 1, 1) if estimate_stay else now.chain.stay
        converged = not abs(stay - now.chain.stay) > SETTLED
        return partial(_after, data, now, replace(now.chain, stay=stay)), converged

    found = ascend(now, noise.known, rounding(passes), plan)
    end = found.end
    return MarkovFit(end.theta, end.law, end.chain.stay, end.posterior, found.log_likelihood, found.converged)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """How the permutations follow each other.

    Attributes
    ----------
    table : (L!, L)
        The permutations, in lexicographic order.
    transition : (L!, L!), optional
        Absent for a sticky chain.
    stay : float
        q of a sticky chain; NaN for a transition matrix.
    """

    table: Integers
    transition: Floats | None
    stay: float


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The outcome of an E-step.

    Attributes
    ----------
    theta : (L, D)
    law : Scaled
    chain : Chain
    likelihood : float
        Its logarithm.
    posterior : (N, L!)
    stays : float
        Expected number of times that a sticky chain stayed.
    sums : NormalSums
        What the M-step needs.
    """

    theta: Floats
    law: Scaled
    chain: Chain
    likelihood: float
    posterior: Floats
    stays: float
    sums: NormalSums


def expect(data: Data, theta: Floats, law: Scaled, chain: Chain) -> Expected:
    """The E-step at parameters (L, D)."""
    logs = [log_probabilities(law.log_density(residuals(part, theta)), chain.table) for part in parts(data)]
    likelihood, posterior, stays = smooth(np.concatenate(logs), chain.transition, chain.stay)
    sums = _gather(data, theta, law, marginals(posterior, chain.table))
    return Expected(theta, law, chain, likelihood, posterior, stays, sums)


def _possible(now: Expected) -> Expected:
    """Refuse sets that no path of the chain explains."""
    if not np.isfinite(now.likelihood):
        raise InputError(
            "chain-excludes-sets",
            "no path of the chain explains these sets under the parameters to begin with: transitions that must not happen are needed. "
            "Give the entries of `transition` that are zero a small probability.",
        )
    return now


def _after(data: Data, now: Expected, chain: Chain, step: Floats) -> Expected:
    return expect(data, *moved(now.theta, now.law, step), chain)


def _gather(data: Data, theta: Floats, law: Scaled, probabilities: Floats) -> NormalSums:
    at, pieces = 0, []
    for part in parts(data):
        end = at + len(part.sets)
        pieces.append(gather(part, residuals(part, theta), probabilities[at:end], law))
        at = end
    return reduce(add, pieces)


def smooth(logs: Floats, transition: Floats | None, stay: float) -> tuple[float, Floats, float]:
    """Log likelihood, smoothed probabilities (N, S), and the expected number of stays, from log densities (N, S).

    The first permutation is uniform.
    """
    from vieta.likelihood.forward_backward import forward_backward

    return forward_backward(logs, np.empty((0, 0)) if transition is None else transition, stay)
