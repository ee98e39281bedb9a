"""The likelihood methods on all sets: parameters, covariance and findings.

The two methods differ in how they climb: by one scoring step (`vieta.likelihood.scoring`) or by EM
(`vieta.likelihood.expectation`). The findings name other methods, whose names the caller gives: `law_free`, which needs no noise law,
and `one_step`.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.findings import Finding
from vieta.laws.noise import Scaled
from vieta.likelihood import expectation, scoring
from vieta.likelihood import likelihood_findings as findings
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.sandwich import LikelihoodFit, conclude
from vieta.matching import match_rows
from vieta.solution import Solution, few_sets, in_parameters
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.system_noise import noise_sd

TRANSFORM = "likelihood"


def one_step_solution(passes: Passes, noise: Assumed, *, law_free: str) -> Solution:
    """One scoring step from the symmetric estimate, on checked data."""
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are refused with an error
        return solution(passes, scoring.fit(passes, noise), noise, law_free=law_free)


def em_solution(
    passes: Passes, noise: Assumed, start: Floats | None = None, *, law_free: str, one_step: str
) -> Solution:
    """EM from parameters (L, D), or from the symmetric estimate, on checked data."""
    with np.errstate(over="ignore", invalid="ignore"):
        symmetric = solve.fit(passes)
        found = expectation.fit(passes, noise, expectation.parted(passes, symmetric) if start is None else start)
        theta = found.theta[match_rows(found.theta, symmetric.theta)]
        about = findings.of_iterations(
            len(found.log_likelihood) - 1, found.converged, found.halted, law_free=law_free, one_step=one_step
        )
        end = conclude(passes, symmetric, theta, found.law, noise.known)
        return solution(passes, end, noise, about, law_free=law_free)


def solution(
    passes: Passes,
    found: LikelihoodFit,
    noise: Assumed,
    about: tuple[Finding, ...] = (),
    *,
    law_free: str,
    prior: bool = False,
) -> Solution:
    """A solution from a likelihood fit, with the findings of the symmetric one beside it; `prior`: it rests on one."""
    doubts = _doubts(found, noise, law_free, prior)
    all_of_them = (*about, *doubts, *weighted_findings.of_fit(passes, found.symmetric, robust=False))
    memory = weighted_findings.of_memory(found.basis, found.symmetric.n_sets, all_of_them)
    return in_parameters(
        found.theta,
        found.cov,
        covariance(found.law, passes.like.reading_dim),
        found.symmetric.n_sets,
        (*all_of_them, *memory),
        transform=TRANSFORM,
        noise_sd=noise_sd(passes, found.theta, found.symmetric.regression),
        n_sets_effective=found.basis.n_effective,
        dof=found.basis.dof,
    )


def _doubts(found: LikelihoodFit, noise: Assumed, law_free: str, prior: bool) -> tuple[Finding, ...]:
    """What speaks against the law, the variance that was given, and the prior; very few sets cannot tell."""
    n_sets = found.symmetric.n_sets
    if few_sets(found.theta.size, n_sets):
        return ()
    size = findings.of_size(found.law, found.symmetric.noise, n_sets) if noise.known else ()
    about_prior = findings.of_prior(found.contrast) if prior else ()
    return (*findings.of_law(found.contrast, found.law, law_free), *size, *about_prior)


def covariance(law: Scaled, p: int) -> Floats:
    """(p, p) covariance of a law's noise.

    >>> from vieta.laws.noise import Gaussian
    >>> covariance(Gaussian(4.0), 2)
    array([[4., 0.], [0., 4.]])
    """
    variance = np.asarray(law.variance)
    return variance if variance.ndim == 2 else np.asarray(variance * np.eye(p))
