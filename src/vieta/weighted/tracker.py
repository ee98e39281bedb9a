r"""The weighted estimator on a stream: it starts by itself, watches its own innovations, and starts again when it must.

Sets are collected until a batch fit of them is safe: converged, and with systems many standard errors apart. From there the filter goes
on a set at a time (`number_tracking`, `vector_tracking`), in information form. With the innovation :math:`r = z - E z`, its covariance
V and its slope :math:`J = dE z / d\theta` at the parameters before the set (`scalar`, `vector`),

.. math::
    H &\leftarrow f H + J'V^{-1}J, \\
    \theta &\leftarrow \theta + H^{-1} J'V^{-1} r, \\
    M &\leftarrow f^2 M + J'V^{-1}r\,r'V^{-1}J, \\
    P &\leftarrow f P + e e', \qquad n \leftarrow f n + 1, \qquad e = \sum_l (y_l - \Psi \theta_l),

f the forgetting (1 for constant parameters, and for H and M at a set whose input is zero; where the inputs of a window do not reach a
direction, what was forgotten about it is given back at its end, `vieta.excitation`); before a set,
a drift Q makes :math:`H \leftarrow (H^{-1} + Q)^{-1}`. The noise covariance
behind V is :math:`C = P / (n L)`, renewed after every window of sets. The covariance of the estimate is :math:`H^{-1} M H^{-1}`, and
:math:`H^{-1}` under a drift. With a bound on influence, J'V⁻¹J and J'V⁻¹r of a set are scaled down (`equations.bounded`).

When a window of innovations contradicts the filter, sets are collected again, beside the running filter, until a fit of them is safe; if
that fit contradicts the filter too, the filter starts again from it and the time of the change is noted. Otherwise the alarm was false
and nothing has happened.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from vieta import excitation
from vieta.arrays import Floats, Integers, plain
from vieta.engine import growing, require_positive, require_readings, require_state
from vieta.errors import NotIdentifiableError
from vieta.matching import block_index, match_rows
from vieta.sets import Data
from vieta.sums import WORK, in_memory
from vieta.weighted import random_walk, record, solve
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import separation
from vieta.weighted.sum_regression import as_matrices

UNSAFE, SAFE, RIVALLED = range(3)  # kinds of starts
FIRST = 128  # sets after which the first fit is tried; then twice as many, and so on
MOST = 8192  # sets collected at the most
APART = 8.0  # standard errors between systems for a fit to be safe
CONTRADICTION = 10.0  # standard deviations of a chi-square by which two estimates must differ
BEFORE = 256  # sets kept to find the time of a change
CHANGES = 64  # changes remembered
WALK, WALK_AGAIN = 0.75, 0.5  # of a change's statistic: what a random walk must gain to be believed, first and later
FEWEST_BLOCKS = 8  # from which a walk can be told from a change
RENEWED = 1.5  # times as many sets, after which the variance of a walk is estimated again
PIECE = 4096  # sets that go through at once, or fewer where that would take long
UPDATED = (
    "theta", "settled_theta", "information", "meat", "power", "noise", "window_score", "window_information", "numbers",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What a weighted filter was asked to do.

    Attributes
    ----------
    forgetting : float
        Factor by which a set's weight decays with each further set; 1 for constant parameters.
    drift : (L D, L D)
        Covariance that the parameters' random walk adds at each set; empty for none.
    cap : float
        Bound on a set's influence, in units of its expected size; infinite for none.
    adaptive : bool
        Whether any change that the blocks speak of is taken for a random walk, whose variance is then estimated.
    """

    forgetting: float = 1.0
    drift: Floats = field(default_factory=lambda: np.empty((0, 0)))
    cap: float = np.inf
    adaptive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that the filter carries from set to set; bounded in size.

    Attributes
    ----------
    count : int
        Sets absorbed.
    tracking : int
        1 once the filter runs.
    collecting : int
        1 while sets are being collected for a fit.
    safe : int
        0 if the filter had to start from a fit that was not safe, 2 if from one whose sets did not exclude another solution.
    alarms : int
        Changes that the blocks of the record spoke of.
    walk : (L D,)
        Variance that an estimated random walk adds to each parameter at each set; zero for none.
    shift : (L, D)
        What the parameters gained at the last change.
    theta : (L, D)
    settled_theta : (L, D)
        Where the filter stood before the window that surprised it.
    information, meat : (L D, L D)
        Sums of information and of the scores' outer products.
    power, noise : (p, p)
        Sum of outer products of the innovations of the readings' sum; noise covariance in use in this window.
    window_score, window_information : (L D,), (L D, L D)
        Sums over the window in progress.
    numbers : (6,)
        Weight of `power`; sets in the window so far, the sum of their r'V⁻¹r / (L p), of the products of neighbouring scores, and of
        the squares of these; and the factor by which memory over time raised variances before the window (`block_kernel.memory_factor`).
    collected_sets, collected_inputs : (n, L, p), (n, ...)
        Sets collected for a fit.
    recent_sets, recent_inputs : (m, L, p), (m, ...)
        The latest sets before collecting began.
    record : Record
        Running sums by which the filter judges itself.
    changes : (c,)
        After how many sets the parameters changed, the latest few times.
    """

    count: int
    tracking: int
    collecting: int
    safe: int
    alarms: int
    walk: Floats
    shift: Floats
    theta: Floats
    settled_theta: Floats
    information: Floats
    meat: Floats
    power: Floats
    noise: Floats
    window_score: Floats
    window_information: Floats
    numbers: Floats
    record: Record
    collected_sets: Floats = field(metadata=growing(MOST - 1))
    collected_inputs: Floats = field(metadata=growing(MOST - 1))
    recent_sets: Floats = field(metadata=growing(BEFORE))
    recent_inputs: Floats = field(metadata=growing(BEFORE))
    changes: Integers = field(metadata=growing(CHANGES))


def init(data: Data) -> State:
    """Nothing absorbed; `data` tells the shapes."""
    L, p, D = data.n_systems, data.reading_dim, data.dim
    n = L * D
    nothing = {"recent_sets": data.sets[:0], "recent_inputs": data.inputs[:0]}
    return State(
        count=0,
        tracking=0,
        collecting=1,
        safe=1,
        alarms=0,
        walk=np.zeros(n),
        shift=np.zeros((L, D)),
        theta=np.zeros((L, D)),
        settled_theta=np.zeros((L, D)),
        information=np.zeros((n, n)),
        meat=np.zeros((n, n)),
        power=np.zeros((p, p)),
        noise=np.zeros((p, p)),
        window_score=np.zeros(n),
        window_information=np.zeros((n, n)),
        numbers=np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        record=record.blank(L, D),
        collected_sets=data.sets[:0],
        collected_inputs=data.inputs[:0],
        changes=np.zeros(0, dtype=np.int64),
        **nothing,
    )


def advance(settings: Settings, state: State, data: Data) -> State:
    """Absorb sets. The result does not depend on how a stream is cut."""
    at = 0
    while at < len(data):
        size = _until_fit(len(state.collected_sets)) if state.collecting else PIECE
        piece = data.part(at, at + min(size, _until_window(settings, state, data, at)))
        event = 0
        if state.tracking:
            state, taken, event = _track(settings, state, piece)
            piece = piece.part(0, taken)
        at += len(piece)
        state = _collect(settings, state, piece) if state.collecting else _remember(state, piece)
        if event:
            state = _look(settings, state, event)
    return state


def check(state: State) -> None:
    """Refuse a state of the right shapes that no stream leaves."""
    require_state({0, 1}.issuperset((state.tracking, state.collecting)), "its flags are neither 0 nor 1")
    require_state(state.safe in range(3), "its start is neither safe nor not")
    require_state((state.walk >= 0.0).all(), "its random walk has a negative variance")
    require_readings(state.collected_sets, state.collected_inputs, "collected")
    require_readings(state.recent_sets, state.recent_inputs, "latest")
    require_state(
        len(state.collected_sets) + len(state.recent_sets) <= state.count, "it holds more sets than it has absorbed"
    )
    require_state((np.diff([0, *state.changes, state.count]) >= 0).all(), "the times of its changes are not in order")
    weight, inside, squares = state.numbers[:3]
    require_state(inside in range(excitation.WINDOW) and squares >= 0.0, "its window of sets is longer than a window")
    if not state.tracking:
        empty = state.collecting and not len(state.recent_sets) and not len(state.changes)
        require_state(empty, "it does not run yet, and holds what only a filter that runs does")
        require_state((state.count - len(state.collected_sets)) % MOST == 0, "it has lost sets that it collected")
        return
    require_state(state.numbers[5] >= 1.0, "the factor of its memory over time is below one")
    require_state(weight > 0.0 and np.diag(state.noise).min() > 0.0, "its noise is not positive")
    for name in ("information", "meat", "power", "noise", "window_information"):
        require_positive(getattr(state, name), name.replace("_", " "))
    record.check(state.record)


def collected(state: State) -> Data:
    """The sets that are being collected."""
    return Data(state.collected_sets, state.collected_inputs, state.theta.shape[1])


def _until_fit(n: int) -> int:
    """How many sets more until the next fit is tried, when n are collected.

    >>> [_until_fit(n) for n in (0, 127, 128, 500)]
    [128, 1, 128, 12]
    """
    mark = FIRST
    while mark <= n:
        mark *= 2
    return mark - n


def _track(settings: Settings, state: State, data: Data) -> tuple[State, int, int]:
    """Run the filter; it stops after a window that surprises it, or where its blocks speak of a change, unless sets are being collected."""
    new = replace(state, **{name: getattr(state, name).copy() for name in UPDATED})
    new = replace(new, record=record.copied(state.record, len(data)))
    taken, event = _run(settings, new, data, watch=not state.collecting)
    if _is_directional(settings, data) and new.numbers[1] % excitation.window(settings.forgetting) == 0.0:
        before = state.collected_inputs if state.collecting else state.recent_inputs
        new = _unforgotten(settings, new, np.concatenate([before, data.inputs[:taken]]))
    return new, taken, event


def _run(settings: Settings, new: State, data: Data, watch: bool) -> tuple[int, int]:
    """The kernel for numbers or for vectors, with its scratch; it updates the state in place."""
    (_, L, p), n, kept = data.sets.shape, new.theta.size, new.record
    carried = (
        new.theta, new.settled_theta, new.information, new.meat, new.power, new.noise, new.window_score,
        new.window_information, new.numbers, kept.reference, kept.current, kept.tally, kept.levels, kept.contrasts, kept.blocks,
        kept.sizes, _limits(settings, new), settings.forgetting, _drift(settings, new), settings.cap, watch,
        np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty(n), np.empty(n + 2),
    )  # fmt: skip
    if p == 1:
        from vieta.weighted.number_tracking import track_numbers

        y, rows = plain(data.sets[:, :, 0]), plain(as_matrices(data)[:, 0])
        return track_numbers(y, rows, *carried, np.empty(L, np.int64), np.empty((4 + 4 * L, L)))
    from vieta.weighted.vector_planes import planes_for, scratch_for
    from vieta.weighted.vector_tracking import track_vectors

    given = planes_for(L, p)
    scratch = given, scratch_for(given, L, p, data.dim), np.empty((p, p)), np.empty((p, p))
    return track_vectors(plain(data.sets), plain(as_matrices(data)), *carried, *scratch)


def _limits(settings: Settings, state: State) -> Floats:
    """Where the blocks' comparisons speak of a change: nowhere where the parameters are said to move; an estimated walk is looked at again."""
    if settings.drift.size or settings.forgetting < 1.0:
        return np.full(4, np.inf)
    return np.array([np.inf, np.inf, -1.0, -1.0] if state.walk.any() else record.limits(state.theta.size))


