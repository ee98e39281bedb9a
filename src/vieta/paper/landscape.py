r"""The expected objective of `direct_gradient`, exactly: where its stationary points are, and of what kind.

For scalar readings with a scalar input, independent noise and :math:`m_d = E\,\psi^{2d}`,

.. math:: \sum_d E|z_d - e_d(\psi\theta)|^2 = F(\theta) + \mathrm{const}, \qquad
    F(\theta) = \sum_{d=1}^{L} m_d \bigl(e_d(\theta) - e_d(\theta^o)\bigr)^2 .

F is the sum of squares itself, without a factor 1/2, and its derivatives carry the 2. The constant is the part of the
noise, which does not depend on :math:`\theta`. Since :math:`\det \partial e/\partial\theta` is the Vandermonde
determinant, a stationary point other than the truth has two equal coordinates.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats
from vieta.errors import ComputationError, InputError


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """F at a point: `value`, `gradient` (L,) and `hessian` (L, L)."""

    value: float
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True, slots=True, eq=False)
class StationaryPoint:
    """Where the gradient of F vanishes.

    Attributes
    ----------
    theta : (L,)
    value : float
        F there.
    eigenvalues : (L,)
        Of the Hessian, ascending.
    """

    theta: Floats
    value: float
    eigenvalues: Floats

    @property
    def is_minimum(self) -> bool:
        """No direction leads down."""
        return bool(self.eigenvalues[0] > 0.0)

    @property
    def is_saddle(self) -> bool:
        """Some directions lead down and others up."""
        return bool(self.eigenvalues[0] < 0.0 < self.eigenvalues[-1])


def gaussian_moments(n_systems: int) -> Floats:
    """(L,) moments E psi^(2d) = (2d - 1)!! of a standard normal input, d = 1..L.

    >>> gaussian_moments(4)
    array([  1.,   3.,  15., 105.])
    """
    L = as_count(n_systems, "n_systems")
    return np.array([float(prod(range(1, 2 * d, 2))) for d in range(1, L + 1)])


def direct_objective(theta: ArrayLike, truth: ArrayLike, moments: ArrayLike | None = None) -> Objective:
    r"""F with its exact derivatives, from the products that leave out one or two coordinates:

    .. math:: \partial e_d / \partial\theta_i = e_{d-1}(\theta_{-i}), \qquad
        \partial^2 e_d / \partial\theta_i \partial\theta_j = e_{d-2}(\theta_{-i,-j}) \quad (i \ne j).

    Parameters
    ----------
    theta, truth : (L,) or (L, 1)
    moments : (L,), optional
        :math:`m_d = E\,\psi^{2d}`; those of a standard normal input if absent. Ones for no input.

    >>> direct_objective([1.0, 2.0, 3.0], [-2.0, 5.0, 8.0]).value
    110992.0
    """
    point, target, m = _arguments(theta, truth, moments)
    return _objective(point, _coefficients(target), m)


def stationary_point(
    start: ArrayLike, truth: ArrayLike, moments: ArrayLike | None = None, *, iterations: int = 50
) -> StationaryPoint:
    """The stationary point of F that Newton's method reaches from `start`, of whatever kind it is.

    Newton's method is drawn to saddles and maxima as much as to minima, and keeps equal coordinates equal.

    >>> stationary_point([-2.0, 6.3, 6.3], [-2.0, 5.0, 8.0]).theta.round(3)
    array([-2.026,  6.284,  6.284])
    >>> stationary_point([-4.0, -4.0, -4.0], [-2.0, 5.0, 8.0]).is_minimum
    True
    """
    theta, target, m = _arguments(start, truth, moments)
    lam = _coefficients(target)
    for _ in range(as_count(iterations, "iterations")):
        here = _objective(theta, lam, m)
        move = np.linalg.lstsq(here.hessian, here.gradient)[0]
        theta = theta - move
        if abs(move).max() <= 1e-12 * max(abs(theta).max(), 1e-300):
            end = _objective(theta, lam, m)
            return StationaryPoint(theta, end.value, np.asarray(np.linalg.eigvalsh(end.hessian), dtype=np.float64))
    raise ComputationError(
        "newton-not-settled",
        "Newton's method did not settle within {iterations} iterations; it last moved by {moved:.3g}. Start nearer to the point that "
        "is meant, or allow more iterations.",
        iterations=iterations, moved=float(abs(move).max()),
    )  # fmt: skip


def _arguments(theta: ArrayLike, truth: ArrayLike, moments: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    target = as_floats(truth, "truth").reshape(-1)
    point = as_floats(theta, "theta").reshape(-1)
    m = gaussian_moments(len(target)) if moments is None else as_floats(moments, "moments")
    if point.shape != target.shape or m.shape != target.shape:
        raise InputError(
            "landscape-shape",
            "`theta`, `truth` and `moments` must have one number a system (scalar parameters only), got {theta}, {truth} and {moments}.",
            theta=point.size, truth=target.size, moments=m.size,
        )  # fmt: skip
    return point, target, m


def _objective(theta: Floats, target: Floats, moments: Floats) -> Objective:
    L = len(theta)
    residual = _coefficients(theta) - target
    first = np.zeros((L, L))  # d e_d / d theta_i
    second = np.zeros((L, L, L))
    for i in range(L):
        without = np.delete(theta, i)
        first[:, i] = [1.0, *_coefficients(without)]
        for j in range(i):
            second[1:, i, j] = second[1:, j, i] = [1.0, *_coefficients(np.delete(without, j))]
    gradient = 2.0 * (moments * residual) @ first
    hessian = 2.0 * (first.T * moments) @ first + 2.0 * np.tensordot(moments * residual, second, axes=1)
    return Objective(float((moments * residual**2).sum()), gradient, hessian)


def _coefficients(theta: Floats) -> Floats:
    """e_1 .. e_L of (L,) numbers."""
    e = np.zeros(len(theta) + 1)
    e[0] = 1.0
    for value in theta:
        e[1:] += value * e[:-1]
    return e[1:]
