r"""Filters of incomplete sets on different streams of the same systems, made into one by their information.

With rows matched, and the covariances :math:`C_i` of the parameters of each filter, by its own noise law, rates and memory,

.. math:: \theta = \Bigl(\sum_i C_i^{-1}\Bigr)^{-1} \sum_i C_i^{-1} \theta_i, \qquad \mathrm{Cov}\,\theta = \Bigl(\sum_i C_i^{-1}\Bigr)^{-1} .

Filters of the same systems differ by their errors only, which is tested as in `vieta.weighted.fused_state`. The rest need not be alike, as
one stream may be noisier than another; what is merged is what one filter over all sets would find on average. With the N sets of a
filter and the number S of readings of a system in them,

.. math:: \sigma_l^2 = \frac{\sum_i S_{il} \sigma_{il}^2}{\sum_i S_{il}}, \qquad p_l = \frac{\sum_i N_i p_{il}}{\sum_i N_i}, \qquad
    \Lambda = \frac{\sum_i N_i \Lambda_i}{\sum_i N_i} .

The noise law is the average of laws of one kind, by their readings, and otherwise that of the filter with most sets. False readings are
counted again in bins over the range of all. Sums add.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vieta.adaptive import stream_scoring, stream_state
from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.adaptive.stream_examination import Examination
from vieta.adaptive.stream_scoring import Settings
from vieta.adaptive.stream_state import CHANGES, State, model_of
from vieta.arrays import Floats, Integers
from vieta.errors import InputError
from vieta.matching import block_index
from vieta.sets import Data, joined
from vieta.weighted.fused_state import (
    Member,
    Past,
    contradiction,
    joint_record,
    matching_order,
    permuted_record,
    quantile,
    require_agreement,
)
from vieta.weighted.record import Record
from vieta.weighted.scaled_inverse import scaled_inverse

Advance = Callable[[State, Data], State]


def fused(settings: Settings, like: Data, states: Sequence[State], level: float, advance: Advance) -> State:
    """One state from those of several filters; they are refused if the test says, at this level, that they contradict each other.

    Filters that hold all of their sets hand them on to `advance`, and so do the others with those of a block that is not complete.
    """
    given = [(place, one) for place, one in enumerate(states, 1) if one.count]
    for place, one in given:
        _require_still(settings, one, place)
    young = [(place, stream_state.held(one, like)) for place, one in given if _holds_all(one)]
    whole = [Member(place, one, _cov(settings, one)) for place, one in given if not _holds_all(one)]
    if not whole:
        return _of_sets(settings, like, young, level, advance)
    first = max(whole, key=lambda one: (one.state.count, -one.place))
    matched = [first if one is first else _matched(one, first) for one in whole]
    require_agreement(matched, level)
    state = joint(settings, matched)
    for place, data in young:
        _require_explained(settings, state, data, place, level)
    left = [_unfolded(settings, one, like) for one in (member.state for member in whole)]
    for data in (*left, *(data for _, data in young)):
        state = advance(state, data)
    return state


def _of_sets(
    settings: Settings, like: Data, young: Sequence[tuple[int, Data]], level: float, advance: Advance
) -> State:
    """Where all filters still hold their sets: the filter of all of these sets."""
    if not young:
        return stream_state.init(like)
    state = advance(stream_state.init(like), joined([data for _, data in young]))
    if state.running and len(young) > 1:
        for place, data in young:
            _require_explained(settings, state, data, place, level)
    return state


def _holds_all(state: State) -> bool:
    return state.count == len(state.held_sizes)


def _unfolded(settings: Settings, state: State, like: Data) -> Data:
    """The sets of the block that is not complete."""
    data = stream_state.held(state, like)
    return data.part(len(data) - len(data) % settings.block, len(data))


def _require_still(settings: Settings, state: State, place: int) -> None:
    """Refuse a filter whose information about the parameters is not that of sets with constant parameters, or that is in doubt."""
    if settings.drift.size or settings.wanders or state.walk.any():
        raise InputError(
            "merge-moving",
            "filter {place} follows parameters that move, and so do the others: their errors are not independent, and their information does "
            "not add. Run one filter over all streams.",
            place=place,
        )
    if not state.running and not _holds_all(state):
        raise InputError(
            "merge-not-started",
            "filter {place} has not found its systems in {count:,} sets, and has nothing to be merged.",
            place=place,
            count=state.count,
        )
    if state.running and (state.collecting or state.doubted):
        raise InputError(
            "merge-in-doubt",
            "the latest sets of filter {place} contradict it: its parameters may just have changed. Give it more sets before it is merged.",
            place=place,
        )


def _factors(state: State, everything: Floats) -> Floats:
    """(n,) by which memory over time makes variances grow, in all."""
    return np.maximum(stream_scoring.memory_factors(state, everything), state.factor**2)


def _cov(settings: Settings, state: State) -> Floats:
    """(n, n) the covariance of the parameters, with what memory over time makes of it."""
    everything, cov = stream_scoring.covariance(settings, state)
    grown = np.sqrt(_factors(state, everything)) / state.factor
    return np.asarray(cov * grown[:, None] * grown)


def _matched(one: Member, first: Member) -> Member:
    """The filter with its rows in the order of those of the first."""
    order = matching_order(one, first)
    index = block_index(order, one.state.theta.shape[1])
    return Member(one.place, permuted(one.state, order), one.cov[np.ix_(index, index)])


def permuted(state: State, order: Integers) -> State:
    """The state of a running filter with its systems in another order."""
    (L, D), n = state.theta.shape, state.theta.size
    index = block_index(order, D)
    every = np.concatenate([index, n + order, n + L + order, [n + 2 * L]])
    last = np.append(order, L)
    return replace(
        state,
        **{name: getattr(state, name)[order] for name in ("theta", "sd", "detection", "seen")},
        **{name: getattr(state, name)[last] for name in ("usual", "recent", "known")},
        **{name: getattr(state, name)[np.ix_(every, every)] for name in ("information", "meat")},
        correction=state.correction[np.ix_(index, index)],
        walk=state.walk[index],
        record=permuted_record(state.record, order),
    )


def joint(settings: Settings, members: Sequence[Member]) -> State:
    """The fused state of running filters whose rows are in one order, without the sets of blocks that are not complete."""
    states: list[State] = [one.state for one in members]
    inverses = [scaled_inverse(one.cov) for one in members]
    cov = scaled_inverse(np.sum(inverses, axis=0))
    pooled = np.sum([W @ one.theta.ravel() for W, one in zip(inverses, states, strict=True)], axis=0)
    theta = (cov @ pooled).reshape(states[0].theta.shape)
    latest = max(states, key=lambda one: one.count)
    model = joint_model(states, theta)
    free = np.max([one.free for one in states], axis=0)
    new = replace(
        stream_state.with_model(latest, model),
        count=sum(one.count - len(one.held_sizes) % settings.block for one in states),
        collecting=0,
        examining=0,
        refining=0,
        doubted=0,
        safe=max(one.safe for one in states),
        alarms=max(one.alarms for one in states),
        since=max(one.since for one in states),
        free=free,
        weight=sum(one.weight for one in states),
        information=np.sum([one.information + _certain(one, free) for one in states], axis=0),
        meat=np.sum([one.meat + _certain(one, free) for one in states], axis=0),
        gram=np.sum([one.gram for one in states], axis=0),
        seen=np.sum([one.seen for one in states], axis=0),
        histogram=np.sum([one.histogram for one in _alike(states)], axis=0),
        moments=np.sum([_rewhitened(one, model) for one in states], axis=0),
        false=np.ascontiguousarray(_recounted(states, model.clutter).T),
        correction=np.eye(theta.size),
        dof=float(_mean(states, "dof")),
        carrying=float(_mean(states, "carrying")),
        usual=_mean(states, "usual"),
        recent=_mean(states, "recent"),
        known=np.max([one.known for one in states], axis=0),
        suspect=max((one.suspect for one in states), key=lambda one: float(one[-1])),
        record=latest.record if settings.tracks else _record(states, theta),
        examined=joint_examination([one.examined for one in states]),
        held_readings=latest.held_readings[:0],
        held_sizes=latest.held_sizes[:0],
        held_inputs=latest.held_inputs[:0],
        changes=np.sort(np.concatenate([one.changes for one in states]))[-CHANGES:].astype(np.int64),
    )
    growth = [_factors(one, stream_scoring.covariance(settings, one)[0]).max() for one in states]
    _, plain_cov = stream_scoring.covariance(settings, new)
    return replace(new, correction=stream_scoring.correction(cov, plain_cov), factor=float(np.sqrt(max(growth))))


def _mean(states: Sequence[State], name: str) -> Floats:
    """The mean of something, by the numbers of sets."""
    weights = [one.weight for one in states]
    return np.asarray(np.average([getattr(one, name) for one in states], axis=0, weights=weights))


def _certain(state: State, free: Integers) -> Floats:
    """(m, m) the information about being seen, and about false readings, of a filter to which both were certain, where they no longer are."""
    n, L = state.theta.size, len(state.theta)
    own = np.zeros(len(state.information))
    if free[1] and not state.free[1]:
        own[n + L : n + 2 * L] = state.weight * state.detection * (1.0 - state.detection)
    if free[2] and not state.free[2]:
        own[-1] = state.weight * state.rate
    return np.diag(own)


def joint_model(states: Sequence[State], theta: Floats) -> SetModel:
    """The model with these parameters, and with what is the mean of the filters' otherwise."""
    models = [model_of(one) for one in states]
    seen = np.maximum([one.seen for one in states], 1e-9)
    variances = np.average([model.noise_sd**2 for model in models], axis=0, weights=seen)
    shape = np.average([model.shape for model in models], axis=0, weights=seen.sum(axis=1))
    alike = _alike(states)
    law = model_of(alike[0]).law
    if law.weights is not None:
        own = [one.seen.sum() for one in alike]
        weights = np.average([one.law_weights for one in alike], axis=0, weights=own)
        law = replace(law, weights=weights / weights.sum())
    clutter = _range(models)
    false = _recounted(states, clutter)
    return SetModel(
        theta,
        np.sqrt(variances / law.variance),
        np.asarray(shape),
        np.clip(_mean(states, "detection"), LEAST, MOST_SEEN),
        max(float(_mean(states, "rate")), LEAST),
        clutter.learned(false) if any(one.free[2] for one in states) else clutter,
        law,
    )


