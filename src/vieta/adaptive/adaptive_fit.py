"""The estimate from incomplete sets: survey, starts, choice of the law, errors."""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.common_shift import centred, common_shift, shifted_errors
from vieta.adaptive.first_systems import First
from vieta.adaptive.law_choice import Chosen, choose_from_some
from vieta.adaptive.other_solutions import other_solutions
from vieta.adaptive.set_ascent import Climbed, climb
from vieta.adaptive.set_errors import SetErrors, set_errors
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_start import distance, first_model, starts
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import Survey, survey
from vieta.adaptive.system_count import Counted, grown, of_size
from vieta.errors import IncompleteSetsError, NotIdentifiableError
from vieta.set_requirements import MOST_SYSTEMS
from vieta.sums import Passes

TRANSFORM = "likelihood"
SMALLEST = 1e-7  # deviation, of the range of the readings
SINGULAR = 1e-12  # smallest eigenvalue of the inputs' second moments, each coordinate scaled to one
MOST_RIVALS = 3  # other solutions that are climbed on all sets
HIGHER = 0.5  # log-likelihood by which another solution must be the higher one
DIFFERENT = 0.3  # deviations between solutions that count as two
ALIKE = 12.0  # log-likelihood on some of the sets, within which a solution may turn out the better one on all


@dataclass(frozen=True, slots=True, eq=False)
class AdaptiveFit:
    """A chosen model with its errors, other solutions that end near it, what was known before, and whether misses were asked for or seen."""

    chosen: Chosen
    errors: SetErrors
    rivals: tuple[Climbed, ...]
    known: Survey
    misses_expected: bool = True


def fit(passes: Passes, *, misses: bool | None = None, clutter: bool | None = None) -> AdaptiveFit:
    """Fit L systems to sets, with misses and false readings or not; None to decide by the sizes of the sets."""
    known, L = survey(passes), passes.like.n_systems
    require_varied(known)
    free = what_is_free(known, L, misses, clutter)
    floor = SMALLEST * flat_density(known.low, known.high, known.n_readings).extent
    first, *others = _starts(passes, known, free, floor)
    chosen = choose_from_some(passes, known.n_sets, first, free, floor)
    ends = []
    if passes.like.dim > passes.like.reading_dim and L > 1:
        others += other_solutions(passes, known.n_sets, chosen.model, chosen.free, floor)
    for other in others:
        there = climb(passes, _as(chosen, other), chosen.free, floor, goal=chosen.climbed.height - ALIKE)
        ends.append(there)
        if there.height > chosen.climbed.height + HIGHER:
            again = choose_from_some(passes, known.n_sets, there.model, free, floor)
            ends.append(chosen.climbed)
            chosen = max(chosen, again, key=lambda one: one.criterion)
    gram = known.gram / known.n_sets
    rivals = [one for one in ends if distance(one.model, chosen.model, gram) > DIFFERENT]
    return AdaptiveFit(*with_errors(passes, chosen, known), tuple(rivals), known, bool(misses) or known.below(L) > 0)


def with_errors(passes: Passes, chosen: Chosen, known: Survey) -> tuple[Chosen, SetErrors]:
    """A model whose systems lie where the noise has its mean, and its errors: those of the top that it was on, where scores sum to zero.

    Away from it they have a mean, which would pass for memory.
    """
    shift = common_shift(passes, chosen, known)
    errors = set_errors(passes, chosen.model, chosen.free, chosen.climbed.sums.clutter, known.gram)
    return centred(chosen, shift), shifted_errors(errors, shift)


def fit_counted(
    passes: Passes, *, misses: bool | None = None, clutter: bool | None = None
) -> tuple[AdaptiveFit, Counted]:
    """Fit the number of systems that sets tell, and the criteria of all numbers that were tried."""
    fits: dict[int, AdaptiveFit] = {}
    counted, before = Counted({}), None
    for L in range(1, MOST_SYSTEMS + 1):
        sized = of_size(passes, L)
        fits[L] = _better(sized, fit(sized, misses=misses, clutter=clutter is None or clutter), before)
        before = fits[L]
        counted = Counted({**counted.criteria, L: fits[L].chosen.criterion})
        if counted.is_done or 2 * (len(before.known.sizes) - 1) < L + 1:
            break
    return fits[counted.best], counted