def _drift(settings: Settings, state: State) -> Floats:
    return np.diag(state.walk) if state.walk.any() else settings.drift


def _is_directional(settings: Settings, data: Data) -> bool:
    """Whether inputs may miss some directions and reach others, and that matters."""
    return settings.forgetting < 1.0 and data.inputs.ndim == 3


def _until_window(settings: Settings, state: State, data: Data, at: int) -> int:
    """How many sets may go through at once: where forgetting has directions, to the end of a window that may miss some."""
    if not (state.tracking and _is_directional(settings, data)):
        work = (data.n_systems * data.reading_dim) ** 3 + (data.n_systems * data.dim) ** 3
        return max(min(PIECE, int(WORK / work)), 1)
    size = excitation.window(settings.forgetting)
    done = int(state.numbers[1]) % size
    return size - done if done else excitation.clear_sets(data.inputs[at:], size, _known(state)) or size


def _known(state: State) -> Floats:
    """(D,) the information about each coordinate, of the system that is known best, in units of the noise."""
    best = np.diag(state.information).reshape(state.theta.shape).max(axis=0)
    return np.asarray(best * np.trace(state.noise) / len(state.noise))


def _unforgotten(settings: Settings, state: State, inputs: Floats) -> State:
    """Give back what was forgotten about directions that no input (w, p, D) of the window, the last of these, reached."""
    L = len(state.theta)
    window = inputs[-excitation.window(settings.forgetting) :]
    found, lit = excitation.reach(window, _known(state)), int(excitation.is_lit(window).sum())
    if not (found.missed and lit):
        return state
    factor, V = (
        excitation.given_back(settings.forgetting, lit),
        np.asarray(np.kron(np.eye(L), found.unreached), dtype=np.float64),
    )
    information, meat = excitation.restored(state.information, state.meat, V, factor)
    return replace(state, information=information, meat=meat)


