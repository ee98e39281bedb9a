r"""Weighted filters on different streams of the same systems, made into one by their information.

With the information :math:`H_i`, the outer products of the scores :math:`M_i` and the parameters :math:`\theta_i` of each filter, rows
matched to those of one of them,

.. math:: H = \sum_i H_i, \qquad \theta = H^{-1} \sum_i H_i \theta_i, \qquad M = \sum_i M_i, \qquad P = \sum_i P_i ,

which is what one filter over all sets would have, to first order. The streams' noises must be independent of each other.

Filters of the same systems differ by their errors only. With their covariances :math:`C_i`, in the same order, and
:math:`\hat\theta = (\sum C_i^{-1})^{-1} \sum C_i^{-1}\theta_i`, the sum :math:`\sum_i (\theta_i - \hat\theta)'C_i^{-1}(\theta_i - \hat\theta)`
is a chi-square with (k - 1) L D degrees of freedom; beyond its quantile they are refused. A filter that still holds all of its sets
hands them on instead: their score at the parameters of the others is the test, :math:`g'(H_s + H_s C H_s)^{-1} g`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import InputError
from vieta.matching import block_index
from vieta.sets import Data, joined
from vieta.weighted import later_sets, record, tracker
from vieta.weighted.equations import accumulate
from vieta.weighted.first_sets import CONSTANT, SIZE
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.starting import is_doubted
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.tracking_state import CHANGES, SAFE, Settings, State, collected, held

AMBIGUOUS = 14.0  # chi-square by which another matching of the rows must be worse: odds of a thousand to one
NOISIER = 4.0  # times the noise variance, from which on sets are not explained by the parameters of the others


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One of the filters: its place among those that were given, from one on, its state, and the covariance (n, n) of its parameters.

    The covariance of a filter that holds all of its sets is not used. Of its state, which may be of another method, only the parameters are
    looked at by what tells whether filters agree.
    """

    place: int
    state: Any
    cov: Floats


class Past(NamedTuple):
    """What is known of the past of a filter: its record, its parameters (L, D), and its numbers (6,) of the window in progress."""

    record: Record
    theta: Floats
    numbers: Floats


def _joint_verdict(states: Sequence[State]) -> Floats:
    """The worst that the first sets of any filter said; the size of a missing constant belongs to its z-value."""
    worst = np.max([one.verdict for one in states], axis=0)
    worst[SIZE] = max(states, key=lambda one: float(one.verdict[CONSTANT])).verdict[SIZE]
    return np.asarray(worst)


def fused(settings: Settings, members: Sequence[Member], level: float) -> State:
    """One state from those of several filters; they are refused if the test says, at this level, that they contradict each other."""
    members = [one for one in members if one.state.count]
    for one in members:
        _require_still(settings, one)
    whole = [one for one in members if _all_sets(one.state) is None]
    if not whole:
        return _of_sets(settings, members, level)
    first = max(whole, key=lambda one: (one.state.count, -one.place))
    others = [first if one is first else _matched(one, first) for one in whole]
    require_agreement(others, level)
    state = joint([one.state for one in others])
    for one in members:
        data = _all_sets(one.state)
        if data is not None:
            _require_explained(state, data, one.place, level)
            state = tracker.advance(settings, state, data)
    return state


def _of_sets(settings: Settings, members: Sequence[Member], level: float) -> State:
    """Where all filters still hold their sets: the filter of all of these sets."""
    parts = [(one, _all_sets(one.state)) for one in members]
    data = [part for _, part in parts if part is not None]
    state = tracker.advance(settings, tracker.init(data[0].part(0, 0)), joined(data))
    if state.tracking:
        for one, part in parts:
            if part is not None and not state.shared.active:
                _require_explained(state, part, one.place, level)
    return state


def _all_sets(state: State) -> Data | None:
    """All sets of a filter, while it has them."""
    data = held(state) if state.tracking else collected(state)
    return data if len(data) == state.count else None


