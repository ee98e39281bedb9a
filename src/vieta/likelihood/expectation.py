r"""Expectation maximization on all sets, labels independent and uniform: eqs. Qdef and Q of the paper.

E-step: association probabilities :math:`P_{il}` by permanents (`vieta.likelihood.associations`), O(L 2^L) a set in the
place of the paper's sum over L! permutations. M-step: `vieta.likelihood.maximization`. Each iteration is one pass, or a few
where the step goes too far. No iteration lowers the likelihood; where it ends depends on where it begins, and so it begins at
the efficient symmetric estimate, which needs no noise law and is consistent. If the assumed law is wrong the estimate is biased
all the same: see `vieta.likelihood.contrast`.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.noise import Scaled
from vieta.likelihood.associations import associations, require_few
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.maximization import NormalSums, ascend, gather
from vieta.likelihood.model import residuals
from vieta.likelihood.score_sums import Excluded, in_pieces, moved, require_possible
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted import solve


@dataclass(frozen=True, slots=True, eq=False)
class EmFit:
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


def fit(passes: Passes, noise: Assumed, start: Floats) -> EmFit:
    """EM from parameters (L, D), on checked data."""
    require_few(passes.like.n_systems)
    require_distinct(start)
    first = expect(passes, start, noise.begin(passes))
    require_possible(first.excluded, first.law)
    found = ascend(
        first,
        noise.known,
        rounding(passes),
        lambda now: (lambda step: expect(passes, *moved(now.theta, now.law, step)), True),
    )
    return EmFit(found.end.theta, found.end.law, found.log_likelihood, found.converged, found.halted)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The outcome of an E-step.

    Attributes
    ----------
    theta : (L, D)
    law : Scaled
    likelihood : float
        Its logarithm, up to the constant log L! a set.
    excluded : Excluded
        Sets that the law excludes.
    sums : NormalSums
        What the M-step needs.
    """

    theta: Floats
    law: Scaled
    likelihood: float
    excluded: Excluded
    sums: NormalSums


@dataclass(frozen=True, slots=True, eq=False)
class _Totals(Sums):
    likelihood: float
    excluded: Excluded
    sums: NormalSums


def expect(passes: Passes, theta: Floats, law: Scaled) -> Expected:
    """The E-step at parameters (L, D), in one pass."""

    def work(piece: Data, before: int) -> _Totals:
        r = residuals(piece, theta)
        found = associations(law.log_density(r))
        logs = found.log_permanent
        return _Totals(float(logs.sum()), Excluded.of(logs, before), gather(piece, r, found.marginals, law))

    total = passes.total(in_pieces(work))
    return Expected(theta, law, total.likelihood, total.excluded, total.sums)


def parted(passes: Passes, symmetric: solve.Fit) -> Floats:
    """The symmetric estimate, with rows that nearly coincide moved apart.

    Where two rows meet the likelihood is stationary, and EM would not leave. N sets tell rows apart from about N^(-1/4)
    standard deviations of one labeled set on, so no two begin nearer than that.
    """
    precision = np.asarray(np.linalg.inv(symmetric.noise), dtype=np.float64)
    G = passes.total(lambda block, _: _information(block, precision)) / symmetric.n_sets
    apart, theta = symmetric.n_sets**-0.25, symmetric.theta.copy()
    for l in range(len(theta)):
        for k in range(l):
            gap = theta[l] - theta[k]
            if gap @ G @ gap < apart**2:
                gap = gap if np.any(gap) else np.eye(len(gap))[0]
                middle, half = 0.5 * (theta[l] + theta[k]), 0.5 * apart * gap / np.sqrt(gap @ G @ gap)
                theta[l], theta[k] = middle + half, middle - half
    return theta


def _information(block: Data, precision: Floats) -> Floats:
    r"""(D, D) sum of :math:`\Psi' C^{-1} \Psi`."""
    if block.inputs.ndim == 1:
        return np.asarray((block.inputs**2).sum() * precision)
    return np.asarray(np.einsum("npd,pq,nqe->de", block.inputs, precision, block.inputs, optimize=True))


def rounding(passes: Passes) -> float:
    """The least variance that readings of this size can have, so that sets without noise are no special case."""
    squares, count = passes.total(lambda block, _: np.array([(block.sets**2).sum(), block.sets.size]))
    return 1e-16 * (float(squares / count) or 1.0)


def require_distinct(start: Floats) -> None:
    """Refuse parameters with equal rows."""
    for l in range(len(start)):
        for k in range(l):
            if np.array_equal(start[l], start[k]):
                raise InputError(
                    "equal-rows",
                    "rows {first} and {second} of the start are equal, {row}: likelihood methods would never part them. Start from "
                    "different rows, or estimate fewer systems.",
                    first=k,
                    second=l,
                    row=start[l].tolist(),
                )