def _better(passes: Passes, found: AdaptiveFit, before: AdaptiveFit | None) -> AdaptiveFit:
    """A fit from its own starts, or from the solution with one system less if that leads higher."""
    if before is None:
        return found
    free = replace(found.chosen.free, sd="common")
    start = grown(passes, found.known, before.chosen.model, free)
    floor = SMALLEST * start.clutter.extent
    there = climb(passes, _as(found.chosen, start), found.chosen.free, floor)
    if there.height <= found.chosen.climbed.height + HIGHER:
        return found
    again = choose_from_some(passes, found.known.n_sets, there.model, free, floor)
    if again.criterion <= found.chosen.criterion:
        return found
    chosen, errors = with_errors(passes, again, found.known)
    return replace(found, chosen=chosen, errors=errors, rivals=())


def require_varied(known: Survey) -> None:
    """Refuse inputs that do not reach every direction of the parameters."""
    size = np.sqrt(np.diag(known.gram))
    if size.min() > 0.0 and np.linalg.eigvalsh(known.gram / (size[:, None] * size))[0] > SINGULAR:
        return
    raise NotIdentifiableError(
        "inputs-not-identifying",
        "the inputs do not identify the parameters: in {n_sets} set(s) they are zero, constant or confined to a subspace. Vary the "
        "inputs in every coordinate, or wait for more sets.",
        n_sets=known.n_sets,
    )


def what_is_free(known: Survey, n_systems: int, misses: bool | None, clutter: bool | None) -> Free:
    """False readings where sets are larger than L, misses where they are smaller or hidden by false ones, unless it is decided."""
    false = known.above(n_systems) > 0 if clutter is None else clutter
    missed = false or known.below(n_systems) > 0 if misses is None else misses
    if known.below(n_systems) and not missed:
        raise IncompleteSetsError(
            "misses-needed",
            "{count:,} of the {n_sets:,} sets have fewer than {n_systems} readings, so that systems were missed, and {option.misses:False} "
            "excludes it. Leave it out, or give a smaller number of systems.",
            count=known.below(n_systems),
            n_sets=known.n_sets,
            n_systems=n_systems,
        )
    if known.above(n_systems) and not false:
        raise IncompleteSetsError(
            "clutter-needed",
            "{count:,} of the {n_sets:,} sets have more than {n_systems} readings, so that some are false, and {option.clutter:False} excludes "
            "it. Leave it out, or give a larger number of systems.",
            count=known.above(n_systems),
            n_sets=known.n_sets,
            n_systems=n_systems,
        )
    return Free("common", "common" if missed else "none", false)


def _starts(passes: Passes, known: Survey, free: Free, floor: float) -> list[SetModel]:
    """Models to begin from, the likeliest first."""
    if free.detection == "none" and not free.rate:
        return [_from_complete(passes, known, free)]
    found = starts(passes, known, passes.like.n_systems, free, floor)
    near = [one.model for one in found[1:] if one.height > found[0].height - ALIKE]
    return [found[0].model, *near[:MOST_RIVALS]]


def _from_complete(passes: Passes, known: Survey, free: Free) -> SetModel:
    """The law-free estimate of complete sets."""
    from vieta.weighted import solve

    found = solve.fit(passes)
    p = len(found.noise)
    size = max(float(np.trace(found.noise)) / p, 1e-300)
    model = first_model(
        known, First(found.theta, np.full(len(found.theta), np.sqrt(size))), np.ones(p), 1.0 - LEAST, free
    )
    return replace(model, shape=found.noise / size) if p > 1 else model


def _as(chosen: Chosen, other: SetModel) -> SetModel:
    """Another solution's parameters with the law and the rates of the chosen model."""
    model = chosen.model
    sd = np.full(len(model.sd), np.exp(np.log(other.sd).mean())) if chosen.free.sd == "common" else other.sd
    return replace(model, theta=other.theta, sd=sd / np.sqrt(model.law.variance))
