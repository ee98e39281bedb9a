r"""What all laws of noise share: numbers of mean zero and variance one, coloured to a wanted covariance.

.. math:: v_l(k) = C_l^{1/2} u_l(k), \qquad E\,u = 0, \quad E\,u u^\top = I_p,

with the coordinates of u independent, so that a law with density f of one coordinate has

.. math:: \log p(v) = \sum_q \log f(u_q) - \tfrac12 \log\det C_l, \qquad
    -\nabla \log p(v) = C_l^{-1/2}\, s(u), \quad s = -f'/f, \qquad u = C_l^{-1/2} v .
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, frozen
from vieta.laws.linear import apply, root


class Noise(Protocol):
    """A law of noise."""

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        ...


@dataclass(frozen=True)
class Scaled(ABC):
    """A law of mean zero and variance one, scaled to `variance`."""

    variance: ArrayLike = 1.0

    name: ClassVar[str] = ""
    """Its name in files."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", frozen(as_variance(self.variance)))

    @property
    def kernel(self) -> tuple[int, float] | None:
        """Code and parameter by which compiled recursions know it; None for a law that they do not know."""
        return None

    def mixture_precision(self, u: Floats) -> Floats | None:
        """The mean precision of u if the law is a Gaussian scale mixture, s(u) / u, entry by entry; None for other laws."""
        return None

    def fisher_information(self) -> float:
        """j, the information about its mean that one number of the law holds, at variance one."""
        from vieta.laws.fisher import fisher_information

        return fisher_information(self)

    @abstractmethod
    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Independent numbers of mean zero and variance one."""

    def unit_log_density(self, u: Floats) -> Floats:
        """log f(u), entry by entry, at variance one; minus infinity where the law cannot be."""
        raise ValueError(f"{type(self).__name__} has no density. Use another law, for example Gaussian.")

    def unit_score(self, u: Floats) -> Floats:
        """-f'(u) / f(u), entry by entry, at variance one; zero where the law cannot be."""
        raise ValueError(
            f"the density of {type(self).__name__} noise has no derivative everywhere, and so no score. Use another law, "
            "for example Gaussian."
        )

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        return colour(np.asarray(self.variance), self.unit(rng, (n, L, p)))

    def log_density(self, residuals: Floats) -> Floats:
        """log p of residuals (..., L, p), the last axis but one the system: (..., L)."""
        W, log_volume = whitening(np.asarray(self.variance), *residuals.shape[-2:])
        return np.asarray(self.unit_log_density(apply(W, residuals)).sum(axis=-1) - log_volume)

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
            raise ValueError(f"`variance` must not be negative, got {variance!r}. It is the square of the deviation.")
        return array
    if array.ndim > 3 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"`variance` must have shape (), (L,), (p, p) or (L, p, p), got {array.shape}.")
    if not np.allclose(array, array.swapaxes(-1, -2), rtol=1e-9, atol=0.0):
        raise ValueError(f"`variance` must be symmetric, got {array.tolist()}. Use (C + C.T) / 2.")
    lowest = np.linalg.eigvalsh(array).min()
    if lowest < -1e-9 * np.abs(array).max():
        raise ValueError(f"`variance` must be positive semidefinite, got least eigenvalue {lowest:g}.")
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
        raise ValueError(
            f"a density needs a positive definite variance, got least eigenvalue {values.min():g}. Without noise there is "
            "no density; give the noise a small variance."
        )
    W = apply((vectors / np.sqrt(values)[..., None, :])[..., None, :, :], vectors)
    return W, np.asarray(0.5 * np.log(values).sum(axis=-1))


def require_fits(variance: Floats, L: int, p: int) -> None:
    """Refuse a variance whose shape is not that of L systems with readings of dimension p."""
    if variance.shape != {0: (), 1: (L,), 2: (p, p), 3: (L, p, p)}[variance.ndim]:
        raise ValueError(
            f"`variance` has shape {variance.shape}, but {L} systems with readings of dimension {p} need "
            f"(), ({L},), ({p}, {p}) or ({L}, {p}, {p})."
        )
