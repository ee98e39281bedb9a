r"""Expectation maximization on all sets, labels independent and uniform: eqs. Qdef and Q of the paper.

E-step: association probabilities :math:`P_{il}` by permanents (`vieta.likelihood.associations`), O(L 2^L) a set in the
place of the paper's sum over L! permutations. M-step: `vieta.likelihood.maximization`. No iteration lowers the
likelihood; where it ends depends on where it begins, and so it begins at the efficient symmetric estimate, which needs no
noise law and is consistent. If the assumed law is wrong the estimate is biased all the same: see `vieta.likelihood.contrast`.
"""

from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.laws.noise import Scaled
from vieta.likelihood.associations import associations, require_few
from vieta.likelihood.assumed import Assumed, assume
from vieta.likelihood.curvature import moved
from vieta.likelihood.maximization import Sums, ascend, gather
from vieta.likelihood.model import evaluate, parts, possible, residuals
from vieta.options import as_start
from vieta.sets import Data, as_data, require_finite
from vieta.weighted import solve


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Where EM ended.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of the start.
    law : Scaled
        The noise law with its variance.
    log_likelihood : (iterations + 1,)
        At the start and after each iteration, up to the constant log L! a set; it never falls.
    converged : bool
    halted : bool
        Not converged, and no step raised the likelihood any more, though it has a slope.
    """

    theta: Floats
    law: Scaled
    log_likelihood: Floats
    converged: bool
    halted: bool


def em(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    law: str | Scaled = "gaussian",
    noise_var: ArrayLike | str | None = None,
    start: ArrayLike | None = None,
) -> Fit:
    """Maximize the likelihood of unlabeled sets by EM.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    law, noise_var
        See `vieta.likelihood.assumed.assume`.
    start : (L, D), optional
        The efficient symmetric estimate if absent, with rows that nearly coincide moved apart.

    >>> from vieta.laws import simulate
    >>> records = simulate("example-1", n=500, seed=0)
    >>> em(records.sets, records.inputs).theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """
    data = as_data(sets, inputs)
    require_finite(data)
    theta = as_start(start, data.n_systems, data.dim)
    return fit(data, assume(law, noise_var), parted(data, solve.fit(data)) if theta is None else theta)


def fit(data: Data, noise: Assumed, start: Floats) -> Fit:
    """EM from parameters (L, D), on checked data."""
    require_few(data.n_systems)
    require_distinct(start)
    law = noise.begin(data)
    possible(evaluate(data, start, law), law)
    found = ascend(
        expect(data, start, law), noise.known, rounding(data), lambda now: (partial(_after, data, now), True)
    )
    return Fit(found.end.theta, found.end.law, found.log_likelihood, found.converged, found.halted)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The outcome of an E-step.

    Attributes
    ----------
    theta : (L, D)
    law : Scaled
    likelihood : float
        Its logarithm, up to the constant log L! a set.
    sums : Sums
        What the M-step needs.
    """

    theta: Floats
    law: Scaled
    likelihood: float
    sums: Sums


def expect(data: Data, theta: Floats, law: Scaled) -> Expected:
    """The E-step at parameters (L, D)."""
    likelihood, pieces = 0.0, []
    for part in parts(data):
        r = residuals(part, theta)
        found = associations(law.log_density(r))
        likelihood += float(found.log_permanent.sum())
        pieces.append(gather(part, r, found.marginals, law))
    return Expected(theta, law, likelihood, reduce(add, pieces))


def _after(data: Data, now: Expected, step: Floats) -> Expected:
    return expect(data, *moved(now.theta, now.law, step))


def parted(data: Data, symmetric: solve.Fit) -> Floats:
    """The symmetric estimate, with rows that nearly coincide moved apart.

    Where two rows meet the likelihood is stationary, and EM would not leave. N sets tell rows apart from about N^(-1/4)
    standard deviations of one labeled set on, so no two begin nearer than that.
    """
    psi = solve.as_matrices(data)
    G = np.einsum("npd,pq,nqe->de", psi, np.linalg.inv(symmetric.noise), psi, optimize=True) / len(psi)
    apart, theta = len(psi) ** -0.25, symmetric.theta.copy()
    for l in range(len(theta)):
        for k in range(l):
            gap = theta[l] - theta[k]
            if gap @ G @ gap < apart**2:
                gap = gap if np.any(gap) else np.eye(len(gap))[0]
                middle, half = 0.5 * (theta[l] + theta[k]), 0.5 * apart * gap / np.sqrt(gap @ G @ gap)
                theta[l], theta[k] = middle + half, middle - half
    return theta


def rounding(data: Data) -> float:
    """The least variance that readings of this size can have, so that sets without noise are no special case."""
    return 1e-16 * (float(np.mean(data.sets**2)) or 1.0)


def require_distinct(start: Floats) -> None:
    """Refuse parameters with equal rows."""
    for l in range(len(start)):
        for k in range(l):
            if np.array_equal(start[l], start[k]):
                raise ValueError(
                    f"rows {k} and {l} of the start are equal, {start[l].tolist()}: likelihood methods would never part "
                    "them. Start from different rows, or estimate fewer systems."
                )