def _alike(states: Sequence[State]) -> list[State]:
    """The filters with a noise law of the kind that the one with most sets has, which comes first."""
    first = max(states, key=lambda one: one.count)
    rest = [one for one in states if one is not first and (one.law, one.law_width) == (first.law, first.law_width)]
    return [first, *rest]


def _range(models: Sequence[SetModel]) -> ClutterDensity:
    """A flat density of false readings over the range of all."""
    bins = max(model.clutter.heights.shape[1] for model in models)
    low = np.min([model.clutter.low for model in models], axis=0)
    high = np.max([one.low + one.width * one.heights.shape[1] for one in (model.clutter for model in models)], axis=0)
    width = (high - low) / bins
    return ClutterDensity(low, width, np.repeat(1.0 / (bins * width)[:, None], bins, axis=1))


def _recounted(states: Sequence[State], density: ClutterDensity) -> Floats:
    """(p, B) the false readings of all filters in the bins of a density."""
    found = np.zeros_like(density.heights)
    for one in states:
        found += rebinned(one.false.T, model_of(one).clutter, density)
    return found


def rebinned(counts: Floats, old: ClutterDensity, new: ClutterDensity) -> Floats:
    """(p, B') counts (p, B) in the bins of a density, in those of another, each spread evenly over its bin.

    >>> old = ClutterDensity(np.zeros(1), np.ones(1), np.ones((1, 2)))
    >>> new = ClutterDensity(np.zeros(1), np.full(1, 0.5), np.ones((1, 4)))
    >>> rebinned(np.array([[2.0, 4.0]]), old, new)
    array([[1., 1., 2., 2.]])
    """
    found = np.empty_like(new.heights)
    for q, own in enumerate(counts):
        edges = [one.low[q] + one.width[q] * np.arange(one.heights.shape[1] + 1) for one in (old, new)]
        edges[1][[0, -1]] = min(edges[1][0], edges[0][0]), max(edges[1][-1], edges[0][-1])
        below = np.concatenate([[0.0], np.cumsum(own)])
        found[q] = np.diff(np.interp(edges[1], edges[0], below))
    return found


