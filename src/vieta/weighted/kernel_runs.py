"""Runs of the compiled filters over sets, for numbers and vectors, and what they need of a state and of what was asked for."""

from dataclasses import replace

import numpy as np

from vieta import excitation
from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.sums import WORK
from vieta.weighted import record
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.tracking_state import Settings, State

PIECE = 4096  # sets that go through at once, or fewer where that would take long
UPDATED = (
    "theta", "settled_theta", "information", "meat", "power", "noise", "window_score", "window_information", "numbers",
)  # fmt: skip


def track(settings: Settings, state: State, data: Data) -> tuple[State, int, int]:
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
        kept.sizes, limits(settings, new), settings.forgetting, _drift(settings, new), settings.cap, watch,
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


def limits(settings: Settings, state: State) -> Floats:
    """Where the blocks' comparisons speak of a change: nowhere where the parameters are said to move; an estimated walk is looked at again."""
    if settings.moves:
        return np.full(4, np.inf)
    return np.array([np.inf, np.inf, -1.0, -1.0] if state.walk.any() else record.limits(state.theta.size))


def _drift(settings: Settings, state: State) -> Floats:
    return np.diag(state.walk) if state.walk.any() else settings.drift


def _is_directional(settings: Settings, data: Data) -> bool:
    """Whether inputs may miss some directions and reach others, and that matters."""
    return settings.forgetting < 1.0 and data.inputs.ndim == 3


def until_window(settings: Settings, state: State, data: Data, at: int) -> int:
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
