r"""Errors of the methods that go through the coefficients: LMS, its average, recursive and plain least squares.

With :math:`Q = E A'A`, :math:`R = E A' V A` and :math:`G = d\theta/d\lambda`, first for the coefficients and then by the
delta method for the parameters,

.. math:: \Sigma Q + Q \Sigma = R, \quad \mathrm{Cov}\,\hat\theta \approx \epsilon\, G \Sigma G' \quad\text{(LMS)}, \qquad
    \mathrm{Cov}\,\hat\theta \approx \tfrac1n G\, Q^{-1} R\, Q^{-1} G' \quad\text{(least squares)}.

R is a full matrix, for any L, and only second moments of the noise enter it. The paper's Lemma 1 takes its diagonal.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients import asymptotics, input_statistics
from vieta.coefficients.choice import choose_design
from vieta.coefficients.design import Design
from vieta.coefficients.input_moments import Moments, as_sampled, as_seen, of_points
from vieta.errors import InputError, NotIdentifiableError
from vieta.laws.setting import InputsLike, NoiseLike, as_noise, as_parameters, as_points
from vieta.options import as_steps
from vieta.predictions import PerSet, PerStep
from vieta.sets import Data

LARGEST = 400  # coefficients up to which their covariance is worked out


def lms_covariance(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike | Moments = None,
    *,
    relative_step: ArrayLike = 1.0,
    transform: str = "auto",
) -> PerStep:
    """Error of LMS on the coefficients in its steady state, per unit of the step.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A variance, or a law of noise; only its variance matters.
    inputs
        A law of inputs, None for Psi = I, a sample (n,), (n, D) or (n, p, D), or ``Moments([..])``: the even moments E psi^2,
        E psi^4, .., E psi^(4L-2) of inputs that are numbers.
    relative_step : float or (L,)
        Step of each degree in units of *the* step.
    transform
        As for `vieta.fit`.

    >>> from vieta.laws.inputs import Gaussian
    >>> found = lms_covariance([1, 5], 0.25, Gaussian())
    >>> round(float(np.trace(found.covariance)), 4)  # Lemma 1, corrected
    1.5977
    """
    setting = _setting(theta, noise, inputs, transform)
    step = as_steps(relative_step, setting.design.n_systems)
    sigma = per_unit_step(setting.design, setting.Q, setting.R, step)
    return PerStep(setting.theta, setting.delta(sigma), sigma)


def least_squares_covariance(
    theta: ArrayLike, noise: NoiseLike, inputs: InputsLike | Moments = None, *, transform: str = "auto"
) -> PerSet:
    """Error of least squares on the coefficients, and to first order of averaged LMS and of RLS without forgetting.

    Parameters are those of `lms_covariance`.

    >>> from vieta.laws.inputs import Gaussian
    >>> least_squares_covariance([-2, 5, 8], 1.0, Gaussian()).stderr(10_000).ravel().round(3)
    array([0.017, 0.034, 0.03 ])
    """
    setting = _setting(theta, noise, inputs, transform)
    sigma = asymptotics.least_squares_covariance(setting.Q, setting.R, 1.0)
    return PerSet(setting.theta, setting.delta(sigma), sigma)


def per_unit_step(design: Design, Q: Floats, R: Floats, relative_step: Floats) -> Floats:
    """Steady covariance of LMS over its step; it is taken at a stable step, and proportional to it."""
    unit = 0.5 / float(relative_step.max() * np.trace(Q))
    return asymptotics.lms_covariance(design, Q, R, unit * relative_step) / unit


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    theta: Floats
    design: Design
    Q: Floats
    R: Floats

    def delta(self, sigma: Floats) -> Floats:
        """Covariance of the parameters from that of the coefficients, by the delta method."""
        G = self.design.transform.sensitivity(self.theta)
        cov = G @ sigma @ G.T
        return np.asarray(0.5 * (cov + cov.T))


def _setting(theta: ArrayLike, noise: NoiseLike, inputs: InputsLike | Moments, transform: str) -> _Setting:
    parameters = as_parameters(theta)
    L, D = parameters.shape
    design, seen = as_design(inputs, L, D, transform, moments=2 * L - 1)
    Q = asymptotics.normal_matrix(design, seen)
    require_identified(Q)
    R = asymptotics.score_covariance(design, seen, parameters, _noise(design, noise))
    return _Setting(parameters, design, Q, R)


def as_design(
    inputs: InputsLike | Moments, L: int, D: int, transform: str, moments: int
) -> tuple[Design, input_statistics.State]:
    """The regressions, and the inputs as a filter remembers them, with `moments` even moments where they are numbers."""
    if isinstance(inputs, Moments):
        known = inputs.at_least(moments)
        return choose_design(transform, Data(np.zeros((1, L, D)), np.ones(1), D)), as_seen(known)
    points = as_points(inputs, D)
    p = points.reading_dim(D)
    design = choose_design(transform, Data(np.zeros((1, L, p)), points.psi[:1], D))
    if design.transform.parameters.size > LARGEST:
        raise InputError(
            "many-coefficients",
            "{L} systems with {D} parameters each and general inputs have {coefficients:,} coefficients, more than the {most} that are "
            "practical here. Use efficient_covariance, which has none.",
            L=L, D=D, coefficients=design.transform.parameters.size, most=LARGEST,
        )  # fmt: skip
    return design, as_seen(of_points(points, moments)) if points.psi.ndim == 1 else as_sampled(points.psi)


def _noise(design: Design, noise: NoiseLike) -> Floats:
    """One covariance (p, p) where the systems share it, else one for each."""
    each = as_noise(noise, design.n_systems, design.reading_dim)
    first: Floats = each[0]
    if np.array_equal(each, np.broadcast_to(first, each.shape)):
        return first
    if design.inputs == "undone":
        raise InputError(
            "undone-noise",
            "inputs that are undone need one noise for all systems. Use {option.transform:'tensor'}, or one noise.",
        )
    return each


def require_identified(Q: Floats) -> None:
    """Raise if some coefficient is not seen through the inputs."""
    scale = np.sqrt(np.maximum(np.diag(Q), 1e-300))
    if np.diag(Q).min() <= 0.0 or np.linalg.cond(Q / np.outer(scale, scale)) > 1e13:
        raise NotIdentifiableError(
            "not-identified",
            "these inputs do not identify the parameters, whose variance is infinite: they are zero, constant or confined to a "
            "subspace. Vary the inputs in every coordinate.",
        )
