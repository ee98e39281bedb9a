"""Normal noise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from vieta.arrays import Complexes, Floats
from vieta.laws.scaled import Scaled


@dataclass(frozen=True)
class Gaussian(Scaled):
    r"""Normal noise: :math:`v \sim N(0, C)`.

    >>> Gaussian(0.01)
    Gaussian(variance=0.01)
    """

    name: ClassVar[str] = "gaussian"
    self_decomposable: ClassVar[bool] = True

    @property
    def log_concave(self) -> bool:
        """It is."""
        return True

    @property
    def kernel(self) -> tuple[int, float]:
        """Code 0; no parameter."""
        return 0, 0.0

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Standard normal."""
        return rng.standard_normal(shape)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-(u^2 + \log 2\pi)/2`."""
        return np.asarray(-0.5 * (u**2 + math.log(2.0 * math.pi)))

    def unit_score(self, u: Floats) -> Floats:
        """u."""
        return u

    def unit_below(self, u: Floats) -> Floats:
        r""":math:`\Phi(u)`."""
        from scipy.special import ndtr

        return np.asarray(ndtr(u))

    def shape(self) -> tuple[float, float]:
        """0 and 3."""
        return 0.0, 3.0

    def fisher_information(self) -> float:
        """1, the least of all laws."""
        return 1.0

    def characteristic(self, t: Floats) -> Complexes:
        r""":math:`e^{-t^2/2}`."""
        return np.exp(-0.5 * t**2).astype(np.complex128)

    def mixture_precision(self, u: Floats) -> Floats:
        """1."""
        return np.ones_like(u)

    def reach(self) -> tuple[float, float]:
        """7.2 standard deviations on each side."""
        return -7.2, 7.2
