r"""Scoring on a stream: a block of sets moves the model by its scores, in units of the information of all sets so far.

.. math:: H \leftarrow f^b H + \sum g g', \qquad \vartheta \leftarrow \vartheta + (H + \varepsilon H_c)^{-1} \sum g ,

g the scores of the b sets of a block at the parameters before it, f the forgetting, and :math:`H_c` a labeled information as in
`vieta.adaptive.set_sums`, of which a little keeps a system without readings where it is. A drift Q makes, before a block,
:math:`H \leftarrow (H^{-1} + b Q)^{-1}`, and so does a random walk that was estimated (`vieta.adaptive.stream_changes`). What moves by EM (the
law's weights, the density of false readings, the shape of the noise) is renewed from its running sums after every `RENEWED` sets. Scores of
deviations and probabilities are kept for each system; where one is common, they are added up.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST
from vieta.adaptive.set_errors import inverted
from vieta.adaptive.set_model import LEAST, SetModel, states_of
from vieta.adaptive.set_sums import MOST_SEEN, Free, SetSums, learned, moved
from vieta.adaptive.sieve import FARTHEST, STEPS, points
from vieta.adaptive.stream_past import added
from vieta.adaptive.stream_state import State, free_of, model_of, with_model
from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.weighted.record import memory
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.weighted_engine import MATTERS, SURE

BLOCK, FEWEST, OF_WALK = 128, 8, 16  # sets that are absorbed together, at the most, at the least, and under a drift
OF_MEMORY = 8.0  # blocks to a memory
RIDGE = 0.01
RENEWED = 1024  # sets after which law and densities are renewed; a multiple of any block
NOISE = 1e-6  # of the range of the readings, below which there is none
LATELY = 1.0 / 128.0  # weight of a set in what was seen of late


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What the filter was asked to do.

    Attributes
    ----------
    forgetting : float
        Factor by which a set's weight decays with each further set; 1 for constant parameters.
    drift : (L D, L D)
        Covariance that the parameters' random walk adds at each set, diagonal; empty for none.
    misses, clutter : bool, optional
        Whether there are any, if that is decided.
    wanders : bool
        Whether any change that the past speaks of is taken for a random walk, whose variance is then estimated.
    """

    forgetting: float = 1.0
    drift: Floats = field(default_factory=lambda: np.empty((0, 0)))
    misses: bool | None = None
    clutter: bool | None = None
    wanders: bool = False

    @property
    def tracks(self) -> bool:
        """Whether old sets count for less than new ones."""
        return self.forgetting < 1.0 or bool(self.drift.size)

    @property
    def block(self) -> int:
        """How many sets are absorbed together: a power of two.

        >>> Settings().block, Settings(1.0 - 1.0 / 300.0).block
        (128, 32)
        """
        most = float(OF_WALK) if self.drift.size or self.wanders else float(BLOCK)
        if self.forgetting < 1.0:
            most = min(most, 1.0 / (1.0 - self.forgetting) / OF_MEMORY)
        size = FEWEST
        while 2 * size <= most:
            size *= 2
        return size


@cache
def sharing(n_systems: int, dim: int, free: Free) -> Floats:
    """(m, r) directions of what is estimated among all parameters, each system's own.

    >>> sharing(2, 1, Free("common", "none", True)).T
    array([[1., 0., 0., 0., 0., 0., 0.],
           [0., 1., 0., 0., 0., 0., 0.],
           [0., 0., 1., 1., 0., 0., 0.],
           [0., 0., 0., 0., 0., 0., 1.]])
    """
    n = n_systems * dim
    m = n + 2 * n_systems + 1
    kinds = {
        "none": np.zeros((n_systems, 0)),
        "common": np.ones((n_systems, 1)),
        "own": np.eye(n_systems),
    }
    parts = [np.eye(n), kinds[free.sd], kinds[free.detection], np.ones((1, int(free.rate)))]
    found, row, column = np.zeros((m, sum(one.shape[1] for one in parts))), 0, 0
    for one in parts:
        found[row : row + len(one), column : column + one.shape[1]] = one
        row, column = row + len(one), column + one.shape[1]
    found.flags.writeable = False
    return found


