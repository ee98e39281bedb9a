"""What the filter asks of an algorithm that takes sets as they come: a frozen state, a pure step, and readings of them."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.sets import Data
from vieta.solution import Solution


class Engine(ABC):
    """An online algorithm for sets of one shape.

    A state is a frozen dataclass (or a tree of them) of arrays and numbers, with the number of sets absorbed as `count`. Saved
    filters hold these arrays by name, and the `code` of the state where there are several kinds of it.
    """

    @abstractmethod
    def init(self) -> Any:
        """The state before any set."""

    @abstractmethod
    def advance(self, state: Any, data: Data) -> Any:
        """The state after some more sets; it must not depend on how a stream is cut."""

    @abstractmethod
    def estimate(self, state: Any) -> Solution:
        """The estimate from all sets absorbed."""

    @abstractmethod
    def point(self, state: Any) -> Floats:
        """Where the algorithm stands, as a vector in its own coordinates; NaN while there is nothing to show."""

    def parameters(self, points: Floats) -> Complexes:
        """Parameters (n, L, D) of points along a path: by default the points are parameters read row by row."""
        shape = self.estimate_shape
        return points.reshape(len(points), *shape).astype(np.complex128)

    @property
    @abstractmethod
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""

    def changes(self, state: Any) -> tuple[int, ...]:
        """After how many sets the parameters changed, the latest few times; nothing for algorithms that do not look."""
        return ()

    def code(self, state: Any) -> str:
        """Which kind of state this is, where there are several."""
        return ""

    def blank(self, code: str) -> Any:
        """A state of that kind, to be filled with the arrays of a file."""
        return self.init()