def _require_still(settings: Settings, one: Member) -> None:
    """Refuse a filter whose information about the parameters is not that of independent sets with constant parameters."""
    state = one.state
    if settings.drift.size or state.walk.any():
        raise InputError(
            "merge-moving",
            "filter {place} follows parameters that move, and so do the others: their errors are not independent, and their information does "
            "not add. Run one filter over all streams.",
            place=one.place,
        )
    if not state.tracking and _all_sets(state) is None:
        raise InputError(
            "merge-not-started",
            "filter {place} has not found its systems in {count:,} sets, and has nothing to be merged.",
            place=one.place,
            count=state.count,
        )
    if state.shared.active:
        raise InputError(
            "merge-shock",
            "filter {place} allows for noise that its systems share, and such filters cannot be merged. Run one filter over all streams, or "
            "make the filters with {option.shock:'none'} if the shock is small.",
            place=one.place,
        )
    if state.tracking and state.collecting and not state.shocked and is_doubted(state):
        raise InputError(
            "merge-in-doubt",
            "the latest sets of filter {place} contradict it: its parameters may just have changed. Give it more sets before it is merged.",
            place=one.place,
        )


def _matched(one: Member, first: Member) -> Member:
    """The filter with its rows in the order of those of the first."""
    order = matching_order(one, first)
    index = block_index(order, one.state.theta.shape[1])
    return Member(one.place, permuted(one.state, order), one.cov[np.ix_(index, index)])


def matching_order(one: Member, first: Member) -> Integers:
    """(L,) the rows of a filter in the order of those of the first; refused if another order would do nearly as well."""
    theta = one.state.theta
    order = _likeliest_order(one, first)
    best = _gap(one, first, order)
    for a, b in combinations(range(len(theta)), 2):
        other = order.copy()
        other[[a, b]] = order[[b, a]]
        if _gap(one, first, other) < best + AMBIGUOUS:
            raise InputError(
                "merge-ambiguous",
                "systems {a} and {b} of filter {place} are too close for their errors to tell which of them is which in filter {other}. "
                "More sets tell them apart; or run one filter over all streams.",
                a=1 + a,
                b=1 + b,
                place=one.place,
                other=first.place,
            )
    return order


def _likeliest_order(one: Member, first: Member) -> Integers:
    """(L,) the order of the rows with the smallest sum of squared distances, each in units of its own error."""
    from scipy.optimize import linear_sum_assignment

    L, D = first.state.theta.shape
    cost = np.empty((L, L))
    own, others = (member.cov.reshape(L, D, L, D) for member in (first, one))
    for a in range(L):
        for b in range(L):
            gap = one.state.theta[b] - first.state.theta[a]
            cost[a, b] = gap @ scaled_inverse(own[a, :, a] + others[b, :, b]) @ gap
    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


def _gap(one: Member, first: Member, order: Integers) -> float:
    """The chi-square of two filters, with the rows of one in an order."""
    index = block_index(order, one.state.theta.shape[1])
    gap = (one.state.theta[order] - first.state.theta).ravel()
    return float(gap @ scaled_inverse(one.cov[np.ix_(index, index)] + first.cov) @ gap)


def require_agreement(members: Sequence[Member], level: float) -> None:
    """Refuse filters, in matched order, that differ by more than their errors; the message names the one that is farthest off."""
    if len(members) < 2:
        return
    weights = [scaled_inverse(one.cov) for one in members]
    thetas = [one.state.theta.ravel() for one in members]
    centre = scaled_inverse(sum(weights[1:], weights[0])) @ sum(
        (W @ theta for W, theta in zip(weights, thetas, strict=True)), np.zeros_like(thetas[0])
    )
    off = [float((theta - centre) @ W @ (theta - centre)) for W, theta in zip(weights, thetas, strict=True)]
    freedom = (len(members) - 1) * centre.size
    if not sum(off) <= quantile(freedom, level):
        raise contradiction(members[int(np.argmax(off))].place, sum(off), freedom, level)


