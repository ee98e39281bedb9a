"""Looking for a shock that the systems share, and the estimate with it: test, search, equations, findings."""

from typing import NamedTuple

from vieta.findings import Finding, finding
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.decorrelation import decorrelated, removed_share
from vieta.weighted.diagnostics import change_point, is_exact
from vieta.weighted.refinement import Refined
from vieta.weighted.shock_fit import SharedFit, fit_shared, rank_shape
from vieta.weighted.shock_test import SURE, Dependence, dependence_test, is_unknowable
from vieta.weighted.within_variance import better_start, within_variance

SAMPLE = 2000  # sets in which the size of the own noise is looked for


class SharedSolution(NamedTuple):
    """The estimate with a shock, what is to be said about it, and how many sets entered."""

    fit: SharedFit
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
    test = dependence_test(passes, found.n_sets, best.theta, best.variances, shape)
    if test.z > SURE:
        if change_point(passes, found) is not None:  # parameters that change together look like a shock
            return Looked(None)
        return Looked(shared_solution(passes, found, test))
    if test.z < -SURE:  # no common part does this: it is not modelled, but said
        return Looked(None, (finding("dependent-noise", z=test.z),))
    if not (test.settled and found.converged):  # a large shock leads the estimate without it astray, and the test
        shared = shared_solution(passes, found)
        if shared.fit.converged and shared.fit.z > SURE:
            return Looked(shared)
    total = float(regression.noise[0, 0])
    return Looked(None, (finding("shock-unknowable"),) if is_unknowable(test, total, L) else ())


def shared_solution(passes: Passes, found: solve.Fit, test: Dependence | None = None) -> SharedSolution:
    """The estimate with a shock, starting from one without."""
    regression = found.regression
    sample = passes.spread(SAMPLE, found.n_sets)
    within = within_variance(sample, regression, found.theta)
    inner = decorrelated(passes, regression, removed_share(within.variance, regression))
    again = solve.fit(inner)
    start = better_start(sample, regression, within, again.theta)
    fit = fit_shared(passes, regression, start.theta, start.variance)
    said = (*_size(fit, test), *weighted_findings.of_shared(inner, again, fit))
    return SharedSolution(fit, said, found.n_sets)


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
