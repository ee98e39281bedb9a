"""What to know before trusting an estimate from incomplete sets."""

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.common_shift import of_tails
from vieta.adaptive.near_systems import apart
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.adaptive.system_count import SURE as SURE_COUNT
from vieta.adaptive.system_count import Counted
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.pairing import as_row
from vieta.symmetric import canonical_order
from vieta.weighted.weighted_findings import of_distance

BEHIND = 5.0  # log-likelihood within which another solution explains the sets as well
RARE = 20.0  # readings of a system for each of its parameters, below which it is hardly ever seen
NEVER = 0.05  # probability of being seen that counts as hardly ever
FEW = 1.5  # readings or misses that the model has no room for, and still count as chance
LABELED = 0.01  # of the variance with labels, that two systems' difference has at the least
MATTERS = 3.0  # standard errors between the estimates under two laws


def of_fit(found: AdaptiveFit) -> tuple[Finding, ...]:
    """All findings of a fit."""
    return (
        *of_convergence(found),
        *of_rivals(found),
        *of_constant_inputs(found),
        *of_ends(found),
        *of_rare_systems(found),
        *of_room(found),
        *of_law(found),
        *of_tails(found.chosen),
        *of_near(found),
    )


def of_near(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Systems that are too close for their errors."""
    model, known = found.chosen.model, found.known
    gram = known.gram / (max(known.n_sets, 1) * len(model.shape))
    return of_distance(apart(model.theta, separating_errors(found), model.noise_sd, gram))


def of_count(counted: Counted) -> tuple[Finding, ...]:
    """Which number of systems was chosen, and whether another is nearly as good."""
    tried = ", ".join(str(L) for L in sorted(counted.criteria))
    unsure = counted.second and counted.margin < SURE_COUNT
    code = "number-unsure" if unsure else "number-chosen"
    return (finding(code, chosen=counted.best, second=counted.second, margin=counted.margin, tried=tried),)


def of_convergence(found: AdaptiveFit) -> tuple[Finding, ...]:
    """A climb that used up its iterations."""
    return () if found.chosen.climbed.converged else (finding("not-converged"),)


def of_rivals(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Another optimum that is about as high."""
    top = found.chosen.climbed.height
    near = [one for one in found.rivals if one.height > top - BEHIND]
    if not near:
        return ()
    best = max(near, key=lambda one: one.height)
    rows = "; ".join(as_row(row) for row in best.model.theta[canonical_order(best.model.theta)])
    return (finding("rival-optimum", behind=max(top - best.height, 0.0), rival=rows),)


def of_constant_inputs(found: AdaptiveFit) -> tuple[Finding, ...]:
    """False readings among systems that no input moves."""
    if not (found.chosen.free.rate and found.known.is_constant):
        return ()
    return (finding("clutter-or-systems", n_systems=len(found.chosen.model.theta)),)


def of_ends(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Probabilities and rates that were to be estimated, and came out at an end of their range."""
    model, free = found.chosen.model, found.chosen.free
    n_missed = float((found.known.n_sets * (1.0 - model.detection)).sum())
    always = (
        free.detection != "none"
        and found.misses_expected
        and (n_missed < FEW or bool((model.detection >= MOST_SEEN).all()))
    )
    never = free.rate and found.known.n_sets * model.rate < FEW
    return (
        *((finding("always-seen", n_sets=found.known.n_sets),) if always else ()),
        *((finding("no-clutter", n_sets=found.known.n_sets),) if never else ()),
    )


def of_rare_systems(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Systems that are hardly ever seen."""
    model, seen = found.chosen.model, found.chosen.climbed.sums.seen
    enough = RARE * model.theta.shape[1] / len(model.shape)
    order = canonical_order(model.theta)
    rare = [k for k, l in enumerate(order) if seen[l] < enough or model.detection[l] < NEVER]
    if not rare:
        return ()
    fewest = float(seen[order][rare].min())
    return (finding("hardly-seen", systems=", ".join(str(k + 1) for k in rare), readings=fewest),)


def of_room(found: AdaptiveFit) -> tuple[Finding, ...]:
    """Readings that no system explains where none are to be false, and systems without a reading where none are to be missed."""
    free, sums, model = found.chosen.free, found.chosen.climbed.sums, found.chosen.model
    false = sums.false if not free.rate else 0.0
    missed = sums.count * len(model.theta) - float(sums.seen.sum()) if free.detection == "none" else 0.0
    return (
        *((finding("readings-unexplained", count=false, share=false / max(sums.readings, 1)),) if false > FEW else ()),
        *((finding("misses-not-modelled", count=missed, n_sets=sums.count),) if missed > FEW and free.rate else ()),
    )


def of_law(found: AdaptiveFit) -> tuple[Finding, ...]:
    """An estimate under the normal law that differs from that under the law that was chosen by more than errors."""
    chosen, normal = found.chosen.model, found.chosen.normal.model
    if chosen.law.is_normal:
        return ()
    apart = law_difference(chosen.theta, normal.theta, found.errors.cov)
    return (finding("noise-law-matters", apart=apart),) if apart > MATTERS else ()


def law_difference(theta: Floats, other: Floats, cov: Floats) -> float:
    """The largest difference between two estimates, in standard errors of the first."""
    errors = np.sqrt(np.maximum(np.diag(cov), 1e-300)).reshape(theta.shape)
    return float((abs(theta - other) / errors).max())


def separating_errors(found: AdaptiveFit) -> Floats:
    """Covariance (L D, L D) with at least a part of what labeled readings would leave.

    Two systems at the same place have the same scores: there is no information in their difference, and no error either.
    """
    model = found.chosen.model
    labeled = np.linalg.pinv(found.known.gram, hermitian=True)
    sizes = model.noise_sd**2 / np.maximum(model.detection, NEVER)
    return found.errors.cov + LABELED * np.kron(np.diag(sizes), labeled)
