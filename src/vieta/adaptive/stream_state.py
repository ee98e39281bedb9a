"""What the filter of incomplete sets carries from set to set: sets that it holds, a model, and sums; bounded in size."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from vieta.adaptive import stream_examination
from vieta.adaptive.clutter_density import BINS, ClutterDensity
from vieta.adaptive.law_choice import WIDTHS
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_sums import MOST_SEEN, Free
from vieta.adaptive.sieve import NAMED, UnitLaw, components, points
from vieta.adaptive.stream_examination import Examination
from vieta.arrays import Floats, Integers
from vieta.engine import growing, require_positive, require_state
from vieta.set_requirements import MOST_READINGS
from vieta.sets import LARGEST, Data
from vieta.weighted import record
from vieta.weighted.record import Record

MOST = 2048  # sets that are held at the most
CHANGES = 64  # changes remembered
LAWS = ("", "sieve", *NAMED)
SHARING = ("none", "common", "own")
MOST_WEIGHTS = max(len(components(width)[0]) for width in WIDTHS)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that the filter carries from set to set.

    Attributes
    ----------
    count : int
        Sets absorbed.
    running : int
        1 once the filter runs; before, it holds its first sets.
    collecting : int
        1 while sets are held to see what has happened (`vieta.adaptive.stream_changes`).
    examining : int
        1 while sets are held to examine what is assumed of them (`vieta.adaptive.stream_examination`).
    fitted : int
        Sets that the latest fit was of.
    refining : int
        1 while all sets are still held, and the model is climbed on all of them again from time to time.
    safe : int
        0 if it had to start from a fit that was not safe.
    theta, sd, shape, detection, rate
        As in `vieta.adaptive.set_model.SetModel`.
    clutter_low, clutter_width, clutter_heights : (p,), (p,), (B, p)
        The density of false readings.
    law : int
        Its place in `LAWS`.
    law_width, law_weights : float, (J,)
        Of a sieve.
    free : (3,)
        How deviations, detection and rate are estimated, by their places in `SHARING`.
    weight : float
        How many sets count, by their memory.
    information, meat : (m, m)
        Sums of g g', those of the second fading twice as fast; m = L D + 2 L + 1.
    gram : (D, D)
        Sum of Psi' C^-1 Psi.
    seen, histogram, moments, false : (L,), (G,), (p, p), (B, p)
        Sums of w, of residuals, of their products, and of false readings in the bins.
    correction : (L D, L D)
        A: what the law's weights, the density of false readings and memory over time do to the covariance C, which becomes A C A'.
    dof, carrying : float
        Degrees of freedom of intervals, and sets that carry information, for each set.
    factor : float
        By which memory over time makes standard errors grow, as far as the correction allows for it; one for none.
    usual, recent : (L + 1,)
        Probability of being seen, and the number of false readings, when the filter started, and of late.
    known : (L + 1,)
        Which of them are known to have changed.
    since : int
        After how many sets, about, the latest of these changes was.
    walk : (L D,)
        Variance that an estimated random walk adds to each parameter at each set; zero for none.
    suspect : (D + 2,)
        A system that readings taken for false may belong to: parameters, probability of being seen, and margin; zero for none.
    alarms : int
        How often the past spoke of a change.
    doubted : int
        1 if it does so now.
    record : Record
        Blocks of the past (`vieta.adaptive.stream_past`).
    examined : Examination
        What is known about what is assumed.
    held_readings, held_sizes, held_inputs : (r, p), (n,), (n, ..)
        Sets that are held: all of them at first, then those of a block that is not complete.
    changes : (c,)
        After how many sets the parameters changed, the latest few times.
    """

    count: int
    running: int
    collecting: int
    examining: int
    fitted: int
    refining: int
    safe: int
    theta: Floats
    sd: Floats
    shape: Floats
    detection: Floats
    rate: float
    clutter_low: Floats
    clutter_width: Floats
    law: int
    law_width: float
    free: Integers
    weight: float
    information: Floats
    meat: Floats
    gram: Floats
    seen: Floats
    histogram: Floats
    moments: Floats
    correction: Floats
    dof: float
    carrying: float
    factor: float
    usual: Floats
    recent: Floats
    known: Integers
    since: int
    walk: Floats
    suspect: Floats
    alarms: int
    doubted: int
    record: Record
    examined: Examination
    clutter_heights: Floats = field(metadata=growing(BINS))
    false: Floats = field(metadata=growing(BINS))
    law_weights: Floats = field(metadata=growing(MOST_WEIGHTS))
    held_readings: Floats = field(metadata=growing(MOST * MOST_READINGS))
    held_sizes: Integers = field(metadata=growing(MOST))
    held_inputs: Floats = field(metadata=growing(MOST))
    changes: Integers = field(metadata=growing(CHANGES))


