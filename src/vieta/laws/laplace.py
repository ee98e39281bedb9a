"""Double exponential noise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from vieta.arrays import Complexes, Floats
from vieta.laws.scaled import Scaled


@dataclass(frozen=True)
class Laplace(Scaled):
    r"""Double exponential noise: density :math:`\exp(-|u|/b)/(2b)` with :math:`b = 1/\sqrt 2` before scaling.

    >>> Laplace(4.0).characteristic(np.array([0.0, 1.0])).real.round(4)  # of the law at variance one
    array([1.    , 0.6667])
    """

    name: ClassVar[str] = "laplace"
    self_decomposable: ClassVar[bool] = True

    @property
    def log_concave(self) -> bool:
        """It is."""
        return True

    @property
    def kernel(self) -> tuple[int, float]:
        """Code 1; no parameter."""
        return 1, 0.0

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Laplace of variance one."""
        return rng.laplace(scale=math.sqrt(0.5), size=shape)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-\sqrt 2 |u| - \tfrac12 \log 2`."""
        return np.asarray(-math.sqrt(2.0) * np.abs(u) - 0.5 * math.log(2.0))

    def unit_score(self, u: Floats) -> Floats:
        r""":math:`\sqrt 2\,\mathrm{sign}\,u`; zero at the kink."""
        return np.asarray(math.sqrt(2.0) * np.sign(u))

    def unit_below(self, u: Floats) -> Floats:
        r""":math:`\tfrac12 e^{\sqrt2 u}` below zero, and one minus that of -u above."""
        half = 0.5 * np.exp(-math.sqrt(2.0) * abs(u))
        return np.where(u < 0.0, half, 1.0 - half)

    def shape(self) -> tuple[float, float]:
        """0 and 6."""
        return 0.0, 6.0

    def fisher_information(self) -> float:
        """2."""
        return 2.0

    def characteristic(self, t: Floats) -> Complexes:
        r""":math:`1/(1 + t^2/2)`."""
        return (1.0 / (1.0 + 0.5 * t**2)).astype(np.complex128)

    def mixture_precision(self, u: Floats) -> Floats:
        r""":math:`\sqrt2/|u|`; infinite at zero."""
        return np.asarray(math.sqrt(2.0) / np.abs(u))

    def reach(self) -> tuple[float, float]:
        """20 standard deviations on each side."""
        return -20.0, 20.0
