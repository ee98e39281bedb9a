r"""A filter's record where the systems share a shock: blocks of scores in units of what the estimate's own errors make of them.

With the covariance :math:`V/N` of the estimate at the start, the influence :math:`i_k` of a set has the score :math:`u_k = N V^{-1} i_k` and
the information :math:`V^{-1}`. Blocks of them are compared as those without a shock are (`block_kernel`).
"""

from dataclasses import replace

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.weighted import record, shared_tracker
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.shared_tracker import BLOCK, SharedState
from vieta.weighted.shock_fit import SharedFit


def begun(state: SharedState, found: SharedFit, data: Data) -> Record:
    """A record that begins with the sets of the fit."""
    scores = state.n_sets * found.influences(data) @ state.unit
    N = state.n_sets
    return record.of_scores(state.theta, N * state.unit, np.asarray(scores.T @ scores), float(N), scores)


def with_block(old: Record, before: SharedState, scores: Floats, limits: Floats) -> tuple[Record, bool]:
    """The record with a block of `BLOCK` scores (n, L D) more, taken at the state before it; and whether its blocks speak of a change."""
    from vieta.weighted import block_kernel as kernel

    new = record.copied(old, BLOCK)
    n = scores.shape[1]
    meat = np.asarray(new.contrasts[-1] + scores.T @ scores)
    record.add_batches(new, scores)
    new.current[:n, :n] = BLOCK * before.unit
    gap = (before.theta - new.reference).ravel()
    new.current[2 * n + 2, :n] = scores.sum(axis=0) + BLOCK * (before.unit @ gap)
    new.tally[kernel.IN_BLOCK] = BLOCK
    new.tally[kernel.SQUARES] = float(np.einsum("ki,ij,kj->", scores, scaled_inverse(before.unit), scores)) / n
    changed = kernel.close_block(
        new.current, meat, 1.0, new.reference, new.blocks, new.sizes, new.tally, new.levels, new.contrasts, limits
    )
    return new, bool(changed)


def surprises(state: SharedState, scores: Floats, factor: float) -> bool:
    """Whether a block's scores add up to a shift that chance would not make (`tracking_kernel.close_window`)."""
    from vieta.weighted.tracking_kernel import SURPRISE

    n, total = scores.shape[1], scores.sum(axis=0)
    shift = float(total @ scaled_inverse(state.unit) @ total) / len(scores)
    return bool(shift > SURPRISE * factor * (n + 6.0 * np.sqrt(2.0 * n)))


def track(state: SharedState, kept: Record, data: Data, limits: Floats) -> tuple[SharedState, Record, int]:
    """Take in sets up to the end of a block at the most; and why it stopped: `tracking_kernel.GOES_ON` and the like."""
    from vieta.weighted.tracking_kernel import CHANGED, GOES_ON, SURPRISED

    state = shared_tracker.waited(state, data)
    if len(state.pending_sets) < BLOCK:
        return state, kept, GOES_ON
    new, scores = shared_tracker.absorbed(state, state.pending)
    factor = record.largest_factor(kept)
    kept, changed = with_block(kept, state, scores, limits)
    new = replace(new, pending_sets=new.pending_sets[:0], pending_inputs=new.pending_inputs[:0])
    surprised = surprises(state, scores, factor)
    return new, kept, SURPRISED if surprised else CHANGED if changed else GOES_ON