def fold(settings: Settings, state: State, block: Data) -> State:
    """The state after a block of sets."""
    state = faded(settings, opened(settings, state, block), len(block))
    state, slope, scores = summed(state, block)
    if settings.tracks:
        return stepped(state, slope)
    kept, changed = added(state.record, state.theta, *efficient(state, scores), walks=bool(state.walk.any()))
    return stepped(state, slope, record=kept, doubted=int(changed))


def efficient(state: State, scores: Floats) -> tuple[Floats, Floats]:
    r"""Scores (N, L D) of :math:`\theta` from scores (N, m), without what other parameters explain, and the sum (L D, L D) of their products.

    :math:`g_\theta - H_{\theta\nu} H_{\nu\nu}^{-1} g_\nu`, H the information so far.
    """
    n, T = state.theta.size, sharing(*state.theta.shape, free_of(state))
    H, g = T.T @ state.information @ T, scores @ T
    scale = np.sqrt(np.maximum(np.diag(H)[n:], 1e-300))
    unit = H[n:, n:] / (scale[:, None] * scale) + 1e-9 * np.eye(len(scale))
    found = g[:, :n] - g[:, n:] @ (np.linalg.solve(unit, H[n:, :n] / scale[:, None]) / scale[:, None])
    return found, found.T @ found


def faded(settings: Settings, state: State, n: int) -> State:
    """The state whose sums have faded over n sets, and whose parameters may have walked."""
    drift = np.diag(state.walk) if state.walk.any() else settings.drift
    if drift.size:
        state = replace(state, information=walked(state.information, n * drift))
    return shrunk(state, settings.forgetting**n)


def shrunk(state: State, f: float) -> State:
    """The state whose sums are f times as large, those of outer products by the square of it."""
    if f == 1.0:
        return state
    return replace(
        state,
        weight=f * state.weight,
        information=f * state.information,
        meat=f * f * state.meat,
        gram=f * state.gram,
        seen=f * state.seen,
        histogram=f * state.histogram,
        moments=f * state.moments,
        false=f * state.false,
    )


def walked(H: Floats, Q: Floats) -> Floats:
    r""":math:`(H^{-1} + Q)^{-1} = H - H_\theta' (Q^{-1} + H_{\theta\theta})^{-1} H_\theta` for a walk Q of the first parameters, diagonal.

    >>> walked(np.diag([1.0, 2.0]), np.array([[1.0]]))
    array([[0.5, 0. ],
           [0. , 2. ]])
    """
    n = len(Q)
    root = np.sqrt(np.diag(Q))
    rows = root[:, None] * H[:n]
    inner = np.eye(n) + rows[:, :n] * root
    found = H - rows.T @ np.linalg.solve(inner, rows)
    return np.asarray(0.5 * (found + found.T))


def summed(state: State, block: Data) -> tuple[State, Floats, Floats]:
    """The state with the sums of a block added, the sum (m,) of its scores, and the scores (N, m)."""
    from vieta.adaptive.stream_kernel import absorb_sets

    model = model_of(state)
    readings, offsets = block.flat
    W, log_volume = model.whitening
    value, slope = (points()[:2], points()[:2]) if model.law.is_normal else model.law.table
    m = len(state.information)
    total, products = np.zeros(m), np.zeros((m, m))
    seen, histogram, moments = state.seen.copy(), state.histogram.copy(), state.moments.copy()
    false, gram, recent = plain(state.false.T.copy()), state.gram.copy(), state.recent.copy()
    scores = np.empty((len(block), m))
    absorb_sets(
        plain(readings), offsets, plain(as_matrices(block)), model.theta, model.sd, plain(W), log_volume, model.detection,
        model.rate, model.clutter.low, model.clutter.width, plain(np.log(model.clutter.heights)), value, slope,
        model.law.is_normal, FARTHEST, float(STEPS), states_of(len(model.theta)), LATELY, total, products, seen,
        histogram, moments, false, gram, recent, scores,
    )  # fmt: skip
    new = replace(
        state,
        weight=state.weight + len(block),
        information=state.information + products,
        meat=state.meat + products,
        seen=seen,
        histogram=histogram,
        moments=moments,
        false=plain(false.T),
        gram=gram,
        recent=recent,
    )
    return new, total, scores


