r"""What all laws of noise share: numbers of mean zero and variance one, coloured to a wanted covariance.

.. math:: v_l(k) = C_l^{1/2} u_l(k), \qquad E\,u = 0, \quad E\,u u^\top = I_p,

with the coordinates of u independent, so that a law with density f of one coordinate has

.. math:: \log p(v) = \sum_q \log f(u_q) - \tfrac12 \log\det C_l, \qquad
    -\nabla \log p(v) = C_l^{-1/2}\, s(u), \quad s = -f'/f, \qquad u = C_l^{-1/2} v .

A law carries what is known of it. Where a formula is known, the law's own class has it; the methods here integrate the density.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Complexes, Floats
from vieta.checks import as_floats, frozen
from vieta.errors import InputError
from vieta.laws.linear import apply, root
from vieta.laws.quadrature import grid, shape_of


class Noise(Protocol):
    """A law of noise, for simulations: all it needs to do is draw."""

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        ...


@dataclass(frozen=True)
class Scaled(ABC):
    """A law of mean zero and variance one, scaled to `variance`."""

    variance: ArrayLike = 1.0

    name: ClassVar[str] = ""
    """Its name in files."""
    writable: ClassVar[bool] = True
    """Whether its settings are numbers, which a file can hold."""
    has_density: ClassVar[bool] = True
    self_decomposable: ClassVar[bool] = False
    """Whether every larger copy of it is itself with independent noise added; False where it is not known."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", frozen(as_variance(self.variance)))

    @property
    def log_concave(self) -> bool:
        """Whether the logarithm of its density is concave; False where it is not known."""
        return False

    @property
    def kernel(self) -> tuple[int, float] | None:
        """Code and parameter by which compiled recursions know it; None for a law that they do not know."""
        return None

    @abstractmethod
    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Independent numbers of mean zero and variance one."""

    def unit_log_density(self, u: Floats) -> Floats:
        """log f(u), entry by entry, at variance one; minus infinity where the law cannot be."""
        raise InputError(
            "no-density", "{law} has no density. Use another law, for example Gaussian.", law=type(self).__name__
        )

    def unit_score(self, u: Floats) -> Floats:
        """-f'(u) / f(u), entry by entry, at variance one; zero where the law cannot be."""
        raise InputError(
            "no-score",
            "the density of {law} noise has no derivative everywhere, and so no score. Use another law, for example Gaussian.",
            law=type(self).__name__,
        )

    def unit_below(self, u: Floats) -> Floats:
        """The distribution function at variance one, entry by entry."""
        points, weight = grid()
        mass = weight * np.exp(self.unit_log_density(points))
        return np.asarray(np.interp(u, points, (np.cumsum(mass) - 0.5 * mass) / mass.sum()))

    def shape(self) -> tuple[float, float]:
        """Skewness and kurtosis of one number of the law."""
        u, weight = grid()
        return shape_of(u, weight * np.exp(self.unit_log_density(u)))

    def fisher_information(self) -> float:
        r"""j, the information about its mean that one number of the law holds, at variance one.

        .. math:: j = E\,s(u)^2 = E\,(f'/f)^2 \ge 1,

        with equality for Gaussian noise only. A reading with a label has the information :math:`j\,C^{-1}` about its mean.
        """
        u, weight = grid()
        return float(np.sum(weight * np.exp(self.unit_log_density(u)) * self.unit_score(u) ** 2))

    def characteristic(self, t: Floats) -> Complexes | None:
        r"""The characteristic function :math:`E\,e^{itu}` at variance one, entry by entry; None where it is not known."""
        return None

    def mixture_precision(self, u: Floats) -> Floats | None:
        """The mean precision of u if the law is a Gaussian scale mixture, s(u) / u, entry by entry; None for other laws."""
        return None

    def reach(self) -> tuple[float, float] | None:
        """Where a log-concave law of variance one has all but 1e-12 of its mass; None for a law not known to be log-concave."""
        return None

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        return colour(np.asarray(self.variance), self.unit(rng, (n, L, p)))

    def log_density(self, residuals: Floats) -> Floats:
        """log p of residuals (..., L, p), the last axis but one the system: (..., L)."""
        W, log_volume = whitening(np.asarray(self.variance), *residuals.shape[-2:])
        return np.asarray(self.unit_log_density(apply(W, residuals)).sum(axis=-1) - log_volume)

    def log_weight(self, residuals: Floats, rounding: float) -> Floats:
        """How likely residuals (..., L, p) are, (..., L): log densities, or log probabilities for a law without a density.

        `rounding` is the absolute error of a residual: where the law has no density, residuals this near a value are that value.
        """
        return self.log_density(residuals)

    def score(self, residuals: Floats) -> Floats:
        """Minus the gradient of log p at residuals (..., L, p), the last axis but one the system: (..., L, p)."""
        W, _ = whitening(np.asarray(self.variance), *residuals.shape[-2:])
        return apply(W, self.unit_score(apply(W, residuals)))

    def scaled(self, variance: ArrayLike) -> Self:
        """The law of this shape with another variance."""
        return replace(self, variance=variance)


