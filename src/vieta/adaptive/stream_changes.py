r"""What the filter of incomplete sets does when something has happened.

*Parameters that move a little.* When a block of the past ends, the blocks are compared (`vieta.weighted.record`). If they differ, the filter
goes on from the blocks after the change; or, if a random walk explains them better, with the variance of that walk.

*Systems that jump, go or come.* A system that jumps is not seen any more where it was, and its readings are taken for false ones. So where the
probability of being seen falls, or the number of false readings rises, by much more than chance, sets are collected beside the running
filter, and after a large change as well. If a fit of them contradicts it, and without the systems that moved the criterion
(`vieta.adaptive.law_choice`) loses much, the filter starts again from that fit. If not, or if the number of false readings is all that has
risen, a fit with a system more is tried: where the criterion prefers it, readings taken for false lie on a line, and that is reported.
"""

from dataclasses import replace

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST, AdaptiveFit
from vieta.adaptive.law_choice import criterion
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_errors import inverted
from vieta.adaptive.set_findings import NEVER
from vieta.adaptive.set_survey import survey
from vieta.adaptive.spare_system import loss
from vieta.adaptive.stream_examination import STRETCH, emptied, is_due
from vieta.adaptive.stream_scoring import LATELY, Settings, covariance, sharing, shrunk
from vieta.adaptive.stream_start import FIRST, begun, first_fit, is_safe, until_fit, with_examined
from vieta.adaptive.stream_state import CHANGES, State, dense, free_of, holding, model_of
from vieta.adaptive.system_count import SURE as SURE_OF_SYSTEM
from vieta.adaptive.system_count import grown, of_size
from vieta.arrays import Floats
from vieta.matching import block_index, match_rows
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted import random_walk, record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import separation
from vieta.weighted.starting import APART, CONTRADICTION
from vieta.weighted.tracker import FEWEST_AGAIN, FEWEST_BLOCKS, RENEWED, WALK, WALK_AGAIN

LOST = 1.0 / 3.0  # of the usual probability of being seen
BACK = 2.0 / 3.0  # of it, from which on a system is seen again
SURE, RISEN = 6.0, 5.0  # standard deviations by which a probability falls, and a number of false readings rises
ENOUGH = 1024  # sets that are collected at the most
LINEAR, FEWEST = (
    2.0,
    256.0,
)  # sets that count after a change of one deviation, as the square of it grows smaller; and at the least
LARGE = 0.25  # deviations by which parameters change, from which on sets are collected for a fit
MOVED = 5.0  # standard errors of a difference, from which on a system of a fit is another one than that of the filter
ROUNDS = 40  # iterations of a climb with a system more


def is_lost(usual: float, recent: float) -> bool:
    r"""Whether a probability of being seen, of late, is far below the usual one p.

    The deviation of a mean that forgets is about :math:`\sqrt{pq\,a/2}`.

    >>> is_lost(0.7, 0.02), is_lost(0.7, 0.5), is_lost(0.06, 0.01)
    (True, False, False)
    """
    spread = float(np.sqrt(max(usual * (1.0 - usual), 1e-4) * 0.5 * LATELY))
    return recent < max(LOST * usual, NEVER) and usual - recent > SURE * spread


def is_risen(usual: float, recent: float) -> bool:
    """Whether the number of false readings of late is far above the usual one, by the deviation of a Poisson number.

    >>> is_risen(2.0, 2.7), is_risen(2.0, 2.3), is_risen(0.0, 0.2)
    (True, False, True)
    """
    return recent - usual > RISEN * float(np.sqrt(max(usual, LATELY) * 0.5 * LATELY))


def what_changed(state: State) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """(L + 1,) ones for systems that are lost, and in the end for a number of false readings that has risen."""
    lost = [is_lost(float(p), float(now)) for p, now in zip(state.usual[:-1], state.recent[:-1], strict=True)]
    risen = bool(state.free[2]) and is_risen(float(state.usual[-1]), float(state.recent[-1]))
    return np.array([*lost, risen], dtype=np.int64)


