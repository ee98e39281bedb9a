"""How a filter starts from a fit of sets, and when: the fit must be safe, and to start again it must contradict the filter."""

from dataclasses import replace

import numpy as np

from vieta.errors import NotIdentifiableError
from vieta.matching import block_index, match_rows
from vieta.sets import Data, joined
from vieta.sums import in_memory
from vieta.weighted import later_sets, record, shared_tracker, solve
from vieta.weighted.constancy import change_point, surely_changed
from vieta.weighted.equations import accumulate
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import separation
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.tracking_state import SAFE, Settings, State, collected, held

APART = 8.0  # standard errors between systems for a fit to be safe
NOISIER = 1.5  # times the noise variance of the filter, from which on one fit does not explain what came
FEWEST_DOUBTED = 16  # sets after a surprise, from which on it may be confirmed
DOUBT, TOO_LARGE = 4.0, 2.0  # standard deviations of a chi-square, and misfit, from which on these sets confirm it
CONTRADICTION, DIFFERENCE = (
    10.0,
    3.0,
)  # standard deviations of a chi-square by which two estimates must differ; the same of a sample of all
DENSE = 2  # sets, of which a sample that may dismiss a change has one


def is_safe(found: solve.Fit, factor: float = 1.0) -> bool:
    """Converged, explains its sets, was found from several starts, and its systems are many standard errors apart; memory raises variances by
    a factor.
    """
    if not (found.converged and found.certified and found.repeated) or found.misfit.median > 3.0:
        return False
    return separation(found.theta, factor * found.plain_cov) > APART


def contradicts(found: solve.Fit, state: State, by: float = CONTRADICTION) -> bool:
    """Whether a fit and the filter differ by more than their errors: by so many standard deviations of a chi-square."""
    order = match_rows(found.theta, state.theta)
    index = block_index(order, state.theta.shape[1])
    spread = found.cov[np.ix_(index, index)] + scaled_inverse(state.information)
    gap = (state.theta - found.theta[order]).ravel()
    n = gap.size
    spread = spread * state.numbers[5]
    return bool(gap @ scaled_inverse(spread) @ gap > n + by * np.sqrt(2.0 * n))


def is_doubted(state: State) -> bool:
    """Whether the sets that were collected since a surprise contradict where the filter stood: a window alone may do so by chance."""
    data, n = collected(state), state.theta.size
    if len(data) < FEWEST_DOUBTED:
        return False
    found = accumulate(data.sets, as_matrices(data), state.settled_theta, state.noise)
    shift = float(found.score @ scaled_inverse(found.information) @ found.score)
    return bool(shift > state.numbers[5] * (n + DOUBT * np.sqrt(2.0 * n)) or found.squares.mean() > TOO_LARGE)


def recorded(found: solve.Fit, data: Data) -> Record:
    """A record that begins with the sets of a fit."""
    return record.of_fit(found, solve.block_scores(data, found))


def started(settings: Settings, state: State, found: solve.Fit, data: Data, safe: int = SAFE) -> State:
    """The filter as it starts from a fit of these sets."""
    kept = recorded(found, data)
    first = data if settings.keeps else data.part(0, 0)
    state = holding(emptied(state), first)
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
        shared=shared_tracker.blank(first),
        later=later_sets.blank(first.part(0, 0)),
        verdict=np.zeros_like(state.verdict),
        recent_sets=state.recent_sets[:0],
        recent_inputs=state.recent_inputs[:0],
    )


def explained(settings: Settings, state: State) -> State | None:
    """The filter as it starts from all sets that are kept, if one fit explains them without a change: its start was not safe after all.

    Of a long stream a sample is kept. It has not the power to dismiss a change that all sets show, unless it has about half of them, and shows
    none; else the fit must contradict where the filter stands as well.
    """
    first = len(state.held_sets) > 0
    data = held(state) if first else joined([state.later.sample, state.later.waiting])
    if not len(data):
        return None
    passes = in_memory(data)
    try:
        found = solve.fit(passes, settings.cap)
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return None
    factor = record.largest_factor(recorded(found, data))
    safe = is_safe(found, factor) and found.rival is None
    noisy = np.trace(found.noise) > NOISIER * np.trace(state.noise)
    if noisy or not safe or surely_changed(passes, found):
        return None
    if first:
        return started(settings, state, found, data)
    dense = state.later.stride <= DENSE and change_point(passes, found) is None
    return restarted(settings, state, found, data) if dense or contradicts(found, state, DIFFERENCE) else None


def restarted(settings: Settings, state: State, found: solve.Fit, data: Data) -> State:
    """The filter as it starts from a fit of a sample of its sets; it goes on with the sample that it keeps."""
    new = holding(started(settings, state, found, data), data.part(0, 0))
    return replace(new, later=later_sets.again(state.later, found.theta))


def time_of_change(state: State, found: solve.Fit) -> int:
    """After which set the new parameters explain the sets better than the old ones did."""
    recent = Data(state.recent_sets, state.recent_inputs, found.theta.shape[1])
    start = state.count - len(state.collected_sets) - len(recent)
    if not len(recent):
        return start
    old, new = (solve.misfits(recent, theta, found.noise) for theta in (state.settled_theta, found.theta))
    return start + int(np.argmin(np.concatenate([[0.0], np.cumsum(old - new)])))


def emptied(state: State) -> State:
    """The state without the sets that were collected."""
    return replace(state, collected_sets=state.collected_sets[:0], collected_inputs=state.collected_inputs[:0])


def holding(state: State, data: Data) -> State:
    """The state with these as its first sets."""
    return replace(state, held_sets=data.sets, held_inputs=data.inputs)