def _look(settings: Settings, state: State, event: int) -> State:
    """A window surprised the filter: sets are collected for a fit. Or its blocks speak of a change, or of a walk."""
    from vieta.weighted.tracking_kernel import SURPRISED

    if event == SURPRISED:
        return replace(state, collecting=1)
    if state.walk.any():
        return _wandering(state, random_walk.fitted(state.record, state.walk))
    kept, times = record.homogeneous(state.record)
    if not times:
        return state
    walk = random_walk.fitted(state.record)
    if settings.adaptive or is_walk(state, walk):
        return replace(_wandering(state, walk), alarms=state.alarms + 1)
    return _without_past(state, kept, times)


def is_walk(state: State, walk: random_walk.Walk) -> bool:
    """Whether the blocks look more like a random walk than like one change; sooner so when it is not the first time."""
    if state.record.n_blocks < FEWEST_BLOCKS:
        return False
    share = WALK_AGAIN if state.alarms else WALK
    return walk.gain > share * float(record.comparisons(state.record)[:, 0].max())


def _wandering(state: State, walk: random_walk.Walk) -> State:
    """Go on with an estimated random walk, from where it ends."""
    kept = record.continued(state.record, walk.theta, state.meat)
    kept.tally[-1] = RENEWED * kept.tally[-2]
    information = scaled_inverse(walk.cov)
    return replace(
        state, walk=walk.variances, theta=walk.theta, settled_theta=walk.theta, information=information, record=kept
    )


