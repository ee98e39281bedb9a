r"""Whether the data themselves leave open what a finding doubts: what an oracle, who knows the truth and the noise, could not exclude either.

The oracle climbs the likelihood of all sets from the true parameters, at the true noise. A doubt of its answer has a cause if

1. *another answer*: some parameters outside the study's tolerance of the truth are not excluded by the rival test (`vieta.search.rivals`)
   against the oracle's. They are looked for on the oracle's own hill, along the directions that the Fisher information I leaves widest for the
   curve of each system, :math:`\delta = I^{-1}_{\cdot l} R'v`, v the first eigenvector of :math:`R\,(I^{-1})_{ll}\,R'`; and on other hills, by
   the moves of the search from the truth;
2. *the rival itself*: the solution that the finding shows, or the estimate beside it, is one of its own for the oracle too, by the rival
   test against his answer; or
3. *too close*: two systems of the oracle's answer lie within the threshold of *systems-coincide*, or of *not-separated* where this is the
   doubt, in the standard errors that the estimator has at the truth, those of its estimating equations,
   :math:`(\sum_k J_k' V_k^{-1} J_k)^{-1}` (`vieta.weighted.equations`).

The information of a set is the mean outer product of scores :math:`\psi (E[y_l \mid \text{set}] - \psi'\theta_l)` over sets that are drawn
from the truth, so that it needs no large N.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from studies.basins.cells import Records, off
from studies.basins.counts import DOUBTS
from vieta.arrays import Floats
from vieta.search.ascent import Climbed, climb
from vieta.search.moves import alternatives, subsets
from vieta.search.problem import Problem, expect, problem
from vieta.search.rivals import is_excluded, rivals
from vieta.weighted.equations import accumulate
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import separation
from vieta.weighted.weighted_findings import TOLD_APART

DRAWN = 4000  # sets from which the information is taken
STEPS = (0.25, 0.5, 0.75, 1.01, 1.5)  # times the tolerance, at which the hill is looked at
ITERATIONS = 100
MOST_ALTERNATIVES = 3  # of two or three systems
FAR = 200.0  # log-likelihood


class Cause(NamedTuple):
    """Whether another answer is left, and how far the closest systems are apart, in standard errors at the truth."""

    undecided: bool
    apart: float


def has_cause(codes: Iterable[str], found: Cause, dim: int) -> bool:
    """Whether every doubt among some findings has a cause; systems coincide within three standard errors for each of `dim` directions."""
    coincide = TOLD_APART * np.sqrt(dim)
    limits = {"not-separated": TOLD_APART}
    return found.undecided or all(found.apart <= limits.get(code, coincide) for code in DOUBTS.intersection(codes))


def cause(records: Records, tolerance: float, shown: Sequence[Floats] = ()) -> Cause:
    """What the oracle finds; `tolerance` is how far a right curve may be away, in standard deviations of the noise.

    The solutions (L, D) that a finding has `shown` are compared with the oracle's answer.
    """
    given = problem(records.sets[:, :, None], records.inputs[:, None, :], np.array([[records.sd**2]]))
    top = climb(given, records.theta, ITERATIONS)
    spread = scaled_inverse(information(given, records.theta), rcond=1e-12)
    apart = separation(top.theta, estimator_cov(records))
    open_ = _on_hill(given, records, top, spread, tolerance) or _elsewhere(given, records, top, tolerance)
    return Cause(open_ or bool(shown and rivals(given, top.theta, list(shown)).rivals), apart)


def information(given: Problem, theta: Floats, seed: int = 0) -> Floats:
    """(L D, L D) the Fisher information of all sets at parameters (L, D), by simulation."""
    n, (L, D) = len(given.sets), theta.shape
    rng, times = np.random.default_rng(seed), -(-DRAWN // n)
    psi = np.tile(given.psi, (times, 1, 1))
    means = np.einsum("npd,ld->nlp", psi, theta)
    drawn = problem(means + rng.standard_normal(means.shape), psi, np.eye(1))
    pull = expect(drawn, theta).readings[:, :, 0] - means[:, :, 0]
    scores = (pull[:, :, None] * psi[:, 0, None, :]).reshape(-1, L * D)
    return np.asarray(scores.T @ scores / times)


def estimator_cov(records: Records) -> Floats:
    """(L D, L D) the covariance that the weighted estimator has at the truth, in large samples."""
    sets, psi = records.sets[:, :, None], records.inputs[:, None, :]
    return scaled_inverse(accumulate(sets, psi, records.theta, np.array([[records.sd**2]])).information)


def _on_hill(given: Problem, records: Records, top: Climbed, spread: Floats, tolerance: float) -> bool:
    """Whether parameters outside the tolerance, on the hill of the truth, are not excluded."""
    L, D = records.theta.shape
    logs, blocks = expect(given, top.theta).logs, spread.reshape(L, D, L, D)
    for l in range(L):
        _, vectors = np.linalg.eigh(given.root @ blocks[l, :, l] @ given.root.T)
        step = np.einsum("ide,e->id", blocks[:, :, l], given.root.T @ vectors[:, -1])
        step *= tolerance / np.linalg.norm(given.root @ step[l])
        for times in (*STEPS, *(-one for one in STEPS)):
            if _is_left(given, records, logs, top.theta + times * step, tolerance):
                return True
    return _is_left(given, records, logs, top.theta, tolerance)


def _is_left(given: Problem, records: Records, logs: Floats, theta: Floats, tolerance: float) -> bool:
    """Whether parameters are outside the tolerance, and not excluded by sets that have the log densities (n,) at the oracle's."""
    return off(theta, records) > tolerance and not is_excluded(logs, expect(given, theta).logs)


def _elsewhere(given: Problem, records: Records, top: Climbed, tolerance: float) -> bool:
    """Whether parameters outside the tolerance, where moves of two or three systems lead to, are not excluded."""
    logs, rng = expect(given, top.theta).logs, np.random.default_rng(0)
    for size in (2, 3):
        for chosen in subsets(given.n_systems, size, rng) if size <= given.n_systems else []:
            for count, other in enumerate(alternatives(given, top.theta, chosen, rng)):
                if count >= MOST_ALTERNATIVES or 0.5 * other.cost > FAR:
                    break
                theta = top.theta.copy()
                theta[chosen] = other.theta
                if _is_left(given, records, logs, climb(given, theta, ITERATIONS).theta, tolerance):
                    return True
    return False
