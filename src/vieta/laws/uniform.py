"""Uniform noise."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from vieta.arrays import Complexes, Floats
from vieta.laws.scaled import Scaled


@dataclass(frozen=True)
class Uniform(Scaled):
    r"""Uniform noise: u on :math:`[-\sqrt 3, \sqrt 3)` before scaling. It has no score, and no finite information."""

    name: ClassVar[str] = "uniform"

    @property
    def log_concave(self) -> bool:
        """It is."""
        return True

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Uniform of variance one."""
        return math.sqrt(3.0) * (2.0 * rng.random(shape) - 1.0)

    def unit_log_density(self, u: Floats) -> Floats:
        r""":math:`-\tfrac12\log 12` within the interval."""
        return np.where(np.abs(u) <= math.sqrt(3.0), -0.5 * math.log(12.0), -np.inf)

    def unit_below(self, u: Floats) -> Floats:
        r""":math:`\tfrac12 + u/\sqrt{12}` within the interval."""
        return np.asarray(np.clip(0.5 + u / math.sqrt(12.0), 0.0, 1.0))

    def shape(self) -> tuple[float, float]:
        """0 and 9/5."""
        return 0.0, 1.8

    def characteristic(self, t: Floats) -> Complexes:
        r""":math:`\sin(\sqrt3 t)/(\sqrt3 t)`."""
        return np.sinc(math.sqrt(3.0) * t / np.pi).astype(np.complex128)

    def reach(self) -> tuple[float, float]:
        """The interval, and a little more."""
        return -1.75, 1.75