def watched(settings: Settings, state: State, data: Data) -> State:
    """The state after a block, when `data` are the sets that it holds, those of the block last; they are held on where they are needed."""
    if state.collecting:
        due = until_fit(len(data) - 1) == 1
        return concluded(settings, state, data) if due else holding(state, data)
    if state.doubted:
        before, state = state, reconsidered(settings, state)
        if before.refining and len(state.changes) > len(before.changes):
            return fitted_after(settings, state, data)
    now = what_changed(state)
    if (now > state.known).any():
        known = np.maximum(state.known, now)
        since = time_of_change(state)
        return holding(replace(state, collecting=1, examining=0, refining=0, known=known, since=since), data.part(0, 0))
    if state.known.any():
        state = replace(
            state, known=np.where(np.append((state.recent > BACK * state.usual)[:-1], not now[-1]), 0, state.known)
        )
    return examined(settings, state, data)


def examined(settings: Settings, state: State, data: Data) -> State:
    """The state that holds sets on where it refines or examines them; stretches begin and end here."""
    if state.refining:
        return holding(state, data)
    if state.examining and len(data) < STRETCH:
        return holding(state, data)
    if state.examining:
        state = replace(with_examined(state, data), examining=0)
    constant = not (settings.tracks or state.walk.any())
    return holding(replace(state, examining=int(constant and is_due(state.count))), data.part(0, 0))


def fitted_after(settings: Settings, state: State, data: Data) -> State:
    """The state after a change among sets that are all held: it starts again from a fit of those after it, if that is safe."""
    after = (state.count - int(state.changes[-1])) // settings.block * settings.block
    left = data.part(len(data) - after, len(data))
    found = first_fit(settings, left) if after >= FIRST else None
    if found is None or not is_safe(found):
        return holding(state, data.part(0, 0))
    new = begun(settings, replace(state, running=0, collecting=0), found, left)
    return holding(replace(new, doubted=0), left)


def reconsidered(settings: Settings, state: State) -> State:
    """The state whose past speaks of a change: it goes on with a random walk, or without what was before the change."""
    state = replace(state, doubted=0)
    if state.walk.any():
        return wandering(state, random_walk.fitted(state.record, state.walk))
    kept, times = record.homogeneous(state.record)
    if not times:
        return state
    walk = random_walk.fitted(state.record)
    if settings.wanders or is_walk(state, walk):
        return wandering(replace(state, alarms=state.alarms + 1), walk)
    return without_past(state, kept, times)


def is_walk(state: State, walk: random_walk.Walk) -> bool:
    """Whether the blocks look more like a random walk than like one change; sooner so when it is not the first time."""
    share, fewest = (WALK_AGAIN, FEWEST_AGAIN) if state.alarms else (WALK, FEWEST_BLOCKS)
    enough = state.record.n_blocks >= fewest
    return enough and walk.gain > share * float(record.comparisons(state.record)[:, 0].max())


def wandering(state: State, walk: random_walk.Walk) -> State:
    """Go on with an estimated random walk, from where it ends."""
    kept = record.continued(state.record, walk.theta, state.record.contrasts[-1])
    kept = replace(kept, tally=np.append(kept.tally[:-1], RENEWED * kept.tally[-2]))
    H = with_covariance(state, walk.cov)
    return replace(state, walk=walk.variances, theta=walk.theta, information=H, record=kept, refining=0, examining=0)


def with_covariance(state: State, cov: Floats) -> Floats:
    r"""The information (m, m) with which :math:`\theta` has a covariance C.

    .. math:: H_{\theta\theta} = C^{-1} + H_{\theta\nu} H_{\nu\nu}^{-1} H_{\nu\theta} .
    """
    n, T = len(cov), sharing(*state.theta.shape, free_of(state))
    H = T.T @ state.information @ T
    explained = H[:n, n:] @ inverted(H[n:, n:]) @ H[n:, :n]
    found = state.information.copy()
    found[:n, :n] = scaled_inverse(cov) + explained
    return np.asarray(0.5 * (found + found.T))


def without_past(state: State, kept: record.Record, times: list[int]) -> State:
    """Go on with the sets after a change, in the blocks that are kept, if they separate the systems.

    They count as many as leave an error larger than what scores that are taken for linear may have missed of the change.
    """
    left = record.block_sums(kept)
    if separation(left.theta, scaled_inverse(left.information)) < APART:
        return state
    start = state.count - int(state.record.tally[-2])
    size = np.sqrt(np.diag(state.gram) / max(state.weight, 1.0)) / state.sd[:, None]
    shift = float((abs(left.theta - state.record.reference) * size).max())
    counted = min(left.n_sets, max(LINEAR / max(shift, 1e-9) ** 2, FEWEST))
    f = min(counted / max(state.weight, 1.0), 1.0)
    fresh = record.continued(kept, left.theta, kept.contrasts[-1])
    new = replace(shrunk(state, f), meat=f * state.meat, theta=left.theta, record=fresh, alarms=state.alarms + 1)
    new = replace(new, refining=0, examining=0, examined=emptied(state.examined), collecting=int(shift > LARGE))
    return noted(new, *(start + time for time in times))


