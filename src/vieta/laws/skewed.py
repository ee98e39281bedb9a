"""Lopsided noise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from vieta.arrays import Complexes, Floats
from vieta.checks import as_number
from vieta.errors import InputError
from vieta.laws.scaled import Scaled


@dataclass(frozen=True)
class Skewed(Scaled):
    r"""Lopsided noise: :math:`u = \pm(g - a)/\sqrt a`, g a Gamma variable of shape :math:`a = 4/s^2`.

    The third moment of u is the `skewness` s, of either sign; s = 2 is a centred exponential.
    """

    skewness: float = 2.0

    name: ClassVar[str] = "skewed"
    self_decomposable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        skewness = as_number(self.skewness, "skewness")
        if skewness == 0.0:
            raise InputError("skewness-zero", "`skewness` must not be 0, got 0. Use Gaussian for a symmetric law.")
        object.__setattr__(self, "skewness", skewness)

    @property
    def log_concave(self) -> bool:
        """For a skewness of at most 2 in size: the shape of the Gamma variable is then at least 1."""
        return abs(self.skewness) <= 2.0

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

    def unit_below(self, u: Floats) -> Floats:
        r"""The incomplete gamma function: P(a, g), or Q(a, g) for a negative skewness."""
        from scipy.special import gammainc, gammaincc

        a, g = 4.0 / self.skewness**2, np.maximum(4.0 / self.skewness**2 + 2.0 / self.skewness * u, 0.0)
        return np.asarray(gammainc(a, g) if self.skewness > 0.0 else gammaincc(a, g))

    def shape(self) -> tuple[float, float]:
        r"""s and :math:`3 + \tfrac32 s^2`."""
        return self.skewness, 3.0 + 1.5 * self.skewness**2

    def fisher_information(self) -> float:
        r""":math:`a/(a-2)` with :math:`a = 4/s^2`, where a > 2."""
        a = 4.0 / self.skewness**2
        if a <= 2.0:
            raise InputError(
                "information-infinite",
                "the Fisher information of Skewed noise is infinite for skewness {skewness:.3g}: its density is not smooth at its "
                "edge, estimates can be better than n^(-1/2), and there is no bound. It is finite for a skewness below sqrt(2).",
                skewness=abs(self.skewness),
            )
        return a / (a - 2.0)

    def characteristic(self, t: Floats) -> Complexes:
        r""":math:`e^{-irt} (1 - it/r)^{-r^2}` with :math:`r = 2/s`."""
        r = 2.0 / self.skewness
        return np.asarray(np.exp(-1j * r * t - r**2 * np.log(1.0 - 1j * t / r)), dtype=np.complex128)

    def reach(self) -> tuple[float, float] | None:
        """7.2 standard deviations on the short side, 10 s more on the long one."""
        if not self.log_concave:
            return None
        far = 7.2 + 10.0 * abs(self.skewness)
        return (-7.2, far) if self.skewness > 0.0 else (-far, 7.2)

    def _gamma(self, u: Floats) -> tuple[float, Floats]:
        """Shape a of the Gamma variable, and its value."""
        a = 4.0 / self.skewness**2
        return a, np.asarray(a + math.copysign(math.sqrt(a), self.skewness) * u)
