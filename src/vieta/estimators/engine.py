"""What the filter asks of an algorithm, and what it returns of its way."""

from dataclasses import dataclass
from typing import Any, Protocol

from vieta.arrays import Complexes, Floats, Integers
from vieta.estimators.estimate import Estimate
from vieta.sets import Data
from vieta.solution import Solution


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Parameters along a stream: after `index` sets, `theta` (n, L, D), and the imaginary parts left out."""

    index: Integers
    theta: Floats
    imaginary: Floats


class Engine(Protocol):
    """What the filter asks of an algorithm: a frozen state, a pure step, and readings of them."""

    def init(self) -> Any:
        """A state before any set."""

    def advance(self, state: Any, data: Data) -> Any:
        """The state after some more sets."""

    def point(self, state: Any) -> Floats:
        """Where the algorithm stands, in its own coordinates."""

    def parameters(self, points: Floats) -> Complexes:
        """Parameters (n, L, D) of points along a path."""

    def estimate(self, state: Any) -> Estimate | Solution:
        """The estimate from all sets absorbed."""
