r"""Complete sets: the law-free estimate, improved by a law of the noise that is learned, where that may be trusted.

The estimate without a law (`vieta.weighted`) is computed first, with its search, its shock, its memory and all that it tests. Where nothing
speaks against independent noises of one law, the likelihood

.. math:: \sum_k \log \sum_\pi \prod_l f\bigl((y_{\pi(l)}(k) - \Psi_k\theta_l)/\sigma_l\bigr)/\sigma_l

is climbed from there, with laws f that the Bayesian criterion chooses among (`vieta.adaptive.law_choice`). It uses more than the first
estimate does, so that under the right law the two differ by chance,

.. math:: d'V^{-1}d \sim \chi^2, \qquad V = \mathrm{Cov}_{law-free} - \mathrm{Cov}_{law}

(`vieta.adaptive.complete_contrast`). Where they differ by more, or the assumptions fail, the law-free estimate is the answer.
"""

from dataclasses import replace

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST, TRANSFORM, AdaptiveFit, with_errors
from vieta.adaptive.assumed_scores import Outcome
from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.common_shift import CONSTANT, PARTLY
from vieta.adaptive.complete_contrast import contrast
from vieta.adaptive.first_systems import First
from vieta.adaptive.law_choice import Chosen, choose_from_some
from vieta.adaptive.reading_associations import kept
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_start import first_model
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import Survey, survey
from vieta.findings import Finding
from vieta.matching import block_index, match_rows
from vieta.solution import Solution, in_parameters
from vieta.sums import Passes
from vieta.weighted import weighted_fit
from vieta.weighted.far_readings import near_zero
from vieta.weighted.separation import separation
from vieta.weighted.weighted_findings import of_memory, of_separation

FREE = Free("common", "none", rate=False)
ENOUGH = 200  # sets, and so many for each unknown:
EACH = 20
APART = 10.0  # standard errors between systems: of near ones, a law and a gap look alike
MOST_SYSTEMS = 12  # beyond, the likelihood takes too long
MANY = 5000  # sets, of which the law is chosen on so many
CHANCE = 1e-3  # probability of a difference from the law-free estimate that counts as a contradiction
EXACT = 1e-9  # deviation of the noise, of the range of the readings, below which there is none
SAID_ANEW = ("outliers", "memory", "barely-separated")  # findings that depend on how an estimate uses the sets
HARMLESS = (*SAID_ANEW, "weak-inputs", "idle-system")  # findings that do not speak against a law of the noise


def complete_solution(passes: Passes) -> Solution:
    """The estimate from sets that all have a reading of each system."""
    return near_zero(passes, lambda brought, _: _solution(brought))


def _solution(passes: Passes) -> Solution:
    alone, known = weighted_fit.solution(passes), survey(passes)
    if not may_learn(alone, known):
        return alone
    found = learned(passes, alone, known)
    return _improved(alone, found) if is_better(alone, found) else alone


def may_learn(alone: Solution, known: Survey) -> bool:
    """Whether there are enough sets for a law, few enough systems that are far enough apart, and no finding that speaks against one."""
    enough = known.n_sets >= max(ENOUGH, EACH * alone.theta.size) and 1 < len(alone.theta) <= MOST_SYSTEMS
    sound = alone.transform == weighted_fit.TRANSFORM and alone.shock_sd == 0.0 and bool(np.isfinite(alone.cov).all())
    noisy = float(np.sqrt(np.trace(alone.noise))) > EXACT * known.extent
    if not (enough and sound and noisy and all(one.code in HARMLESS for one in alone.findings)):
        return False
    return separation(alone.theta, alone.cov) > APART


def learned(passes: Passes, alone: Solution, known: Survey) -> AdaptiveFit:
    """The likeliest model that is climbed to from the law-free estimate."""
    floor = SMALLEST * flat_density(known.low, known.high, known.n_readings).extent
    chosen = choose_from_some(passes, known.n_sets, _begun(alone, known), FREE, floor, MANY)
    there, errors = with_errors(passes, chosen, known)
    return AdaptiveFit(there, errors, (), known, misses_expected=False)


def _begun(alone: Solution, known: Survey) -> SetModel:
    """The law-free estimate with normal noise of its deviation."""
    p = len(alone.noise)
    size = float(np.trace(alone.noise)) / p
    first = First(alone.theta, np.full(len(alone.theta), np.sqrt(size)))
    model = first_model(known, first, np.ones(p), 1.0 - LEAST, FREE)
    return replace(model, shape=alone.noise / size) if p > 1 else model


def is_better(alone: Solution, found: AdaptiveFit) -> bool:
    """Whether the estimate under the law may replace the law-free one: it has converged, and does not say less or something else.

    A normal law does not bound the influence of outliers, and memory that the law-free estimate has seen must be allowed for.
    """
    codes, chosen = {one.code for one in alone.findings}, found.chosen
    lost = ("memory" in codes and not found.errors.basis.has_memory) or (
        "outliers" in codes and chosen.model.law.is_normal
    )
    return chosen.climbed.converged and not (lost or _hides_mean(chosen)) and difference(alone, found).p_value > CHANCE


def _hides_mean(chosen: Chosen) -> bool:
    """Whether the inputs have a constant in part only, so that where the law has its mean moves parameters, and no shift of all corrects it."""
    return chosen.model.law.weights is not None and PARTLY <= chosen.constant < CONSTANT


def difference(alone: Solution, found: AdaptiveFit) -> Outcome:
    """The test whether the law moves the estimate by more than chance."""
    theta = found.chosen.model.theta
    order = match_rows(alone.theta, theta)
    index = block_index(order, theta.shape[1])
    return contrast(theta, found.errors.cov, alone.theta[order], alone.cov[np.ix_(index, index)])


def _improved(alone: Solution, found: AdaptiveFit) -> Solution:
    """The estimate under the law, with what the law-free one reports."""
    model, errors = found.chosen.model, found.errors
    findings = _said(alone.findings, found)
    return in_parameters(
        model.theta,
        errors.cov,
        model.shape * float(np.mean(model.noise_sd**2)),
        found.known.n_sets,
        (*findings, *of_memory(errors.basis, found.known.n_sets, findings)),
        transform=TRANSFORM,
        noise_sd=model.noise_sd,
        n_sets_effective=errors.basis.n_effective,
        dof=errors.basis.dof,
        readings=kept(model, np.zeros(len(model.theta)), 0.0),
    )


def _said(before: tuple[Finding, ...], found: AdaptiveFit) -> tuple[Finding, ...]:
    """What was reported before, but for what depends on the estimate's own errors, which is said anew."""
    return (
        *(one for one in before if one.code not in SAID_ANEW),
        *of_separation(found.chosen.model.theta, found.errors.cov),
    )
