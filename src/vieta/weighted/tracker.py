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

The first sets since a start are kept (`Settings.keeps`): as long as there are no more, an estimate is that of a batch of them. Then they
are examined once more (`first_sets`), and left. If they show a shock that the systems share, the filter goes on with it (`shared_tracker`).
Later, at numbers of sets that double, the record is asked whether noises depend on each other; if so, sets are collected to look for a shock.
"""

from dataclasses import replace

import numpy as np

from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.matching import match_rows
from vieta.sets import Data, joined
from vieta.sums import in_memory
from vieta.weighted import (
    first_sets,
    kernel_runs,
    later_sets,
    random_walk,
    record,
    shared_record,
    shared_tracker,
    solve,
)
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import separation
from vieta.weighted.starting import (
    APART,
    DIFFERENCE,
    contradicts,
    emptied,
    explained,
    holding,
    is_safe,
    recorded,
    restarted,
    started,
    time_of_change,
)
from vieta.weighted.tracking_state import (
    BEFORE,
    CHANGES,
    MOST,
    RIVALLED,
    SAFE,
    UNSAFE,
    Settings,
    State,
    check,
    collected,
    held,
    init,
)

__all__ = [
    "BEFORE", "CHANGES", "DEPENDENT", "FIRST", "MOST", "RIVALLED", "SAFE", "UNSAFE", "Settings", "State", "advance", "check",
    "collected", "contradicts", "init", "is_safe", "is_walk",
]  # fmt: skip

FIRST = 128  # sets after which the first fit is tried; then twice as many, and so on
WALK, WALK_AGAIN = 0.75, 0.5  # of a change's statistic: what a random walk must gain to be believed, first and later
FEWEST_BLOCKS, FEWEST_AGAIN = 8, 3  # from which a walk can be told from a change, first and later
DEPENDENT = 4.5  # z-value of noise that is correlated across systems, from which on a shock is looked for
RENEWED = 1.5  # times as many sets, after which the variance of a walk is estimated again


def advance(settings: Settings, state: State, data: Data) -> State:
    """Absorb sets. The result does not depend on how a stream is cut."""
    at = 0
    while at < len(data):
        size = _until_fit(len(state.collected_sets)) if state.collecting else kernel_runs.PIECE
        size = min(size, kernel_runs.until_window(settings, state, data, at), _until_examined(settings, state))
        piece = data.part(at, at + size)
        event = 0
        if state.shared.active:
            state, event = _track_shared(settings, state, piece)
        elif state.tracking:
            state, taken, event = kernel_runs.track(settings, state, piece)
            piece = piece.part(0, taken)
        at += len(piece)
        if len(state.held_sets):
            state = holding(state, joined([held(state), piece]))
        if state.later.stride:
            later = later_sets.absorbed(state.later, piece, pairs=not (state.shared.active or state.walk.any()))
            state = replace(state, later=later)
        state = _collect(settings, state, piece) if state.collecting else _remember(state, piece)
        if event:
            state = _look(settings, state, event)
        state = _examined(settings, state)
        if state.later.is_due:
            state = _looked_at_sample(settings, state)
    return state


def _until_examined(settings: Settings, state: State) -> int:
    """How many sets more until the first ones are examined, the block of a filter with a shock ends, or dependence is looked for."""
    if not state.tracking or not settings.keeps:
        return kernel_runs.PIECE
    room = state.later.room if state.later.stride else kernel_runs.PIECE
    if state.shared.active:
        return min(room, shared_tracker.BLOCK - len(state.shared.pending_sets))
    if len(state.held_sets):
        return settings.keeps - len(state.held_sets)
    return min(room, _next_look(settings, state.count) - state.count)


def _next_look(settings: Settings, count: int) -> int:
    """The next number of sets at which dependence is looked for: it doubles."""
    mark = 2 * settings.keeps
    while mark <= count:
        mark *= 2
    return mark


def _examined(settings: Settings, state: State) -> State:
    """At the end of the first sets examine them; later, now and then, ask whether noises depend on each other."""
    if len(state.held_sets) >= settings.keeps:
        return _grown_up(settings, state, held(state)) if len(state.held_sets) else state
    idle = state.tracking and not (len(state.held_sets) or state.collecting or state.shared.active or state.walk.any())
    due = settings.keeps and state.count == _next_look(settings, state.count - 1)
    if not (idle and due and settings.shock == "auto" and state.collected_sets.shape[2] == 1):
        return state
    return replace(state, collecting=1, shocked=1) if record.dependence(state.record) > DEPENDENT else state


def _grown_up(settings: Settings, state: State, data: Data) -> State:
    """The filter after its first sets, or those in which a shock was looked for; with a shock, if they show one."""
    found = first_sets.examined(data, settings.shock, state.theta, settings.cap)
    later, first = state.later, len(state.held_sets) > 0
    if found.fit is not None and is_safe(found.fit) and contradicts(found.fit, state):  # a start that only seemed safe
        state = started(settings, state, found.fit, data)
        later = later_sets.again(later, state.theta)
    if first:
        later = later_sets.begun(data, state.theta, _noise_variances(state, found))
    state = replace(holding(state, data.part(0, 0)), verdict=found.verdict, later=later)
    return _shared_from(state, found, data)


def _noise_variances(state: State, found: first_sets.Examined) -> Floats:
    """(L,) those of the systems, where they are known, else one for all."""
    common = np.full(len(state.theta), float(np.trace(state.noise)) / len(state.noise))
    known = found.variances is not None and np.isfinite(found.variances).all() and found.variances.min() > 0.0
    return found.variances if known and found.variances is not None else common


def _shared_from(state: State, found: first_sets.Examined, data: Data) -> State:
    """The filter with a shock, if these sets show one."""
    if found.shared is None:
        return state
    shared = shared_tracker.begun(found.shared, data)
    return _with_shared(replace(state, shared=shared, record=shared_record.begun(shared, found.shared, data)))


def _looked_at_sample(settings: Settings, state: State) -> State:
    """What pairs of noises say by now; and a search of the sample, where inputs have gone to where the sets before tell little."""
    later = later_sets.at_look(state.later, state.theta)
    verdict = first_sets.with_later_pairs(state.verdict, later, record.largest_factor(state.record))
    state = replace(state, later=later, verdict=verdict)
    pairing = state.theta.shape[1] > state.noise.shape[0] and len(state.theta) > 1
    if not pairing or state.walk.any() or not later_sets.leads_elsewhere(later):
        return state
    if state.collecting and not state.shocked:
        return explained(settings, state) or state
    return _searched_again(settings, state)


def _searched_again(settings: Settings, state: State) -> State:
    """The filter after a search of the sample: it starts again from there, if that contradicts it."""
    data = state.later.sample
    found = first_sets.examined(data, settings.shock, None, settings.cap)
    if found.fit is None:
        return state
    later, safe = replace(state.later, searched=state.later.n_sets), is_safe(found.fit)
    if safe and contradicts(found.fit, state, DIFFERENCE):
        new = replace(restarted(settings, state, found.fit, data), verdict=found.verdict)
        state = _shared_from(new, found, data)
    else:
        state = replace(state, later=later, verdict=first_sets.renewed(state.verdict, found.verdict))
    return replace(state, safe=RIVALLED if found.fit.rival is not None else SAFE if safe else state.safe)


def _with_shared(state: State) -> State:
    """The state that stands where its filter with a shock stands."""
    shared, numbers = state.shared, state.numbers.copy()
    information = shared.n_sets * shared.unit
    numbers[1:5], numbers[5] = 0.0, record.largest_factor(state.record)
    return replace(
        state,
        theta=shared.theta,
        settled_theta=shared.theta,
        information=information,
        meat=information,
        window_score=np.zeros_like(state.window_score),
        window_information=np.zeros_like(state.window_information),
        numbers=numbers,
    )


def _track_shared(settings: Settings, state: State, data: Data) -> tuple[State, int]:
    """Run the filter with a shock to the end of a block at the most."""
    limits = kernel_runs.limits(settings, state)
    shared, kept, event = shared_record.track(state.shared, state.record, data, limits)
    new = replace(state, shared=shared, record=kept)
    if len(shared.pending_sets):
        return new, event
    settled = state.theta if event else shared.theta
    return replace(_with_shared(new), settled_theta=settled), 0 if state.collecting else event


def _until_fit(n: int) -> int:
    """How many sets more until the next fit is tried, when n are collected.

    >>> [_until_fit(n) for n in (0, 127, 128, 500)]
    [128, 1, 128, 12]
    """
    mark = FIRST
    while mark <= n:
        mark *= 2
    return mark - n


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
    same = explained(settings, state)
    if same is not None:
        return same
    walk = random_walk.fitted(state.record)
    if not state.shared.active and (settings.adaptive or is_walk(state, walk)):
        return replace(_wandering(state, walk), alarms=state.alarms + 1)
    return _without_past(state, kept, times)


def is_walk(state: State, walk: random_walk.Walk) -> bool:
    """Whether the blocks look more like a random walk than like one change; sooner so when it is not the first time."""
    share, fewest = (WALK_AGAIN, FEWEST_AGAIN) if state.alarms else (WALK, FEWEST_BLOCKS)
    if state.record.n_blocks < fewest:
        return False
    return walk.gain > share * float(record.comparisons(state.record)[:, 0].max())


def _wandering(state: State, walk: random_walk.Walk) -> State:
    """Go on with an estimated random walk, from where it ends."""
    kept = record.continued(state.record, walk.theta, state.meat)
    kept.tally[-1] = RENEWED * kept.tally[-2]
    information = scaled_inverse(walk.cov)
    state = holding(state, held(state).part(0, 0))
    return replace(
        state,
        later=later_sets.blank(held(state)),
        walk=walk.variances,
        theta=walk.theta,
        settled_theta=walk.theta,
        information=information,
        record=kept,
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
    shared = shared_tracker.without_past(state.shared, left) if state.shared.active else state.shared
    state = holding(state, held(state).part(0, 0))
    return replace(
        state,
        shared=shared,
        later=later_sets.anew(state.later, left.theta),
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
    if state.shocked:
        enough = len(state.collected_sets) >= settings.keeps
        calm = replace(emptied(state), collecting=0, shocked=0)
        return _grown_up(settings, calm, collected(state)) if enough else state
    full = len(state.collected_sets) >= MOST
    try:
        found = solve.fit(in_memory(collected(state)), settings.cap)
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return emptied(state) if full else state
    safe = is_safe(found, record.largest_factor(recorded(found, collected(state))))
    sure = safe and found.rival is None
    if not (sure or full):
        return state
    how = SAFE if sure else RIVALLED if safe else UNSAFE
    if not state.tracking:
        return started(settings, state, found, collected(state), how)
    if not (sure and contradicts(found, state)):
        return replace(emptied(state), collecting=0)
    return explained(settings, state) or _changed(settings, state, found)


def _changed(settings: Settings, state: State, found: solve.Fit) -> State:
    """The filter as it starts again, from a fit of what was collected."""
    changes = np.concatenate([state.changes, [time_of_change(state, found)]])[-CHANGES:].astype(np.int64)
    shift = found.theta[match_rows(found.theta, state.settled_theta)] - state.settled_theta
    return replace(started(settings, state, found, collected(state)), changes=changes, shift=shift)