def _require_explained(state: State, data: Data, place: int, level: float) -> None:
    """Refuse sets whose score at the parameters of a filter, or whose residuals, chance would not make."""
    found = accumulate(data.sets, as_matrices(data), state.theta, state.noise)
    inverse = scaled_inverse(state.information)
    spread = found.information + found.information @ inverse @ state.meat @ inverse @ found.information
    shift = float(found.score @ scaled_inverse(spread) @ found.score) / max(state.numbers[5], 1.0)
    if not (shift <= quantile(state.theta.size, level) and found.squares.mean() < NOISIER):
        raise contradiction(place, shift, state.theta.size, level)


def quantile(freedom: int, level: float) -> float:
    """The chi-square that is exceeded with this probability."""
    from scipy.special import chdtri

    return float(chdtri(freedom, level))


def contradiction(place: int, statistic: float, freedom: int, level: float) -> InputError:
    """The error for filters that contradict each other, the one at this place above all."""
    return InputError(
        "merge-contradiction",
        "the filters contradict each other, filter {place} above all: their distances are a chi-square of {statistic:.4g} with {freedom} "
        "degrees of freedom, and filters of the same systems stay below {limit:.4g} but for {level:g} of the times. Are they of the same "
        "systems, in the same units?",
        place=place,
        statistic=statistic,
        freedom=freedom,
        limit=quantile(freedom, level),
        level=level,
    )


def permuted(state: State, order: Integers) -> State:
    """The state of a running filter with its systems in another order, in all that `joint` reads."""
    index = block_index(order, state.theta.shape[1])
    square = np.ix_(index, index)
    return replace(
        state,
        theta=state.theta[order],
        shift=state.shift[order],
        information=state.information[square],
        meat=state.meat[square],
        record=permuted_record(state.record, order),
    )


def permuted_record(kept: Record, order: Integers) -> Record:
    """The record of a filter with its systems in another order."""
    index = block_index(order, kept.reference.shape[1])
    square, n = np.ix_(index, index), len(index)
    wide = np.append(index, n)  # with the covariance of the noises, which has no order
    rows = np.concatenate([wide, n + 1 + wide, [2 * n + 2]])
    full = np.array([_whole(block) for block in (kept.current, *kept.blocks)])[:, rows][:, :, wide]
    contrasts = np.array([_symmetric(one)[square] for one in kept.contrasts])
    return replace(
        kept,
        reference=kept.reference[order],
        current=full[0],
        blocks=full[1:],
        levels=kept.levels[:, index],
        contrasts=contrasts,
    )


def _symmetric(lower: Floats) -> Floats:
    """The symmetric matrix of which the lower triangle counts."""
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def _whole(block: Floats) -> Floats:
    """A block of a record (2 n + 3, n + 1) with both of its matrices in full."""
    n = block.shape[1] - 1
    return np.concatenate([_symmetric(block[: n + 1]), _symmetric(block[n + 1 : 2 * n + 2]), block[2 * n + 2 :]])


def joint(states: Sequence[State]) -> State:
    """The fused state of running filters whose rows are in one order; it is at the beginning of a window and of a block."""
    first = states[0]
    H, M, P = (
        sum((getattr(one, name) for one in states[1:]), getattr(first, name))
        for name in ("information", "meat", "power")
    )
    pooled = sum((one.information @ one.theta.ravel() for one in states), np.zeros(first.theta.size))
    theta = (scaled_inverse(H) @ pooled).reshape(first.theta.shape)
    weight = sum(one.numbers[0] for one in states)
    kept = joint_record([Past(one.record, one.theta, one.numbers) for one in states], theta, H, M)
    latest = max(states, key=lambda one: one.count)
    return replace(
        latest,
        count=sum(one.count for one in states),
        collecting=0,
        shocked=0,
        safe=SAFE if SAFE in {one.safe for one in states} else max(one.safe for one in states),
        alarms=max(one.alarms for one in states),
        theta=theta,
        settled_theta=theta,
        information=H,
        meat=M,
        power=P,
        noise=P / (weight * len(theta)),
        window_score=np.zeros(theta.size),
        window_information=np.zeros_like(H),
        numbers=np.array([weight, 0.0, 0.0, 0.0, 0.0, record.largest_factor(kept)]),
        record=kept,
        later=later_sets.blank(held(latest).part(0, 0)),
        verdict=_joint_verdict(states),
        changes=np.sort(np.concatenate([one.changes for one in states]))[-CHANGES:].astype(np.int64),
        **{name: getattr(latest, name)[:0] for name in EMPTIED},
    )