def _without_past(state: State, kept: Record, times: list[int]) -> State:
    """Go on with the sets after a change, in the blocks that are kept; collect sets for a fit if they do not separate the systems."""
    left, all_of_it = record.block_sums(kept), record.block_sums(state.record)
    inverse = scaled_inverse(left.information)
    if separation(left.theta, inverse @ left.meat @ inverse) < APART:
        return replace(state, collecting=1)
    start = state.count - int(state.record.tally[-2])
    changes = np.concatenate([state.changes, start + np.array(times)])[-CHANGES:].astype(np.int64)
    before = all_of_it.information - left.information
    pooled = (all_of_it.information @ all_of_it.theta.ravel() - left.information @ left.theta.ravel()).ravel()
    shift = left.theta - (scaled_inverse(before) @ pooled).reshape(left.theta.shape)
    return replace(
        state,
        alarms=state.alarms + 1,
        shift=shift,
        theta=left.theta,
        settled_theta=left.theta,
        information=left.information,
        meat=left.meat,
        record=record.continued(kept, left.theta, left.meat),
        changes=changes,
    )


def _remember(state: State, data: Data) -> State:
    return replace(
        state,
        count=state.count + len(data),
        recent_sets=np.concatenate([state.recent_sets, data.sets])[-BEFORE:],
        recent_inputs=np.concatenate([state.recent_inputs, data.inputs])[-BEFORE:],
    )


