"""Looking for a shock that the systems share, and the estimate with it: test, search, equations, findings."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.constancy import surely_changed
from vieta.weighted.decorrelation import decorrelated, removed_share
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.refinement import Refined
from vieta.weighted.score_errors import Basis, with_memory
from vieta.weighted.shock_fit import SharedFit, fit_shared, rank_shape
from vieta.weighted.shock_test import (
    FEWEST_SETS,
    MOST_SYSTEMS,
    SURE,
    Dependence,
    confirmed,
    dependence_test,
    is_unknowable,
)
from vieta.weighted.sum_regression import SumRegression
from vieta.weighted.vector_decorrelation import within_covariance
from vieta.weighted.vector_shock import OwnNoise, VectorFit, fit_decorrelated, own_noise, vector_dependence
from vieta.weighted.within_variance import better_start, within_variance

SAMPLE = 2000  # sets in which the size of the own noise is looked for


class SharedSolution(NamedTuple):
    """The estimate with a shock, its covariance (L D, L D) with what that rests on, what is to be said about it, and how many sets entered.

    `inner` are these sets after the shock's correlation was taken out, which leaves `noise` (p, p).
    """

    fit: SharedFit | VectorFit
    cov: Floats
    basis: Basis
    findings: tuple[Finding, ...]
    n_sets: int
    inner: Passes
    noise: Floats


class Looked(NamedTuple):
    """A shock, if there is one; else what is to be said about looking for it, and whether that has settled that noises are independent."""

    shared: SharedSolution | None
    findings: tuple[Finding, ...] = ()
    tested: bool = False


def find_shock(passes: Passes, found: solve.Fit, best: Refined, shock: str) -> Looked:
    """Whether the noises share a shock ("auto"), or the estimate with one ("common"). `found` and `best` take them as independent."""
    L, regression = len(found.theta), found.regression
    if shock == "none" or L < 2 or is_exact(found):
        return Looked(None)
    many = passes.like.reading_dim > 1 and L > MOST_SYSTEMS
    if shock == "common" and many:
        raise InputError(
            "shock-of-many-systems",
            "{option.shock:common} is for at most {most} systems whose readings are vectors, and {n_systems} were given. Leave it out: a shock "
            "is reported, though not modelled.",
            most=MOST_SYSTEMS,
            n_systems=L,
        )
    if many or (passes.like.reading_dim > 1 and found.n_sets < FEWEST_SETS and shock == "auto"):
        return Looked(None)  # what is left is `diagnostics.dependence`
    if shock == "common":
        return Looked(shared_solution(passes, found))
    test = _tested(passes, found, best)
    test = test._replace(z=test.z / found.basis.factor)  # by what memory over time makes of its error
    changed = test.z > SURE and surely_changed(passes, found)  # parameters that change together look like a shock
    if test.z > SURE and not changed:
        return Looked(shared_solution(passes, found, test))
    if not changed and not (test.settled and found.converged):  # a large shock leads the estimate without it astray
        shared = shared_solution(passes, found)
        if shared.fit.converged and shared.fit.z > SURE:
            return Looked(shared)
    return Looked(None, _left(test, passes.like.reading_dim, regression), tested=test.settled and not best.contradicted)


def _tested(passes: Passes, found: solve.Fit, best: Refined) -> Dependence:
    """The test of independence: from the refinement's last pass, or from passes of its own."""
    L, regression = len(found.theta), found.regression
    if passes.like.reading_dim > 1:
        return vector_dependence(passes, found, best.theta)
    if best.dependence is not None and best.variances is not None:
        return confirmed(passes, best.dependence, best.theta, best.variances)
    shape = rank_shape(passes, regression, best.theta, float(regression.noise[0, 0]))
    variances = np.full(L, float(regression.noise[0, 0])) if best.variances is None else best.variances
    return dependence_test(passes, found.n_sets, best.theta, variances, shape)


def _left(test: Dependence, reading_dim: int, regression: SumRegression) -> tuple[Finding, ...]:
    """What is to be said where no shock is modelled."""
    if test.z < -SURE:  # no common part does this
        return (finding("dependent-noise", z=test.z),)
    if reading_dim > 1:  # what one direction cannot tell, others may
        return ()
    total = float(regression.noise[0, 0])
    return (finding("shock-unknowable"),) if is_unknowable(test, total, regression.n_systems) else ()


def shared_solution(passes: Passes, found: solve.Fit, test: Dependence | None = None) -> SharedSolution:
    """The estimate with a shock, starting from one without."""
    regression = found.regression
    sample = passes.spread(SAMPLE, found.n_sets)
    if passes.like.reading_dim > 1:
        return _shared_vectors(passes, found, sample, test)
    within = within_variance(sample, regression, found.theta)
    inner = decorrelated(passes, regression, removed_share(within.variance, regression))
    again = solve.fit(inner, met=within.theta)
    start = better_start(sample, regression, within, again.theta)
    fit = fit_shared(passes, regression, start.theta, start.variance)
    if not fit.converged:  # where the search ended explains the sets; its errors are not known
        fit = replace(fit, theta=start.theta, cov=np.full_like(fit.cov, np.nan))
    cov, basis = fit.cov, again.basis
    if fit.converged and again.basis.has_memory:
        cov, basis = with_memory(basis, passes, fit.influences)
    said = (*_size(fit, test), *weighted_findings.of_shared(inner, again, fit))
    return SharedSolution(fit, cov, basis, said, found.n_sets, inner, again.noise)


def _shared_vectors(passes: Passes, found: solve.Fit, sample: Data, test: Dependence | None) -> SharedSolution:
    """The same for vectors."""
    within = within_covariance(sample, found.regression, found.theta)
    own = own_noise(passes, within.theta, within.covariance)
    inner, again, fit = fit_decorrelated(passes, found.regression, own or OwnNoise.unknown(within.covariance))
    if own is None or not fit.converged:
        fit = replace(fit, converged=False, cov=np.full_like(fit.cov, np.nan))
    cov, basis = fit.cov, again.basis
    if fit.converged and basis.has_memory:
        cov, basis = with_memory(basis, passes, fit.influences)
    said = (*_size(fit, test), *weighted_findings.of_shared(inner, again, fit))
    return SharedSolution(fit, cov, basis, said, found.n_sets, inner, again.noise)


def _size(fit: SharedFit | VectorFit, test: Dependence | None) -> tuple[Finding, ...]:
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
    uneven = (finding("shock-not-common"),) if isinstance(fit, SharedFit) and fit.contradicted else ()
    return (finding("common-shock", **facts, z=z), *uneven)