EMPTIED = ("held_sets", "held_inputs", "collected_sets", "collected_inputs", "recent_sets", "recent_inputs")


def joint_record(states: Sequence[Past], theta: Floats, information: Floats, meat: Floats) -> Record:
    r"""A record with the past of all filters as its first block, of which the score at the fused parameters is zero."""
    from vieta.weighted import block_kernel as kernel

    new, n = record.blank(*theta.shape), theta.size
    block = new.blocks[0]
    for one in states:
        kept = one.record
        sums = kept.blocks[: kept.n_blocks].sum(axis=0)
        cross = sums[n] + kept.current[n]
        block[n] += cross
        block[2 * n + 1] += sums[2 * n + 1] + kept.current[2 * n + 1]
        moved = (
            cross[:n] @ (theta - kept.reference).ravel() - kept.current[n, :n] @ (one.theta - kept.reference).ravel()
        )
        block[2 * n + 2, n] += sums[2 * n + 2, n] + kept.current[2 * n + 2, n] - moved
        inside = one.numbers[1:5]
        new.sizes[0] += kept.sizes[: kept.n_blocks].sum(axis=0) + kept.tally[:2] + inside[:2]
        new.tally[kernel.LAG] += kept.tally[kernel.LAG] + inside[2]
        new.tally[kernel.LAG_SQUARES] += kept.tally[kernel.LAG_SQUARES] + inside[3]
        new.tally[kernel.BATCHES] += kept.tally[kernel.BATCHES]
    block[:n, :n], block[n + 1 : 2 * n + 1, :n] = information, meat
    own = np.diag(meat)
    new.levels[kernel.WEIGHTS] = np.where(own > 0.0, new.sizes[0, 0] / np.where(own > 0.0, own, 1.0), 0.0)
    new.levels[kernel.ENTRY] = theta.ravel()
    _join_batches(new, [one.record for one in states])
    new.contrasts[-1], new.contrasts[-2] = meat, meat
    new.tally[kernel.BLOCKS :] = 1.0, new.sizes[0, 0], new.sizes[0, 0]
    return replace(new, reference=theta.copy())


def _join_batches(new: Record, records: Sequence[Record]) -> None:
    """Add the contrasts of neighbouring batches, which exist within a stream only, as if there were as many pairs as in one stream."""
    from vieta.weighted import block_kernel as kernel

    total = int(new.tally[kernel.BATCHES])
    counts = [int(one.tally[kernel.BATCHES]) for one in records]
    for level in range(len(new.contrasts) - 2):
        pairs, wanted = sum(count >> (level + 1) for count in counts), total >> (level + 1)
        if pairs:
            new.contrasts[level] = sum(one.contrasts[level] for one in records) * (wanted / pairs)
        elif wanted:
            new.contrasts[level] = new.contrasts[level - 1] * (2.0 * wanted / (total >> level))
        if (total >> level) % 2:  # a batch that waits for its neighbour
            waiting = [one.levels[kernel.HELD + level] for one, count in zip(records, counts) if (count >> level) % 2]
            new.levels[kernel.HELD + level] = waiting[0] if waiting else 0.0
