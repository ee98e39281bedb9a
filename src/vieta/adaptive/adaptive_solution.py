"""The estimate from incomplete sets as a solution, with everything that is to be said about it."""

import numpy as np

from vieta.adaptive import set_findings
from vieta.adaptive.adaptive_fit import TRANSFORM, AdaptiveFit, fit, fit_counted
from vieta.adaptive.batch_changes import of_change
from vieta.adaptive.broken_assumptions import of_assumptions
from vieta.adaptive.complete_contrast import complete_sets, of_complete_sets
from vieta.adaptive.complete_solution import complete_solution
from vieta.adaptive.constant_of_sums import of_missing_constant
from vieta.adaptive.cut_off import of_cut_off
from vieta.adaptive.input_functions import of_functions
from vieta.adaptive.level_misfit import of_levels
from vieta.adaptive.reading_associations import kept
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import survey
from vieta.adaptive.shared_noise import of_shared_noise
from vieta.adaptive.spare_system import of_spare_systems
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.solution import Solution, in_parameters
from vieta.sums import Passes
from vieta.weighted.weighted_findings import of_memory


def solution(passes: Passes, *, misses: bool | None = None, clutter: bool | None = None) -> Solution:
    """The estimate from all sets; `misses` and `clutter` say whether there are any, None to see it from the sizes of the sets.

    The number of systems is chosen where the sets are of different sizes and none is given with them.
    """
    counts = not passes.like.is_complete and not passes.like.size
    if not (counts or misses or clutter):
        known = survey(passes)
        if known.sizes[passes.like.n_systems :].tolist() == [known.n_sets]:
            return complete_solution(complete_sets(passes, passes.like.n_systems))
    if counts:
        found, counted = fit_counted(passes, misses=misses, clutter=clutter)
    else:
        found, counted = fit(passes, misses=misses, clutter=clutter), None
    model, errors = found.chosen.model, found.errors
    unknown = of_errors(found)
    findings = unknown or all_findings(passes, found)
    findings = (*findings, *set_findings.of_count(counted)) if counted is not None else findings
    return in_parameters(
        model.theta,
        np.full_like(errors.cov, np.nan) if unknown else errors.cov,
        model.shape * float(np.mean(model.noise_sd**2)),
        found.known.n_sets,
        (*findings, *of_memory(errors.basis, found.known.n_sets, findings)),
        transform=TRANSFORM,
        noise_sd=model.noise_sd,
        n_sets_effective=errors.basis.n_effective,
        dof=errors.basis.dof,
        readings=kept(model, *rate_errors(found)),
    )


def of_errors(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Too few readings for a noise, or too few sets for errors: scores of N sets have rank N, and say nothing beyond it."""
    model, N, n = found.chosen.model, found.known.n_sets, len(found.errors.everything)
    if found.known.n_readings * len(model.shape) <= model.theta.size + 1:
        return (finding("noise-unknown", n_sets=N),)
    return (finding("errors-unknown", n_sets=N, numbers=n),) if n >= N else ()


def all_findings(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """What the fit itself tells, and what another look at the sets does; a change makes noises go together, and is said instead."""
    return (
        *of_missing_constant(passes, found),
        *set_findings.of_fit(found),
        *of_spare_systems(passes, found),
        *of_assumptions(passes, found),
        *of_cut_off(passes, found),
        *of_functions(passes, found),
        *of_complete_sets(passes, found),
        *of_levels(passes, found),
        *(of_change(passes, found) or of_shared_noise(passes, found)),
    )


def rate_errors(found: AdaptiveFit) -> tuple[Floats, float]:
    """Standard errors (L,) of detection, and of the rate of false readings; zero for what was not estimated."""
    return scored_errors(found.chosen.model, found.chosen.free, found.errors.everything)


def scored_errors(model: SetModel, free: Free, cov: Floats) -> tuple[Floats, float]:
    """The same from the covariance (m, m) of all that is estimated."""
    n_sd, n_seen, n_rate = free.counts(len(model.theta))
    first = model.theta.size + n_sd
    errors = np.sqrt(np.maximum(np.diag(cov), 0.0))
    seen = model.detection * (1.0 - model.detection) * (errors[first : first + n_seen] if n_seen else 0.0)
    return np.asarray(seen), float(model.rate * errors[first + n_seen]) if n_rate else 0.0
