"""What the first sets of a stream say of themselves, once there are enough: a shock, and what a filter cannot see from its sums later."""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted import diagnostics, solve, weighted_findings
from vieta.weighted.refinement import refine
from vieta.weighted.shared_solution import find_shock
from vieta.weighted.shock_fit import SharedFit

RESIDUAL, INPUT, UNKNOWABLE = range(3)  # of the verdict


class Examined(NamedTuple):
    """The verdict (3,) of `tracking_state.State`, the fit, if there is any, and the estimate with a shock, if there is one."""

    verdict: Floats
    fit: solve.Fit | None
    shared: SharedFit | None


def examined(data: Data, shock: str, near: Floats | None = None, cap: float = np.inf) -> Examined:
    """Fit more sets than the filter started from, with a search unless they certify parameters (L, D) `near`, and look for a shock."""
    passes = in_memory(data)
    try:
        found = solve.fit(passes, cap, near)
        best = refine(passes, found)
        looked = find_shock(passes, found, best, shock if cap == np.inf else "none")
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return Examined(np.zeros(3), None, None)
    verdict = np.zeros(3)
    if not found.certified:
        verdict[RESIDUAL] = found.residual
    if not diagnostics.is_exact(found):
        z = diagnostics.input_dependence(passes, found.regression) / found.basis.factor
        verdict[INPUT] = z if abs(z) > weighted_findings.SURE else 0.0
    verdict[UNKNOWABLE] = any(one.code == "shock-unknowable" for one in looked.findings)
    shared = looked.shared
    fit = None if shared is None else shared.fit
    known = isinstance(fit, SharedFit) and fit.converged and fit.identified
    return Examined(verdict, found, fit if isinstance(fit, SharedFit) and known else None)


def of_verdict(verdict: Floats) -> tuple[Finding, ...]:
    """The same in words."""
    found = []
    if verdict[RESIDUAL] > 0.0:
        found.append(finding("not-certified", residual=float(verdict[RESIDUAL])))
    if verdict[INPUT] != 0.0:
        found.append(finding("noise-depends-on-input", z=float(verdict[INPUT])))
    if verdict[UNKNOWABLE]:
        found.append(finding("shock-unknowable"))
    return tuple(found)
