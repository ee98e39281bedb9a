"""What the first sets of a stream say of themselves, once there are enough: a shock, and what a filter cannot see from its sums later."""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes, in_memory
from vieta.weighted import diagnostics, solve, weighted_findings
from vieta.weighted.later_sets import Later
from vieta.weighted.refinement import Refined, refine
from vieta.weighted.shared_solution import Looked, find_shock
from vieta.weighted.shock_fit import SharedFit
from vieta.weighted.tracking_state import SAYS

RESIDUAL, INPUT, UNKNOWABLE, REPEATED, COLUMN, ERRORS, CONSTANT, SIZE = range(SAYS)  # of the verdict


class Examined(NamedTuple):
    """The verdict (8,) of `tracking_state.State`, and what is known: the fit, the systems' noise variances (L,), the estimate with a shock."""

    verdict: Floats
    fit: solve.Fit | None
    variances: Floats | None
    shared: SharedFit | None


def examined(data: Data, shock: str, near: Floats | None = None, cap: float = np.inf) -> Examined:
    """Fit more sets than the filter started from, with a search unless they certify parameters (L, D) `near`, and look for a shock."""
    passes = in_memory(data)
    try:
        found = solve.fit(passes, cap, near)
        best = refine(passes, found)
        looked = find_shock(passes, found, best, shock if cap == np.inf else "none")
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return Examined(np.zeros(SAYS), None, None, None)
    fit = None if looked.shared is None else looked.shared.fit
    shared = fit if isinstance(fit, SharedFit) and fit.converged and fit.identified else None
    verdict = np.zeros(SAYS)
    if not found.certified:
        verdict[RESIDUAL] = found.residual
    if not diagnostics.is_exact(found):
        z = diagnostics.input_dependence(passes, found.regression) / found.basis.factor
        verdict[INPUT] = z if abs(z) > weighted_findings.SURE else 0.0
        for one in weighted_findings.of_constant(passes, found.regression):
            verdict[CONSTANT], verdict[SIZE] = one.facts["z"], one.facts["size"]
        pairs = () if cap < np.inf else _of_pairs(passes, found, best, looked)
        for one in (*pairs, *weighted_findings.of_readings(passes, found.n_sets)):
            if one.code == "dependent-noise" or (one.code == "common-shock" and shared is None):
                verdict[ERRORS] = abs(one.facts["z"])
            if one.code == "input-errors":
                verdict[COLUMN], verdict[ERRORS] = one.facts["column"], one.facts["z"]
            if one.code == "readings-repeated":
                verdict[REPEATED] = one.facts["share"]
    verdict[UNKNOWABLE] = any(one.code == "shock-unknowable" for one in looked.findings)
    return Examined(verdict, found, best.variances, shared)


def _of_pairs(passes: Passes, found: solve.Fit, best: Refined, looked: Looked) -> tuple[Finding, ...]:
    """What is to be said of noises that go together: by the estimate with a shock, if there is one."""
    if looked.shared is not None:
        return looked.shared.findings
    return weighted_findings.of_pairs(passes, found, best.variances) or ()


def renewed(before: Floats, now: Floats) -> Floats:
    """The verdict of more sets, of which only some were looked at: what all sets said of pairs and repeated readings stands."""
    new = now.copy()
    new[REPEATED] = max(before[REPEATED], now[REPEATED])
    if not now[ERRORS]:
        new[COLUMN], new[ERRORS] = before[COLUMN], before[ERRORS]
    return new


def with_later_pairs(verdict: Floats, later: Later, factor: float) -> Floats:
    """The verdict with what the pairs of the later sets say; memory over time raises variances by a factor."""
    seen = weighted_findings.of_later_pairs(later, factor)
    if seen is None or (verdict[COLUMN] and not seen[0]):
        return verdict
    new = verdict.copy()
    new[COLUMN], new[ERRORS] = seen
    return new


def says_dependent(verdict: Floats) -> bool:
    """Whether noises go together as errors of no input make them."""
    return bool(verdict[ERRORS] > 0.0 and not verdict[COLUMN])


def of_verdict(verdict: Floats) -> tuple[Finding, ...]:
    """The same in words."""
    found = []
    if verdict[CONSTANT] > 0.0:
        found.append(finding("constant-missing", size=float(verdict[SIZE]), z=float(verdict[CONSTANT])))
    if verdict[RESIDUAL] > 0.0:
        found.append(finding("not-certified", residual=float(verdict[RESIDUAL])))
    if verdict[INPUT] != 0.0:
        found.append(finding("noise-depends-on-input", z=float(verdict[INPUT])))
    if verdict[UNKNOWABLE]:
        found.append(finding("shock-unknowable"))
    if verdict[REPEATED] > 0.0:
        found.append(finding("readings-repeated", share=float(verdict[REPEATED])))
    if verdict[COLUMN]:
        found.append(finding("input-errors", column=int(verdict[COLUMN]), z=float(verdict[ERRORS])))
    if says_dependent(verdict):
        found.append(finding("dependent-noise", z=float(verdict[ERRORS])))
    return tuple(found)