def _collect(settings: Settings, state: State, data: Data) -> State:
    before = len(state.collected_sets)
    state = replace(
        state,
        count=state.count + len(data),
        collected_sets=np.concatenate([state.collected_sets, data.sets]),
        collected_inputs=np.concatenate([state.collected_inputs, data.inputs]),
    )
    return _try_fit(settings, state) if len(data) == _until_fit(before) else state


def _try_fit(settings: Settings, state: State) -> State:
    """Fit what was collected; start from it, or start again, or dismiss the alarm, or collect on."""
    full = len(state.collected_sets) >= MOST
    try:
        found = solve.fit(in_memory(collected(state)), settings.cap)
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return _emptied(state) if full else state
    kept = record.of_fit(found, solve.block_scores(collected(state), found))
    safe = is_safe(found, record.largest_factor(kept))
    sure = safe and found.rival is None
    if not (sure or full):
        return state
    how = SAFE if sure else RIVALLED if safe else UNSAFE
    if not state.tracking:
        return _started(state, found, how, kept)
    if sure and contradicts(found, state):
        when = _time_of_change(state, found)
        changes = np.concatenate([state.changes, [when]])[-CHANGES:].astype(np.int64)
        shift = found.theta[match_rows(found.theta, state.settled_theta)] - state.settled_theta
        return replace(_started(state, found, how, kept), changes=changes, shift=shift)
    return replace(_emptied(state), collecting=0)


def _emptied(state: State) -> State:
    return replace(state, collected_sets=state.collected_sets[:0], collected_inputs=state.collected_inputs[:0])


def _started(state: State, found: solve.Fit, safe: int, kept: Record) -> State:
    state = _emptied(state)
    n, L = found.n_sets, len(found.theta)
    return replace(
        state,
        tracking=1,
        collecting=0,
        safe=safe,
        theta=found.theta,
        settled_theta=found.theta,
        information=found.information,
        meat=found.outer,
        power=found.noise * L * n,
        noise=found.noise,
        window_score=np.zeros_like(state.window_score),
        window_information=np.zeros_like(state.window_information),
        numbers=np.array([float(n), 0.0, 0.0, 0.0, 0.0, record.largest_factor(kept)]),
        record=kept,
        recent_sets=state.recent_sets[:0],
        recent_inputs=state.recent_inputs[:0],
    )


def is_safe(found: solve.Fit, factor: float = 1.0) -> bool:
    """Converged, explains its sets, and its systems are many standard errors apart; memory raises variances by a factor."""
    if not found.converged or not found.certified or found.misfit.median > 3.0:
        return False
    return separation(found.theta, factor * found.plain_cov) > APART


def contradicts(found: solve.Fit, state: State) -> bool:
    """Whether a fit and the filter differ by far more than their errors."""
    order = match_rows(found.theta, state.theta)
    index = block_index(order, state.theta.shape[1])
    spread = found.cov[np.ix_(index, index)] + scaled_inverse(state.information)
    gap = (state.theta - found.theta[order]).ravel()
    n = gap.size
    spread = spread * state.numbers[5]
    return bool(gap @ scaled_inverse(spread) @ gap > n + CONTRADICTION * np.sqrt(2.0 * n))


def _time_of_change(state: State, found: solve.Fit) -> int:
    """After which set the new parameters explain the sets better than the old ones did."""
    recent = Data(state.recent_sets, state.recent_inputs, found.theta.shape[1])
    start = state.count - len(state.collected_sets) - len(recent)
    if not len(recent):
        return start
    old, new = (solve.misfits(recent, theta, found.noise) for theta in (state.settled_theta, found.theta))
    return start + int(np.argmin(np.concatenate([[0.0], np.cumsum(old - new)])))