def as_variance(variance: ArrayLike) -> Floats:
    """A number, a list per system, a matrix, or a matrix per system; positive semidefinite."""
    array = as_floats(variance, "variance")
    if array.ndim < 2:
        if np.any(array < 0):
            raise InputError(
                "variance-negative",
                "`variance` must not be negative, got {value!r}. It is the square of the deviation.",
                value=variance,
            )
        return array
    if array.ndim > 3 or array.shape[-1] != array.shape[-2]:
        raise InputError(
            "variance-shape",
            "`variance` must have shape (), (L,), (p, p) or (L, p, p), got {shape}.",
            shape=array.shape,
        )
    if not np.allclose(array, array.swapaxes(-1, -2), rtol=1e-9, atol=0.0):
        raise InputError(
            "variance-asymmetric", "`variance` must be symmetric, got {value}. Use (C + C.T) / 2.", value=array.tolist()
        )
    lowest = float(np.linalg.eigvalsh(array).min())
    if lowest < -1e-9 * np.abs(array).max():
        raise InputError(
            "variance-indefinite",
            "`variance` must be positive semidefinite, got least eigenvalue {lowest:g}.",
            lowest=lowest,
        )
    return array


def colour(variance: Floats, unit: Floats) -> Floats:
    r"""Numbers of variance one coloured to a covariance, :math:`v = C^{1/2} u`; `unit` is (n, L, p)."""
    require_fits(variance, *unit.shape[1:])
    if variance.ndim < 2:
        return np.sqrt(variance[..., None]) * unit
    return apply(root(variance), unit)


def whitening(variance: Floats, L: int, p: int) -> tuple[Floats, Floats]:
    r"""What undoes the colour: :math:`C_l^{-1/2}`, (p, p) or (L, p, p), and :math:`\frac12 \log\det C_l`, () or (L,).

    >>> W, log_volume = whitening(np.array(4.0), 3, 1)
    >>> W, np.exp(log_volume)
    (array([[0.5]]), np.float64(2.0))
    """
    require_fits(variance, L, p)
    C = variance if variance.ndim > 1 else variance[..., None, None] * np.eye(p)
    values, vectors = np.linalg.eigh(C)
    if np.any(values <= 1e-14 * np.abs(values).max(initial=1e-300)):
        raise InputError(
            "variance-singular",
            "a density needs a positive definite variance, got least eigenvalue {lowest:g}. Without noise there is no density; "
            "give the noise a small variance.",
            lowest=float(values.min()),
        )
    W = apply((vectors / np.sqrt(values)[..., None, :])[..., None, :, :], vectors)
    return W, np.asarray(0.5 * np.log(values).sum(axis=-1))


def require_fits(variance: Floats, L: int, p: int) -> None:
    """Refuse a variance whose shape is not that of L systems with readings of dimension p."""
    if variance.shape != {0: (), 1: (L,), 2: (p, p), 3: (L, p, p)}[variance.ndim]:
        raise InputError(
            "variance-does-not-fit",
            "`variance` has shape {shape}, but {L} systems with readings of dimension {p} need (), ({L},), ({p}, {p}) or "
            "({L}, {p}, {p}).",
            shape=variance.shape, L=L, p=p,
        )  # fmt: skip