def stepped(state: State, slope: Floats, **also: Any) -> State:
    """The state whose model has moved by the scores (m,) of a block; and with what else is to be replaced in it."""
    model, free = model_of(state), free_of(state)
    T = sharing(*model.theta.shape, free)
    H = T.T @ (state.information + np.diag(RIDGE * labeled(state, model))) @ T
    scale = np.sqrt(np.maximum(np.diag(H), 1e-300))
    unit = H / (scale[:, None] * scale) + 1e-12 * np.eye(len(H))
    step = np.linalg.solve(unit, (T.T @ slope) / scale) / scale
    there = moved(model, step, free)
    return replace(
        state,
        theta=there.theta,
        sd=np.maximum(there.sd, SMALLEST * model.clutter.extent),
        detection=there.detection,
        rate=float(there.rate),
        **also,
    )


def labeled(state: State, model: SetModel) -> Floats:
    """(m,) about the information of labeled readings, parameter by parameter."""
    spread = np.maximum(model.detection * (1.0 - model.detection), 1e-4)
    return np.concatenate(
        [
            (np.diag(state.gram) / model.sd[:, None] ** 2).ravel(),
            2.0 * len(model.shape) * np.maximum(state.seen, 1.0),
            state.weight * spread,
            [max(state.weight * model.rate, 1.0)],
        ]
    )


def opened(settings: Settings, state: State, block: Data) -> State:
    """The state with misses or false readings made possible, where it was left open and a block has the first of them."""
    sizes, L = block.sizes, len(state.theta)
    above, below = float(np.maximum(sizes - L, 0).sum()), float(np.maximum(L - sizes, 0).sum())
    free = state.free.copy()
    if above and not free[2] and settings.clutter is None:
        free[2] = 1
        state = replace(state, free=free, rate=max(above / (state.weight + len(block)), LEAST))
    if (below or free[2]) and not free[1] and settings.misses is None:
        free[1] = 1
        lost = max(below, 1.0) / (L * (state.weight + len(block)))
        state = replace(state, free=free, detection=np.full(L, min(1.0 - lost, MOST_SEEN)))
    return state


def renewed(state: State) -> State:
    """The state after a step of EM of what does not move by scores, from its running sums."""
    model = model_of(state)
    there = learned(model, _sums(state), free_of(state))
    if len(model.shape) == 1:
        return with_model(state, there)
    change = there.whitening[0] @ np.linalg.inv(model.whitening[0])
    return replace(with_model(state, there), moments=change @ state.moments @ change.T)


def _sums(state: State) -> SetSums:
    """Those of the running sums that EM needs."""
    nothing = np.empty(0)
    return SetSums(
        0, 0, 0.0, nothing, nothing, nothing, state.gram, state.seen, 0.0, state.histogram, state.moments, state.false.T
    )


def covariance(settings: Settings, state: State) -> tuple[Floats, Floats]:
    """The covariance of all that is estimated, and that (L D, L D) of theta, corrected for what scores do not hold."""
    T = sharing(*state.theta.shape, free_of(state))
    inverse = inverted(T.T @ state.information @ T)
    everything = inverse if settings.drift.size or state.walk.any() else inverse @ (T.T @ state.meat @ T) @ inverse
    n = state.theta.size
    cov = state.correction @ everything[:n, :n] @ state.correction.T
    return everything, np.asarray(0.5 * (cov + cov.T))


def memory_factors(state: State, everything: Floats) -> Floats:
    """(L D,) by which memory over time makes variances grow, as batches of scores say; ones for none. `everything` is their covariance."""
    n = state.theta.size
    model = model_of(state)
    noisy = float(model.noise_sd.max()) > NOISE * model.clutter.extent
    found = memory(state.record, scaled_inverse(everything[:n, :n]))
    lasting = noisy and found.z > SURE and found.factors.max() > MATTERS
    return found.factors if lasting else np.ones(n)


def correction(cov: Floats, plain_cov: Floats) -> Floats:
    r"""A with :math:`A C A' = ` `cov`, for C = `plain_cov`, by their Cholesky factors; the identity where one of them has none.

    >>> correction(np.array([[4.0]]), np.array([[1.0]]))
    array([[2.]])
    """
    try:
        return np.asarray(np.linalg.solve(np.linalg.cholesky(plain_cov).T, np.linalg.cholesky(cov).T).T)
    except np.linalg.LinAlgError:
        return np.eye(len(cov))
