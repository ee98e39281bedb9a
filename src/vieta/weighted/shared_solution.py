"""Looking for a shock that the systems share, and the estimate with it: test, search, equations, findings."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.constancy import surely_changed
from vieta.weighted.decorrelation import decorrelated, removed_share
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.refinement import Refined
from vieta.weighted.score_errors import Basis, with_memory
from vieta.weighted.shock_fit import SharedFit, fit_shared, rank_shape
from vieta.weighted.shock_test import SURE, Dependence, dependence_test, is_unknowable
from vieta.weighted.within_variance import better_start, within_variance

SAMPLE = 2000  # sets in which the size of the own noise is looked for


class SharedSolution(NamedTuple):
    """The estimate with a shock, its covariance (L D, L D) with what that rests on, what is to be said about it, and how many sets entered."""

    fit: SharedFit
    cov: Floats
    basis: Basis
    findings: tuple[Finding, ...]
    n_sets: int


class Looked(NamedTuple):
    """A shock, if there is one; else what is to be said about looking for it."""

    shared: SharedSolution | None
    findings: tuple[Finding, ...] = ()


def find_shock(passes: Passes, found: solve.Fit, best: Refined, shock: str) -> Looked:
    """Whether the noises share a shock ("auto"), or the estimate with one ("common"). `found` and `best` take them as independent."""
    L, regression = len(found.theta), found.regression
    if shock == "none" or passes.like.reading_dim > 1 or L < 2 or is_exact(found):
        return Looked(None)
    if shock == "common":
        return Looked(shared_solution(passes, found))
    shape = rank_shape(passes, regression, best.theta, float(regression.noise[0, 0]))
    variances = np.full(L, float(regression.noise[0, 0])) if best.variances is None else best.variances
    test = dependence_test(passes, found.n_sets, best.theta, variances, shape)
    test = test._replace(z=test.z / found.basis.factor)  # by what memory over time makes of its error
    changed = test.z > SURE and surely_changed(passes, found)  # parameters that change together look like a shock
    if test.z > SURE and not changed:
        return Looked(shared_solution(passes, found, test))
    if not changed and not (
        test.settled and found.converged
    ):  # a large shock leads the estimate without it astray, and the test
        shared = shared_solution(passes, found)
        if shared.fit.converged and shared.fit.z > SURE:
            return Looked(shared)
    return Looked(None, _left(test, float(regression.noise[0, 0]), L))


def _left(test: Dependence, total: float, n_systems: int) -> tuple[Finding, ...]:
    """What is to be said where no shock is modelled."""
    if test.z < -SURE:  # no common part does this
        return (finding("dependent-noise", z=test.z),)
    return (finding("shock-unknowable"),) if is_unknowable(test, total, n_systems) else ()


def shared_solution(passes: Passes, found: solve.Fit, test: Dependence | None = None) -> SharedSolution:
    """The estimate with a shock, starting from one without."""
    regression = found.regression
    sample = passes.spread(SAMPLE, found.n_sets)
    within = within_variance(sample, regression, found.theta)
    inner = decorrelated(passes, regression, removed_share(within.variance, regression))
    again = solve.fit(inner)
    start = better_start(sample, regression, within, again.theta)
    fit = fit_shared(passes, regression, start.theta, start.variance)
    if not fit.converged:  # where the search ended explains the sets; its errors are not known
        fit = replace(fit, theta=start.theta, cov=np.full_like(fit.cov, np.nan))
    cov, basis = fit.cov, again.basis
    if fit.converged and again.basis.has_memory:
        cov, basis = with_memory(basis, passes, fit.influences)
    said = (*_size(fit, test), *weighted_findings.of_shared(inner, again, fit))
    return SharedSolution(fit, cov, basis, said, found.n_sets)


def _size(fit: SharedFit, test: Dependence | None) -> tuple[Finding, ...]:
    z = fit.z if test is None else test.z
    if z < -SURE:
        return (finding("dependent-noise", z=z),)
    if z < SURE:
        return ()
    facts = {
        "sd": max(fit.shock_variance, 0.0) ** 0.5,
        "correlation": fit.correlation,
        "noise": fit.noise_variance**0.5,
    }
    uneven = (finding("shock-not-common"),) if fit.contradicted else ()
    return (finding("common-shock", **facts, z=z), *uneven)