def init(like: Data) -> State:
    """Nothing absorbed; `like` tells the shapes."""
    L, p, D = like.n_systems, like.reading_dim, like.dim
    m = L * D + 2 * L + 1
    none = np.zeros((0, p))
    return State(
        count=0,
        running=0,
        collecting=0,
        examining=0,
        fitted=0,
        refining=0,
        safe=1,
        theta=np.zeros((L, D)),
        sd=np.ones(L),
        shape=np.eye(p),
        detection=np.full(L, 0.5),
        rate=1.0,
        clutter_low=np.zeros(p),
        clutter_width=np.ones(p),
        law=0,
        law_width=0.0,
        free=np.ones(3, dtype=np.int64),
        weight=0.0,
        information=np.zeros((m, m)),
        meat=np.zeros((m, m)),
        gram=np.zeros((D, D)),
        seen=np.zeros(L),
        histogram=np.zeros(len(points())),
        moments=np.zeros((p, p)),
        correction=np.eye(L * D),
        dof=1.0,
        carrying=1.0,
        factor=1.0,
        usual=np.full(L + 1, 0.5),
        recent=np.full(L + 1, 0.5),
        known=np.zeros(L + 1, dtype=np.int64),
        since=0,
        walk=np.zeros(L * D),
        suspect=np.zeros(D + 2),
        alarms=0,
        doubted=0,
        record=record.blank(L, D),
        examined=stream_examination.blank(p, D),
        clutter_heights=none,
        false=none,
        law_weights=np.zeros(0),
        held_readings=none,
        held_sizes=np.zeros(0, dtype=np.int64),
        held_inputs=np.zeros((0, *like.inputs.shape[1:])),
        changes=np.zeros(0, dtype=np.int64),
    )


@lru_cache(maxsize=16)
def _sieve(width: float, weights: bytes) -> UnitLaw:
    """A sieve; kept with its table, which takes longer to make than a block of sets takes."""
    return UnitLaw(width, np.frombuffer(weights))


def model_of(state: State) -> SetModel:
    """The model of a filter that runs."""
    name = LAWS[state.law]
    law = _sieve(state.law_width, state.law_weights.tobytes()) if name == "sieve" else UnitLaw(name=name)
    clutter = ClutterDensity(state.clutter_low, state.clutter_width, state.clutter_heights.T)
    return SetModel(state.theta, state.sd, state.shape, state.detection, state.rate, clutter, law)


def with_model(state: State, model: SetModel) -> State:
    """The state with another model."""
    sieve = model.law.weights is not None
    return replace(
        state,
        theta=model.theta,
        sd=model.sd,
        shape=model.shape,
        detection=model.detection,
        rate=float(model.rate),
        clutter_low=model.clutter.low,
        clutter_width=model.clutter.width,
        clutter_heights=np.ascontiguousarray(model.clutter.heights.T),
        law=LAWS.index("sieve" if sieve else model.law.name),
        law_width=float(model.law.width),
        law_weights=np.zeros(0) if model.law.weights is None else np.array(model.law.weights),
    )


def free_of(state: State) -> Free:
    """What is estimated."""
    sd, detection, rate = (int(value) for value in state.free)
    return Free(SHARING[sd], SHARING[detection], bool(rate))


def as_numbers(free: Free) -> Integers:
    """What is estimated, as it is kept."""
    return np.array([SHARING.index(free.sd), SHARING.index(free.detection), int(free.rate)], dtype=np.int64)


def held(state: State, like: Data) -> Data:
    """The sets that are held."""
    offsets = np.concatenate([[0], np.cumsum(state.held_sizes)]).astype(np.int64)
    return Data(state.held_readings, state.held_inputs, like.dim, offsets, like.n_systems)


