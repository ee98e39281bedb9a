"""How the filter of incomplete sets begins: from a fit of the sets that it holds, and while it holds all, from such a fit again and again."""

from dataclasses import replace

import numpy as np

from vieta.adaptive import stream_examination, stream_past
from vieta.adaptive.adaptive_fit import DIFFERENT, SMALLEST, AdaptiveFit, fit, require_varied, what_is_free
from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.law_choice import choose_from_some
from vieta.adaptive.set_errors import set_errors
from vieta.adaptive.set_findings import of_rare_systems, of_rivals
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.set_start import distance
from vieta.adaptive.set_sums import Free, set_sums
from vieta.adaptive.set_survey import survey
from vieta.adaptive.stream_scoring import Settings, correction, covariance, efficient, summed
from vieta.adaptive.stream_state import MOST, State, as_numbers, dense, free_of, model_of, with_model
from vieta.arrays import Floats
from vieta.errors import ComputationError, NotIdentifiableError
from vieta.pairing import require_pairing
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted.separation import separation
from vieta.weighted.sum_regression import input_gain

FIRST = 256  # sets after which the first fit is tried; then twice as many, and so on
APART = 8.0  # standard errors between systems for a fit to be safe
ALIKE = 2.0 / 3.0  # of the probability of being seen when a filter started: still the same system
FARTHER = (
    4.0  # information of the inputs in some direction, to that at the last fit, from which on sets are fitted again
)
OWN = Free("own", "own", True)


def until_fit(n: int) -> int:
    """How many sets more until the next fit, when n are held.

    >>> [until_fit(n) for n in (0, 255, 256, 1000)]
    [256, 1, 256, 24]
    """
    mark = FIRST
    while mark <= n:
        mark *= 2
    return mark - n


def first_fit(settings: Settings, data: Data) -> AdaptiveFit | None:
    """A fit of the sets that are held; None where they do not identify the parameters."""
    if 2 * data.sizes.max(initial=0) < data.n_systems:
        return None
    try:
        require_pairing(in_memory(data))
        return fit(in_memory(dense(data)), misses=settings.misses, clutter=settings.clutter)
    except (NotIdentifiableError, ComputationError, np.linalg.LinAlgError):
        return None


def is_safe(found: AdaptiveFit) -> bool:
    """Whether a fit has converged, tells its systems apart, sees them all, and has no rival."""
    apart = separation(found.chosen.model.theta, found.errors.cov)
    sound = found.chosen.climbed.converged and bool(np.isfinite(found.errors.cov).all())
    return sound and apart > APART and not of_rivals(found) and not of_rare_systems(found)


def leads_elsewhere(state: State, data: Data) -> bool:
    """Whether sets that are all held are to be fitted again: the inputs tell `FARTHER` times as much, in some direction, as at the last fit."""
    return input_gain(data, state.fitted) >= FARTHER - 1.0


def fitted_again(settings: Settings, state: State, data: Data) -> AdaptiveFit:
    """The better one of the fit that is climbed to from where the filter stands and, where values must be paired, of one from new starts.

    One in which a system is seen much more rarely than when the filter started is a rival: such a system was somewhere else before.
    """
    near = _near(settings, state, data)
    if data.dim == data.reading_dim or data.n_systems == 1:
        return near
    found = first_fit(settings, data)
    if found is None:
        return near
    rarest = float(found.chosen.climbed.sums.seen.min()) / len(data)
    if found.chosen.criterion > near.chosen.criterion and rarest > ALIKE * float(state.usual[:-1].min()):
        return found
    gram = near.known.gram / near.known.n_sets
    other = distance(found.chosen.model, near.chosen.model, gram) > DIFFERENT
    return replace(near, rivals=(*found.rivals, found.chosen.climbed) if other else found.rivals)


def _near(settings: Settings, state: State, data: Data) -> AdaptiveFit:
    """The fit that is climbed to from where the filter stands, with the law chosen again."""
    passes, model = in_memory(dense(data)), model_of(state)
    known = survey(passes)
    require_varied(known)
    free = what_is_free(known, data.n_systems, settings.misses, settings.clutter)
    clutter = flat_density(known.low, known.high, known.n_readings)
    chosen = choose_from_some(passes, len(data), replace(model, clutter=clutter), free, SMALLEST * clutter.extent)
    errors = set_errors(passes, chosen.model, chosen.free, chosen.climbed.sums.clutter, known.gram)
    return AdaptiveFit(chosen, errors, (), known)


def begun(settings: Settings, state: State, found: AdaptiveFit, data: Data) -> State:
    """The state of a filter that goes on from a fit of some sets, with their sums at it."""
    model = found.chosen.model
    sums = set_sums(in_memory(data), model, OWN)
    new = replace(
        with_model(state, model),
        running=1,
        fitted=len(data),
        refining=int(not (settings.tracks or settings.wanders) and len(data) < MOST),
        free=as_numbers(found.chosen.free),
        weight=float(len(data)),
        information=sums.products,
        meat=sums.products,
        gram=sums.gram,
        seen=sums.seen,
        histogram=sums.residuals,
        moments=sums.moments,
        false=np.ascontiguousarray(sums.clutter.T),
        correction=np.eye(model.theta.size),
        dof=found.errors.basis.dof / len(data),
        carrying=found.errors.basis.n_effective / len(data),
        factor=found.errors.basis.factor,
        examining=0,
        usual=_usual(state, model, len(data)),
        recent=state.recent if state.running else np.append(model.detection, model.rate),
    )
    _, plain_cov = covariance(settings if not settings.tracks else Settings(), new)
    new = replace(new, correction=correction(found.errors.cov, plain_cov))
    return new if settings.tracks else _with_record(_examined(new, found, data), data)


def refined(settings: Settings, state: State, data: Data) -> State:
    """The state that goes on from a fit of all its sets, once more."""
    found = fitted_again(settings, state, data)
    return begun(settings, replace(state, safe=int(is_safe(found))), found, data)


def _examined(state: State, found: AdaptiveFit, data: Data) -> State:
    """The state that knows what a fit and its sets tell about what is assumed."""
    kept = stream_examination.of_fit(state.examined, dense(data), found)
    return with_examined(replace(state, examined=kept), data)


def with_examined(state: State, data: Data) -> State:
    """The state that knows what some more sets tell about what is assumed."""
    model, free = model_of(state), free_of(state)
    return replace(state, examined=stream_examination.added(state.examined, data, model, free, state.false.T))


def _usual(state: State, model: SetModel, n_sets: int) -> Floats:
    """What is usual: as it was when the filter started, but for the number of false readings, which later sets tell better."""
    if not state.running:
        return np.append(model.detection, model.rate)
    return np.append(state.usual[:-1], model.rate if n_sets >= MOST else state.usual[-1])


def _with_record(state: State, data: Data) -> State:
    """The state whose past is these sets."""
    _, _, scores = summed(state, data)
    kept, changed = stream_past.begun(state.theta, efficient(state, scores)[0])
    return replace(state, record=kept, doubted=int(changed))
