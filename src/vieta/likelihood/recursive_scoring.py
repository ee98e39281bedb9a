r"""Recursive EM, eq. rem of the paper: a stochastic gradient on the likelihood, a set at a time.

.. math:: \theta(k+1) = \theta(k) + \epsilon\, s(Y(k); \theta(k)), \qquad
    s_l = \Psi' \sum_i P_{il}\, s(y_i - \Psi\theta_l) .

The paper sums over all L! permutations; only their marginals P enter, which for a uniform prior come in O(L 2^L)
(`vieta.association.permanents`), so that L = 10 costs 15 thousand operations where the sum costs 36 million. Other priors are
enumerated. Without a step the recursion is scaled by the information of what it has seen,

.. math:: I(k+1) = I(k) + s s', \qquad \theta(k+1) = \theta(k) + I(k+1)^{-1} s,

which for constant parameters is efficient when the law is right; parameters that move need a constant step. A noise
scale that is not known is one more parameter, in its logarithm. When the law, the variance or the prior is wrong the limit
is biased, however long the stream.

Users meet it as a filter (`vieta.likelihood.recursive_engine`), and with the paper's constant step as a baseline.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.errors import DivergedError, InputError
from vieta.laws.noise import Scaled
from vieta.laws.scaled import whitening
from vieta.likelihood.associations import WORK, associations, operations
from vieta.likelihood.model import residuals, to_parameters
from vieta.likelihood.orders import Orders, associate
from vieta.sets import Data
from vieta.weighted.sum_regression import as_matrices


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """Options of the recursion.

    Attributes
    ----------
    law : Scaled
        Noise law; its variance is multiplied by the scale.
    scale_known : bool
    step : float
        Epsilon; zero for steps by the information.
    orders : Orders, optional
        Prior over the labels' permutations; uniform if absent.
    """

    law: Scaled
    scale_known: bool
    step: float = 0.0
    orders: Orders | None = None


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What the recursion carries from set to set.

    Attributes
    ----------
    theta : (L, D)
    scale : float
        Factor on the law's variance.
    information : (m, m)
        Sum of the scores' outer products and of what the start knew; m is L D, or L D + 1 with the scale.
    """

    theta: Floats
    scale: float
    information: Floats


def init(settings: Settings, theta: Floats, information: Floats | None = None) -> State:
    """Begin at parameters (L, D) of which the `information` (m, m) is known already; none by default."""
    m = theta.size + (not settings.scale_known)
    return State(theta, 1.0, np.zeros((m, m)) if information is None else information)


def score(settings: Settings, state: State, y: Floats, psi: Floats) -> Floats:
    """(m,) derivatives of the log density of one set (L, p) under an input (p, D); NaN for one the law excludes."""
    law = settings.law.scaled(state.scale * np.asarray(settings.law.variance))
    one = Data(y[None], psi[None], psi.shape[1])
    r = residuals(one, state.theta)
    weights = law.log_density(r)
    P = associations(weights).marginals if settings.orders is None else associate(settings.orders, weights)[1]
    pulls = P[..., None] * law.score(r)
    about_theta = to_parameters(one, pulls.sum(axis=1)).ravel()
    about_scale = 0.5 * ((pulls * r).sum() - y.size)
    return about_theta if settings.scale_known else np.append(about_theta, about_scale)


def update(settings: Settings, state: State, y: Floats, psi: Floats, k: int = 0) -> State:
    """Absorb one set (L, p) with its input (p, D); `k` is its number, for an error."""
    s = score(settings, state, y, psi)
    if settings.law.kernel is None and not np.isfinite(s).all():  # densities with a kernel are positive everywhere
        raise _excluded(settings, state, k)
    information = state.information + np.outer(s, s)
    step = settings.step * s if settings.step else np.linalg.solve(information, s)
    n = state.theta.size
    return State(
        state.theta + step[:n].reshape(state.theta.shape),
        state.scale if settings.scale_known else float(state.scale * np.exp(step[n])),
        information,
    )


def advance(settings: Settings, state: State, data: Data, before: int = 0) -> State:
    """Absorb sets, after `before` others of the stream. The result does not depend on how a stream is cut.

    A set that the law excludes where the recursion stands is an error, which names the set.
    """
    psi = as_matrices(data)
    with np.errstate(over="ignore", invalid="ignore"):
        if settings.law.kernel is not None:
            return _compiled(settings, settings.law.kernel, state, data.sets, psi)
        for k, (y, matrix) in enumerate(zip(data.sets, psi, strict=True), before):
            state = update(settings, state, y, matrix, k)
    return state


def require_not_diverged(state: State) -> None:
    """Refuse parameters that are no longer finite."""
    if not (np.isfinite(state.theta).all() and np.isfinite(state.scale)):
        raise DivergedError(
            "diverged",
            "recursive EM has diverged: its parameters are no longer finite. Use a smaller {option.step}, or leave it out to have it "
            "chosen; or check that the noise variance is of the size of the noise.",
        )


def _excluded(settings: Settings, state: State, k: int) -> InputError:
    return InputError(
        "law-excludes-set",
        "sets[{index}], counted from the beginning of the stream, cannot come from noise of law {law} at the parameters that recursive EM "
        "has reached, {theta}: the density is zero for every order of the readings{allowed}. Near the edge of a density a step may go too "
        "far, and the gradient does not lead back. Use a law that is positive everywhere, a larger variance, a smaller step or a nearer "
        "start; or the default method, which needs no law.",
        index=k,
        law=type(settings.law).__name__,
        theta=np.round(state.theta, 6).tolist(),
        allowed="" if settings.orders is None else " that the prior allows",
    )


def _compiled(settings: Settings, kernel: tuple[int, float], state: State, sets: Floats, psi: Floats) -> State:
    from vieta.likelihood.recursive_kernel import run

    theta, scale, information = state.theta.copy(), np.array([state.scale]), state.information.copy()
    W, _ = whitening(np.asarray(settings.law.variance), *sets.shape[1:])
    orders = settings.orders or Orders(np.empty((0, len(theta)), dtype=np.int64), np.empty(0))
    size = max(int(WORK / (operations(len(theta)) + len(orders.table) * len(theta) + len(information) ** 3)), 1)
    for at in range(0, len(sets), size):  # in pieces of about a second, between which it can be interrupted
        some = slice(at, at + size)
        run(sets[some], psi[some], theta, scale, information, W, *kernel, settings.step, orders.table, orders.log_prior)
    return State(theta, float(scale[0]), information)
