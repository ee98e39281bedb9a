r"""Laws of the noise v_l(k): zero mean, independent over systems and times, of a given variance.

Every law makes numbers of mean zero and variance one, independent over coordinates, and colours them with the
symmetric root of the wanted covariance,

.. math:: v_l(k) = C_l^{1/2} u_l(k), \qquad E\,u = 0, \quad E\,u u^\top = I_p .

`variance` is a number (:math:`C_l = \sigma^2 I`), a matrix (p, p) that all systems share, a list (L,) with one
number per system, or an array (L, p, p) with one matrix per system.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.simulation.algebra import apply, root
from vieta.simulation.chain import independent
from vieta.simulation.checks import as_floats, as_number, as_probabilities, frozen
from vieta.symmetric.arrays import Floats


class Noise(Protocol):
    """A law of noise."""

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        ...


@dataclass(frozen=True)
class Scaled(ABC):
    """A law of mean zero and variance one, scaled to `variance`."""

    variance: ArrayLike = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", frozen(as_variance(self.variance)))

    @abstractmethod
    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Independent numbers of mean zero and variance one."""

    def draw(self, rng: Generator, n: int, L: int, p: int) -> Floats:
        """Noise for n times, L systems, p coordinates: (n, L, p)."""
        return colour(np.asarray(self.variance), self.unit(rng, (n, L, p)))


@dataclass(frozen=True)
class Gaussian(Scaled):
    r"""Normal noise: :math:`v \sim N(0, C)`.

    >>> Gaussian(0.01)
    Gaussian(variance=0.01)
    """

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Standard normal."""
        return rng.standard_normal(shape)


@dataclass(frozen=True)
class Laplace(Scaled):
    r"""Double exponential noise: density :math:`\exp(-|u|/b)/(2b)` with :math:`b = 1/\sqrt 2` before scaling."""

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Laplace of variance one."""
        return rng.laplace(scale=math.sqrt(0.5), size=shape)


@dataclass(frozen=True)
class Uniform(Scaled):
    r"""Uniform noise: u on :math:`[-\sqrt 3, \sqrt 3)` before scaling."""

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Uniform of variance one."""
        return math.sqrt(3.0) * (2.0 * rng.random(shape) - 1.0)


@dataclass(frozen=True)
class StudentT(Scaled):
    r"""Heavy-tailed noise: :math:`u = t_\nu \sqrt{(\nu - 2)/\nu}` with :math:`\nu` = `df` > 2 degrees of freedom.

    Moments of order `df` and above are infinite.
    """

    df: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "df", as_number(self.df, "df", above=2.0))

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Student's t over its standard deviation."""
        return math.sqrt((self.df - 2.0) / self.df) * rng.standard_t(self.df, size=shape)


@dataclass(frozen=True)
class Skewed(Scaled):
    r"""Lopsided noise: :math:`u = \pm(g - a)/\sqrt a`, g a Gamma variable of shape :math:`a = 4/s^2`.

    The third moment of u is the `skewness` s, of either sign; s = 2 is a centred exponential.
    """

    skewness: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        skewness = as_number(self.skewness, "skewness")
        if skewness == 0.0:
            raise ValueError("`skewness` must not be 0, got 0. Use Gaussian for a symmetric law.")
        object.__setattr__(self, "skewness", skewness)

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Gamma, centred and scaled."""
        a = 4.0 / self.skewness**2
        return math.copysign(1.0 / math.sqrt(a), self.skewness) * (rng.standard_gamma(a, size=shape) - a)


@dataclass(frozen=True)
class Finite(Scaled):
    """Noise on a finite set of numbers, scaled to `variance`.

    Parameters
    ----------
    variance
        As in the other laws.
    values : (m,)
        The numbers before scaling; their mean under `probabilities` must be zero.
    probabilities : (m,), optional
        Equal when absent.

    >>> Finite(variance=4.0, values=(-1, 1)).draw(np.random.default_rng(0), 3, 1, 1).ravel()
    array([ 2., -2., -2.])
    """

    values: ArrayLike = (-1.0, 1.0)
    probabilities: ArrayLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        x = as_floats(self.values, "values")
        equal = np.full(x.size, 1.0 / max(x.size, 1))
        w = as_probabilities(equal if self.probabilities is None else self.probabilities)
        if x.ndim != 1 or x.shape != w.shape:
            raise ValueError(f"`values` and `probabilities` must be two lists of one length, got {x.shape}, {w.shape}.")
        if not np.any(w * x):
            raise ValueError(f"`values` must have a positive variance, got {x.tolist()}. Use variance=0 for no noise.")
        if abs(w @ x) > 1e-9 * np.max(np.abs(x)):
            raise ValueError(f"`values` must have mean zero, got mean {w @ x:g}. Subtract it from every value.")
        object.__setattr__(self, "values", frozen(x))
        object.__setattr__(self, "probabilities", frozen(w))

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """The values over their standard deviation."""
        x, w = np.asarray(self.values), np.asarray(self.probabilities)
        scaled: Floats = x / np.sqrt(np.sum(w * x**2))
        return scaled[independent(w, rng.random(shape))]


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
    _, L, p = unit.shape
    fits = {0: (), 1: (L,), 2: (p, p), 3: (L, p, p)}[variance.ndim]
    if variance.shape != fits:
        raise ValueError(
            f"`variance` has shape {variance.shape}, but {L} systems with readings of dimension {p} need "
            f"(), ({L},), ({p}, {p}) or ({L}, {p}, {p})."
        )
    if variance.ndim < 2:
        return np.sqrt(variance[..., None]) * unit
    return apply(root(variance), unit)
