"""The weighted estimate from all sets, with everything that its residuals tell."""

from dataclasses import replace

import numpy as np

from vieta.arrays import Floats
from vieta.findings import at_least
from vieta.solution import Solution, in_parameters, without_vain_advice
from vieta.sums import Passes
from vieta.weighted import solve, weighted_findings
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.refinement import Refined, refine
from vieta.weighted.shared_solution import SharedSolution, find_shock
from vieta.weighted.small_panel import revised, small_panel
from vieta.weighted.sum_regression import regress
from vieta.weighted.system_noise import noise_sd
from vieta.weighted.tracker import Settings

TRANSFORM = "weighted"


def solution(passes: Passes, settings: Settings | None = None, shock: str = "auto") -> Solution:
    """The estimate from all sets: the fit, its findings, and the refinement by products unless influence is bounded.

    `shock` says whether the noises of the systems have a common part: "common", "none", or "auto" to have it tested.
    """
    settings = settings or Settings()
    with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses numbers that are too large
        few = small_panel(passes) if settings.cap == np.inf else None
        if few is not None and few.decides:
            return few.solution
        found, searched = _from_many(passes, settings, shock)
        if few is not None:
            few = revised(few, [found.theta, searched], regress(passes).noise)
            if few.decides:
                return few.solution
    if few is None or (few.agrees(found.theta) and not at_least(found.findings, "serious")):
        return found
    return few.solution


def _from_many(passes: Passes, settings: Settings, shock: str) -> tuple[Solution, Floats]:
    """The estimate from sets that are not few, and the parameters (L, D) that the search for it ended at."""
    found = solve.fit(passes, settings.cap)
    if settings.cap < np.inf:
        return from_fit(passes, found, settings), found.searched
    best = refine(passes, found)
    looked = find_shock(passes, found, best, shock)
    if looked.shared is not None:
        return _with_shock(looked.shared), found.searched
    plain = from_fit(passes, found, settings, best)
    known = {one.code for one in plain.findings}
    everything = (*plain.findings, *(one for one in looked.findings if one.code not in known))
    return replace(plain, findings=without_vain_advice(everything)), found.searched


def from_fit(passes: Passes, found: solve.Fit, settings: Settings, best: Refined | None = None) -> Solution:
    """A solution from a fit of the same sets, with its refinement if that was made."""
    robust = settings.cap < np.inf
    findings = weighted_findings.of_fit(passes, found, robust=robust)
    if robust:
        best = Refined(found.theta, found.cov, found.basis)
    best = best or refine(passes, found)
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


def _with_shock(shared: SharedSolution) -> Solution:
    fit, noise = shared.fit, np.array([[shared.fit.noise_variance]])
    findings = (*shared.findings, *weighted_findings.of_idle_systems(fit.theta, shared.cov, fit.variances))
    findings = (*findings, *weighted_findings.of_memory(shared.basis, shared.n_sets, findings))
    made = in_parameters(
        fit.theta,
        shared.cov,
        noise,
        shared.n_sets,
        findings,
        transform=TRANSFORM,
        noise_sd=np.sqrt(fit.variances),
        n_sets_effective=shared.basis.n_effective if fit.converged else float("nan"),
        dof=shared.basis.dof,
    )
    return replace(made, shock_sd=float(np.sqrt(max(fit.shock_variance, 0.0))))