def noted(state: State, *times: int) -> State:
    """The state with the times of changes noted."""
    after = np.sort(np.concatenate([state.changes, np.clip(times, 0, state.count)]))
    return replace(state, changes=after[-CHANGES:].astype(np.int64))


def concluded(settings: Settings, state: State, data: Data) -> State:
    """The state after sets were collected: started again from a fit of them, or as it was, or it goes on collecting."""
    state = replace(state, known=np.maximum(state.known, what_changed(state)))
    only_risen = bool(state.known[-1]) and not state.known[:-1].any()
    found = None if only_risen else first_fit(settings, data)
    settled = found is not None and is_safe(found)
    if found is not None and settled:
        gaps = differences(settings, state, found)
        if gaps.any():
            settled = all(loss(in_memory(dense(data)), found, int(l)) > SURE_OF_SYSTEM for l in np.flatnonzero(gaps))
            if settled:
                return restarted(settings, state, found, data)
    suspect = suspected(state, data) if state.known.any() else np.zeros_like(state.suspect)
    if not (settled or suspect.any() or len(data) >= ENOUGH):
        return holding(state, data)
    usual = np.append(state.usual[:-1], state.recent[-1])
    return holding(replace(state, collecting=0, suspect=suspect, usual=usual), data.part(0, 0))


def restarted(settings: Settings, state: State, found: AdaptiveFit, data: Data) -> State:
    """The filter as it starts again from a fit of the sets that were collected."""
    state = noted(state, state.since) if state.known.any() else state
    none = replace(state, suspect=np.zeros_like(state.suspect), known=np.zeros_like(state.known))
    fresh = replace(none, running=0, collecting=0, safe=1, walk=np.zeros_like(state.walk))
    new = begun(settings, fresh, found, data)
    return holding(new, data if new.refining else data.part(0, 0))


def differences(
    settings: Settings, state: State, found: AdaptiveFit
) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """(L,) the systems of a fit that the filter does not have, if the two differ by far more than their errors."""
    theta = found.chosen.model.theta
    L, D = theta.shape
    order = match_rows(theta, state.theta)
    index = block_index(order, D)
    spread = found.errors.cov[np.ix_(index, index)] + covariance(settings, state)[1]
    gap = (state.theta - theta[order]).ravel()
    if not gap @ scaled_inverse(spread) @ gap > gap.size + CONTRADICTION * np.sqrt(2.0 * gap.size):
        return np.zeros(L, dtype=np.bool_)
    far = (abs(gap) / np.sqrt(np.maximum(np.diag(spread), 1e-300))).reshape(L, D).max(axis=1)
    moved = np.zeros(L, dtype=np.bool_)
    moved[order] = far > min(MOVED, float(far.max()) * 0.999)
    return moved


def time_of_change(state: State) -> int:
    r"""After how many sets systems were lost, about: a mean that forgets with the weight a falls from p to r in :math:`\log(p/r)/a` sets."""
    ratio = state.usual[:-1] / np.maximum(state.recent[:-1], 1e-3)
    return max(state.count - round(float(np.log(max(ratio.max(), 1.0))) / LATELY), 0)


def suspected(state: State, data: Data) -> Floats:
    """(D + 2,) a system that readings taken for false may belong to, with its probability of being seen and its margin; zeros for none."""
    D, none = state.theta.shape[1], np.zeros_like(state.suspect)
    passes, model = in_memory(data), model_of(state)
    if not free_of(state).rate:
        return none
    free = replace(free_of(state), detection="own")
    known, floor = survey(passes), SMALLEST * model.clutter.extent
    before = climb(passes, model, free, floor, ROUNDS)
    more = of_size(passes, data.n_systems + 1)
    after = climb(more, grown(passes, known, before.model, free), free, floor, ROUNDS)
    margin = criterion(after, free) - criterion(before, free)
    if not margin > SURE_OF_SYSTEM:
        return none
    return np.concatenate([after.model.theta[-1][:D], [after.model.detection[-1], margin]])
