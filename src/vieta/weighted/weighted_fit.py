"""The weighted estimate from all sets, with everything that its residuals tell."""

import numpy as np

from vieta.solution import Solution, in_parameters
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.refinement import Refined, refine
from vieta.weighted.system_noise import noise_sd
from vieta.weighted.tracker import Settings

TRANSFORM = "weighted"


def solution(passes: Passes, settings: Settings | None = None) -> Solution:
    """The estimate from all sets: the fit, its findings, and the refinement by products unless influence is bounded."""
    settings = settings or Settings()
    with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses numbers that are too large
        return from_fit(passes, solve.fit(passes, settings.cap), settings)


def from_fit(passes: Passes, found: solve.Fit, settings: Settings) -> Solution:
    """A solution from a fit of the same sets."""
    robust = settings.cap < np.inf
    findings = weighted_findings.of_fit(passes, found, robust=robust)
    best = Refined(found.theta, found.cov, found.basis) if robust else refine(passes, found)
    if best.variances is not None:
        findings = (*findings, *weighted_findings.of_idle_systems(best.theta, best.cov, best.variances))
    findings = (*findings, *weighted_findings.of_memory(best.basis, found.n_sets, findings))
    known = found.converged and not robust and not is_exact(found)
    sd = noise_sd(passes, best.theta, found.regression) if best.variances is None and known else None
    return in_parameters(
        best.theta,
        best.cov,
        found.noise,
        found.n_sets,
        findings,
        transform=TRANSFORM,
        noise_sd=sd if best.variances is None else np.sqrt(best.variances),
        n_sets_effective=best.basis.n_effective if found.converged else float("nan"),
        dof=best.basis.dof,
    )
