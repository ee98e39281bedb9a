"""Heavy-tailed noise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from vieta.arrays import Complexes, Floats
from vieta.checks import as_number
from vieta.laws.scaled import Scaled


@dataclass(frozen=True)
class StudentT(Scaled):
    r"""Heavy-tailed noise: :math:`u = t_\nu \sqrt{(\nu - 2)/\nu}` with :math:`\nu` = `df` > 2 degrees of freedom.

    Moments of order `df` and above are infinite.
    """

    df: float = 5.0

    name: ClassVar[str] = "student-t"
    self_decomposable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "df", as_number(self.df, "df", above=2.0))

    @property
    def kernel(self) -> tuple[int, float]:
        """Code 2, and the degrees of freedom."""
        return 2, self.df

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

    def unit_below(self, u: Floats) -> Floats:
        r"""That of Student's t at :math:`u \sqrt{\nu/(\nu - 2)}`."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.df, math.sqrt(self.df / (self.df - 2.0)) * u))

    def shape(self) -> tuple[float, float]:
        r"""0 and :math:`3 + 6/(\nu - 4)`, which is infinite for :math:`\nu \le 4`."""
        return 0.0, 3.0 + 6.0 / (self.df - 4.0) if self.df > 4.0 else math.inf

    def fisher_information(self) -> float:
        r""":math:`\nu(\nu+1) / ((\nu-2)(\nu+3))`."""
        nu = self.df
        return nu * (nu + 1.0) / ((nu - 2.0) * (nu + 3.0))

    def characteristic(self, t: Floats) -> Complexes:
        r""":math:`K_{\nu/2}(z)\, z^{\nu/2} / (\Gamma(\nu/2)\, 2^{\nu/2-1})`, :math:`z = |t| \sqrt{\nu - 2}`."""
        from scipy.special import kve

        half = 0.5 * self.df
        z = np.maximum(abs(t) * math.sqrt(self.df - 2.0), 1e-12)
        log_value = np.log(kve(half, z)) - z + half * np.log(z) - (half - 1.0) * math.log(2.0) - math.lgamma(half)
        return np.where(t == 0.0, 1.0, np.exp(log_value)).astype(np.complex128)

    def mixture_precision(self, u: Floats) -> Floats:
        r""":math:`(\nu+1)/(\nu - 2 + u^2)`."""
        return np.asarray((self.df + 1.0) / (self.df - 2.0 + u**2))
