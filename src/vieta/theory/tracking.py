r"""How well LMS follows parameters that switch by a Markov chain.

The coefficients follow :math:`\lambda(x_k)`, x a chain with transition matrix :math:`P = I + \mu Q`. For inputs that are
numbers the error :math:`\delta_k = \hat\lambda_k - \lambda(x_k)` *before* set k obeys

.. math:: \delta_{k+1} = (1 - \epsilon\psi^{2d})\,\delta_k + \epsilon\psi^d w_k + \lambda(x_k) - \lambda(x_{k+1}),

so that its first and second moments, split by the state of the chain, obey linear equations which are solved here: exact
at any step and any speed of the chain, not only to first order.

The error is of the order :math:`\epsilon + \mu/\epsilon`. Theorem 4 of the paper has :math:`\epsilon + \mu +
\mu^2/\epsilon`, and concludes that a chain as fast as the filter, :math:`\mu = \epsilon`, costs :math:`O(\epsilon)`. It
does not: a switch comes every :math:`1/\mu` sets and its error lasts for :math:`1/\epsilon` of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_theta
from vieta.coefficients import asymptotics, input_statistics
from vieta.coefficients.coefficient_errors import as_design
from vieta.coefficients.input_moments import Moments
from vieta.errors import InputError, UnstableStepError
from vieta.laws.motion import Switching
from vieta.laws.setting import InputsLike, NoiseLike, as_noise
from vieta.options import as_steps

GRID = 61  # steps at which the error is looked at before the best is refined


@dataclass(frozen=True, slots=True, eq=False)
class Tracking:
    """Mean squared tracking error of LMS in its steady state, before a set is absorbed.

    Attributes
    ----------
    step : (L,)
        Of each degree.
    noise : (M,)
        Part of each coefficient's mean squared error that the noise makes: it grows with the step.
    lag : (M,)
        Part that the switches make: it shrinks with the step.
    """

    step: Floats
    noise: Floats
    lag: Floats

    @property
    def mean_square(self) -> Floats:
        """(M,) mean squared error of each coefficient."""
        return self.noise + self.lag

    @property
    def total(self) -> float:
        """Their sum."""
        return float(self.mean_square.sum())


def tracking_error(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike | Moments = None,
    *,
    switching: Switching,
    step: ArrayLike,
    transform: str = "auto",
) -> Tracking:
    """Mean squared error of LMS that follows a Markov chain of parameter sets, exactly.

    Parameters
    ----------
    theta : (L, D) or (L,)
        State 0 of the chain.
    noise
        A variance, or a law of noise; only its variance matters.
    inputs
        A law of numbers, a sample (n,) of them, None for Psi = I, or their `Moments` E psi^2, .., E psi^(4L).
    switching
        The other states, the generator and the rate.
    step : float or (L,)
    transform
        As for `vieta.fit`.

    >>> telegraph = Switching(others=[[-1.0]], generator=[[-1, 1], [1, -1]], rate=1e-3)
    >>> found = tracking_error([1.0], 0.01, switching=telegraph, step=0.1)
    >>> found.lag.round(5), found.noise.round(5)  # about 2 rate / (step + 2 rate), and step / 2 times the variance
    (array([0.02068]), array([0.00053]))
    """
    chain = _chain(theta, noise, inputs, switching, transform)
    return chain.error(as_steps(step, len(chain.bounds)))


def best_step(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike | Moments = None,
    *,
    switching: Switching,
    relative_step: ArrayLike = 1.0,
    transform: str = "auto",
) -> float:
    r"""The step with the least `Tracking.total`; of the order :math:`\sqrt\mu` for a slow chain.

    Parameters are those of `tracking_error`; `relative_step` is the step of each degree in units of the one returned.

    >>> telegraph = Switching(others=[[-1.0]], generator=[[-1, 1], [1, -1]], rate=1e-4)
    >>> round(best_step([1.0], 1.0, switching=telegraph), 4)  # about sqrt(4 rate)
    0.0196
    """
    from scipy.optimize import minimize_scalar

    chain = _chain(theta, noise, inputs, switching, transform)
    relative = as_steps(relative_step, len(chain.bounds))

    def total(log_step: float) -> float:
        return chain.error(np.exp(log_step) * relative).total

    largest = np.log(np.min(chain.bounds / relative) * (1.0 - 1e-6))
    grid = np.linspace(largest - 30.0, largest, GRID)
    nearest = int(np.argmin([total(x) for x in grid]))
    low, high = grid[max(nearest - 1, 0)], grid[min(nearest + 1, GRID - 1)]
    return float(np.exp(minimize_scalar(total, bounds=(low, high), method="bounded", options={"xatol": 1e-6}).x))


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """What does not depend on the step; m states, M coefficients.

    Attributes
    ----------
    coefficients : (m, M)
    scores : (m, M, M)
        R in each state.
    transition, stationary : (m, m), (m,)
    degrees : (M,)
    moments : (2L + 1,)
        E psi^0, E psi^2, ..
    bounds : (L,)
        Steps that are just too large.
    """

    coefficients: Floats
    scores: Floats
    transition: Floats
    stationary: Floats
    degrees: np.ndarray
    moments: Floats
    bounds: Floats

    def error(self, step: Floats) -> Tracking:
        """Solve for the first moments of the error, then for the second, split by state."""
        unstable = np.flatnonzero(step >= self.bounds)
        if len(unstable):
            d = int(unstable[0])
            raise UnstableStepError(
                "tracking-step-too-large",
                "step {step:.3g} is too large for the coefficients of degree {degree}, whose mean squared error is infinite from "
                "{bound:.3g} on. Take a smaller one.",
                step=float(step[d]), degree=d + 1, bound=float(self.bounds[d]),
            )  # fmt: skip
        eps = step[self.degrees - 1]
        kept = 1.0 - eps * self.moments[self.degrees]
        both = kept[:, None] + kept - 1.0 + np.outer(eps, eps) * self.moments[self.degrees[:, None] + self.degrees]
        jump = self.coefficients[:, None] - self.coefficients  # (from, to, M)
        flow = self.stationary[:, None] * self.transition
        first = (
            self._settle(kept, np.einsum("ij,ija->aj", flow, jump)) * kept[:, None]
        )  # after the set, before the jump
        cross = np.einsum("ij,ai,ijb->abj", self.transition, first, jump)
        lag = np.einsum("ij,ija,ijb->abj", flow, jump, jump) + cross + np.swapaxes(cross, 0, 1)
        noise = np.outer(eps, eps)[:, :, None] * np.einsum("ij,iab->abj", flow, self.scores)
        parts = [np.einsum("aaj->a", self._settle(both, source)) for source in (noise, lag)]
        return Tracking(step, *parts)

    def _settle(self, kept: Floats, source: Floats) -> Floats:
        """x (..., m) with x_j = sum_i P_ij kept x_i + source_j."""
        matrix = np.eye(len(self.stationary)) - kept[..., None, None] * self.transition.T
        return np.asarray(np.linalg.solve(matrix, source[..., None])[..., 0])


def _chain(
    theta: ArrayLike, noise: NoiseLike, inputs: InputsLike | Moments, switching: Switching, transform: str
) -> _Chain:
    first = as_theta(theta)
    others = np.asarray(switching.others)
    if others.shape[1:] != first.shape:
        raise InputError(
            "switching-states",
            "`switching` has states of shape {states}, and theta has {theta}.",
            states=others.shape[1:], theta=first.shape,
        )  # fmt: skip
    states = np.concatenate([first[None], others])
    L, D = first.shape
    design, seen = as_design(inputs, L, D, transform, moments=2 * L)
    if design.inputs != "scalar":
        raise InputError(
            "tracking-inputs",
            "tracking errors are computed for inputs that are numbers; rows or matrices were given.",
        )
    covariances = as_noise(noise, L, D)
    return _Chain(
        coefficients=design.transform.parameters.transform(states),
        scores=np.stack([asymptotics.score_covariance(design, seen, state, covariances) for state in states]),
        transition=switching.transition,
        stationary=_stationary(switching.transition),
        degrees=design.transform.parameters.degrees,
        moments=input_statistics.moments(seen),
        bounds=asymptotics.step_bounds(design, seen),
    )


def _stationary(transition: Floats) -> Floats:
    """The law (m,) that the chain settles to."""
    m = len(transition)
    values = np.linalg.svd(transition - np.eye(m), compute_uv=False)
    if m > 1 and values[-2] <= 1e-12 * values[0]:
        raise InputError(
            "switching-reducible",
            "`switching` must reach every state from every other: it has more than one stationary law.",
        )
    system = np.concatenate([transition.T - np.eye(m), np.ones((1, m))])
    return np.asarray(np.linalg.lstsq(system, np.eye(m + 1)[m])[0], dtype=np.float64)