def dense(data: Data) -> Data:
    """The same sets as a dense array, where every set has L readings."""
    readings, offsets = data.flat
    L, p = data.n_systems, data.reading_dim
    if data.is_complete or not len(data) or (np.diff(offsets) != L).any():
        return data
    return Data(readings.reshape(len(data), L, p), data.inputs, data.dim)


def holding(state: State, data: Data) -> State:
    """The state that holds these sets."""
    if not (len(data) or len(state.held_sizes)):
        return state
    readings, offsets = data.flat
    return replace(
        state,
        held_readings=np.array(readings),
        held_sizes=np.diff(offsets).astype(np.int64),
        held_inputs=np.array(data.inputs),
    )


def check(state: State, block: int) -> None:
    """Refuse a state of the right shapes that no stream leaves; `block` sets are absorbed together."""
    flags = (state.running, state.collecting, state.examining, state.refining, state.safe, state.doubted, *state.known)
    require_state({0, 1}.issuperset(flags), "its flags are neither 0 nor 1")
    sizes, n = state.held_sizes, len(state.held_sizes)
    fits = n == len(state.held_inputs) and (sizes >= 0).all() and (sizes <= MOST_READINGS).all()
    require_state(fits and sizes.sum() == len(state.held_readings), "its held sets and inputs differ in number")
    values = (abs(one).max(initial=0.0) for one in (state.held_readings, state.held_inputs))
    require_state(max(values) <= LARGEST, "its held sets are too large")
    require_state((np.diff([0, *state.changes, state.count]) >= 0).all(), "the times of its changes are not in order")
    if not state.running:
        require_state((state.count - n) % MOST == 0 and n < MOST, "it has lost sets that it held")
        require_state(
            not (state.refining or state.collecting or state.examining or len(state.changes)),
            "it does not run yet, and holds what a filter that runs does",
        )
        return
    require_state(state.count >= n and (state.count - n) % block == 0, "it does not hold what is left of a block")
    holds = state.refining or state.collecting or state.examining
    require_state(n < (MOST if holds else block), "it holds more sets than it needs")
    require_state(0 <= state.fitted <= (n if state.refining else MOST), "it was fitted to more sets than there are")
    record.check(state.record)
    stream_examination.check(state.examined)
    require_state(0 <= state.since <= state.count, "the times of its changes are not in order")
    require_state((state.walk >= 0.0).all(), "its random walk has a negative variance")
    _check_model(state)
    for name in ("information", "meat", "gram", "moments", "shape"):
        require_positive(getattr(state, name), name)
    sums = (state.seen, state.histogram, state.false)
    require_state(min(one.min(initial=0.0) for one in sums) >= 0.0 and state.weight > 0.0, "its sums are negative")
    require_state(min(state.dof, state.carrying) > 0.0, "its degrees of freedom are not positive")
    require_state(state.factor >= 1.0, "its memory makes errors smaller")


def _check_model(state: State) -> None:
    require_state(state.sd.min() > 0.0 and np.linalg.eigvalsh(state.shape)[0] > 0.0, "its noise is not positive")
    seen = np.concatenate([state.detection, state.usual[:-1], state.recent[:-1]])
    require_state(((seen >= 0.0) & (seen <= 1.0)).all(), "its probabilities are not between zero and one")
    require_state(
        state.detection.min() >= LEAST and state.detection.max() <= MOST_SEEN and state.rate >= LEAST,
        "its rates are out of range",
    )
    bins = state.clutter_heights
    require_state(len(bins) > 0 and bins.shape == state.false.shape, "its false readings do not fit its bins")
    require_state(bins.min() > 0.0 and state.clutter_width.min() > 0.0, "its density of false readings is not positive")
    require_state(state.law in range(len(LAWS)), "its law is not known")
    sieve = LAWS[state.law] == "sieve"
    require_state(not sieve or state.law_width in WIDTHS, "its law has a width that is not known")
    needed = len(components(state.law_width)[0]) if sieve else 0
    require_state(len(state.law_weights) == needed, "its law has too many or too few weights")
    require_state(
        not sieve or (state.law_weights.min() >= 0.0 and abs(state.law_weights.sum() - 1.0) < 1e-6),
        "the weights of its law are no weights",
    )
    free = state.free
    fits = free[0] in (1, 2) and free[1] in range(3) and free[2] in (0, 1)
    require_state(fits, "what it estimates is not known")
