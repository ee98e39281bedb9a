r"""Laws of the noise v_l(k): zero mean, independent over systems and times, of a given variance.

Every law makes numbers of mean zero and variance one, independent over coordinates, and colours them with the
symmetric root of the wanted covariance,

.. math:: v_l(k) = C_l^{1/2} u_l(k), \qquad E\,u = 0, \quad E\,u u^\top = I_p .

`variance` is a number (:math:`C_l = \sigma^2 I`), a matrix (p, p) that all systems share, a list (L,) with one
number per system, or an array (L, p, p) with one matrix per system. Every law but `Finite` has a density, and every
law with a density but `Uniform` a score.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, as_number, as_probabilities, frozen
from vieta.laws.chains import independent
from vieta.laws.density import Density
from vieta.laws.scaled import Noise, Scaled, as_variance

__all__ = [
    "Density",
    "Finite",
    "Gaussian",
    "Laplace",
    "Noise",
    "Scaled",
    "Skewed",
    "StudentT",
    "Uniform",
    "as_law",
    "as_variance",
]


@dataclass(frozen=True)
class Gaussian(Scaled):
    r"""Normal noise: :math:`v \sim N(0, C)`.

    >>> Gaussian(0.01)
    Gaussian(variance=0.01)
    """

    name: ClassVar[str] = "gaussian"

    @property
    def kernel(self) -> tuple[int, float]:
        """Its code and parameter."""
        return 0, 0.0

    def mixture_precision(self, u: Floats) -> Floats:
        """s(u) / u."""
        return np.ones_like(u)

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Standard normal."""
        return rng.standard_normal(shape)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-(u^2 + \log 2\pi)/2`."""
        return np.asarray(-0.5 * (u**2 + math.log(2.0 * math.pi)))

    def unit_score(self, u: Floats) -> Floats:
        """u."""
        return u


@dataclass(frozen=True)
class Laplace(Scaled):
    r"""Double exponential noise: density :math:`\exp(-|u|/b)/(2b)` with :math:`b = 1/\sqrt 2` before scaling."""

    name: ClassVar[str] = "laplace"

    @property
    def kernel(self) -> tuple[int, float]:
        """Its code and parameter."""
        return 1, 0.0

    def mixture_precision(self, u: Floats) -> Floats:
        """s(u) / u."""
        return np.asarray(math.sqrt(2.0) / np.abs(u))

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Laplace of variance one."""
        return rng.laplace(scale=math.sqrt(0.5), size=shape)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-\sqrt 2 |u| - \tfrac12 \log 2`."""
        return np.asarray(-math.sqrt(2.0) * np.abs(u) - 0.5 * math.log(2.0))

    def unit_score(self, u: Floats) -> Floats:
        r""":math:`\sqrt 2\,\mathrm{sign}\,u`; zero at the kink."""
        return np.asarray(math.sqrt(2.0) * np.sign(u))


@dataclass(frozen=True)
class Uniform(Scaled):
    r"""Uniform noise: u on :math:`[-\sqrt 3, \sqrt 3)` before scaling."""

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Uniform of variance one."""
        return math.sqrt(3.0) * (2.0 * rng.random(shape) - 1.0)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-\tfrac12\log 12` within the interval."""
        return np.where(np.abs(u) <= math.sqrt(3.0), -0.5 * math.log(12.0), -np.inf)


@dataclass(frozen=True)
class StudentT(Scaled):
    r"""Heavy-tailed noise: :math:`u = t_\nu \sqrt{(\nu - 2)/\nu}` with :math:`\nu` = `df` > 2 degrees of freedom.

    Moments of order `df` and above are infinite.
    """

    name: ClassVar[str] = "student-t"

    df: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "df", as_number(self.df, "df", above=2.0))

    @property
    def kernel(self) -> tuple[int, float]:
        """Its code and parameter."""
        return 2, self.df

    def mixture_precision(self, u: Floats) -> Floats:
        """s(u) / u."""
        return np.asarray((self.df + 1.0) / (self.df - 2.0 + u**2))

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Student's t over its standard deviation."""
        return math.sqrt((self.df - 2.0) / self.df) * rng.standard_t(self.df, size=shape)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-\frac{\nu+1}2 \log(1 + u^2/(\nu-2))` and a constant."""
        nu = self.df
        constant = math.lgamma((nu + 1.0) / 2.0) - math.lgamma(nu / 2.0) - 0.5 * math.log(math.pi * (nu - 2.0))
        return np.asarray(constant - 0.5 * (nu + 1.0) * np.log1p(u**2 / (nu - 2.0)))

    def unit_score(self, u: Floats) -> Floats:
        r""":math:`(\nu+1)\,u/(\nu - 2 + u^2)`."""
        return np.asarray((self.df + 1.0) * u / (self.df - 2.0 + u**2))


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

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`(a-1)\log g - g` and a constant, with :math:`g = a \pm \sqrt a\,u`."""
        a, g = self._gamma(u)
        inside = g > 0.0
        log_g = np.log(g, out=np.zeros_like(g), where=inside)
        return np.where(inside, (a - 1.0) * log_g - g - math.lgamma(a) + 0.5 * math.log(a), -np.inf)

    def unit_score(self, u: Floats) -> Floats:
        r""":math:`\pm\sqrt a\,(1 - (a-1)/g)`; of finite variance for a > 2, that is :math:`s^2 < 2`."""
        a, g = self._gamma(u)
        inside = g > 0.0
        ratio = np.divide(a - 1.0, g, out=np.ones_like(g), where=inside)
        return np.asarray(math.copysign(math.sqrt(a), self.skewness) * (1.0 - ratio))

    def _gamma(self, u: Floats) -> tuple[float, Floats]:
        """Shape a of the Gamma variable, and its value."""
        a = 4.0 / self.skewness**2
        return a, np.asarray(a + math.copysign(math.sqrt(a), self.skewness) * u)


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


def as_law(noise: ArrayLike | Scaled) -> Scaled:
    """A law as it is; a number, a matrix, or one of them per system as Gaussian noise of that variance.

    >>> as_law(4.0)
    Gaussian(variance=4.0)
    """
    if isinstance(noise, Scaled):
        return noise
    if callable(noise) or callable(getattr(noise, "draw", None)) or isinstance(noise, str):
        raise ValueError(
            f"`noise` must be a variance or a law with a density from vieta.laws.noise, got {noise!r}. "
            "Write for example Laplace(4.0), or Density(log_density=...) for a law of your own."
        )
    return Gaussian(noise)