def _rewhitened(state: State, model: SetModel) -> Floats:
    """(p, p) the products of residuals, as the noise of another model whitens them."""
    change = model.whitening[0] @ np.linalg.inv(model_of(state).whitening[0])
    return np.asarray(change @ state.moments @ change.T)


def _record(states: Sequence[State], theta: Floats) -> Record:
    """The past of all filters, in one block."""
    n = theta.size
    sums = [one.record.blocks[: one.record.n_blocks].sum(axis=0) + one.record.current for one in states]
    H, M = (np.sum([_full(one[a : a + n, :n]) for one in sums], axis=0) for a in (0, n + 1))
    return joint_record([Past(one.record, one.theta, np.zeros(6)) for one in states], theta, H, M)


def _full(lower: Floats) -> Floats:
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def joint_examination(parts: Sequence[Examination]) -> Examination:
    """What the stretches of all filters say about what is assumed, and what a fit of any of them reported."""
    verdict = np.array(
        [max(rows, key=lambda row: row[0]) for rows in zip(*(one.verdict for one in parts), strict=True)]
    )
    return Examination(
        sum(one.count for one in parts),
        np.max([one.varied for one in parts], axis=0),
        np.sum([one.totals for one in parts], axis=0),
        np.sum([one.products for one in parts], axis=0),
        sum(one.beyond for one in parts),
        np.sum([one.lasts for one in parts], axis=0),
        verdict,
    )


def _require_explained(settings: Settings, state: State, data: Data, place: int, level: float) -> None:
    r"""Refuse sets whose score at the parameters of a filter chance would not make: :math:`g'(H_s + H_s C H_s)^{-1} g` is a chi-square."""
    scores, H = stream_scoring.efficient(state, stream_scoring.summed(state, data)[2])
    total, cov = scores.sum(axis=0), _cov(settings, state)
    shift = float(total @ scaled_inverse(H + H @ cov @ H) @ total) / state.factor**2
    if not shift <= quantile(state.theta.size, level):
        raise contradiction(place, shift, state.theta.size, level)
