"""What the filter asks of an algorithm that takes sets as they come: a frozen state, a pure step, and readings of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.errors import InputError
from vieta.sets import LARGEST, Data
from vieta.solution import Solution

LONGEST = "longest"  # the key under which a field of a state says how long it may become
ROUNDING = 1e-6  # by which a matrix from a stream may miss being symmetric and positive


def growing(longest: int) -> Mapping[str, int]:
    """Metadata for a field of a state that grows with the stream: an array with up to `longest` entries along its first axis.

    >>> growing(64)
    {'longest': 64}
    """
    return {LONGEST: longest}


def require_state(fits: object, what: str) -> None:
    """Refuse a state that no stream leaves; `what` is wrong with it."""
    if not fits:
        raise InputError("state-range", "{what}", what=what)


def require_readings(sets: Floats, inputs: Floats, what: str) -> None:
    """Refuse sets and inputs in a state that do not belong together, or that `vieta.set_requirements.require_finite` would not let in."""
    require_state(len(sets) == len(inputs), f"its {what} sets and inputs differ in number")
    sizes = [float(abs(values).max(initial=0.0)) for values in (sets, inputs)]
    require_state(max(sizes) <= LARGEST, f"its {what} sets are too large")


def require_positive(matrix: Floats, what: str) -> None:
    """Refuse a matrix in a state that is not symmetric and positive semidefinite, but for rounding."""
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        unit = matrix / np.where(size > 0.0, size, 1.0)[:, None] / np.where(size > 0.0, size, 1.0)
        fits = np.isfinite(unit).all() and np.allclose(unit, unit.T, rtol=0.0, atol=ROUNDING)
    require_state(
        fits and np.linalg.eigvalsh(unit).min() > -ROUNDING * len(unit), f"its {what} is not symmetric and positive"
    )


class Engine(ABC):
    """An online algorithm for sets of one shape.

    A state is a frozen dataclass (or a tree of them) of arrays and numbers, with the number of sets absorbed as `count`. Saved
    filters hold these arrays by name, and the `code` of the state where there are several kinds of it. Arrays keep their shape and
    dtype; one whose length varies is a ``field(metadata=growing(longest))``.
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

    def finds_bad_numbers(self, data: Data) -> bool:
        """Whether `advance` fails by itself on what `vieta.set_requirements.require_finite` refuses, so that data need no check before."""
        return False

    def may_wait(self, state: Any) -> bool:
        """Whether the next sets may wait and be absorbed some at a time: `advance` cannot refuse any that are finite."""
        return False

    def merged(self, states: Sequence[Any], level: float) -> Any:
        """One state from those of filters on different streams of the same systems, refused if they contradict each other.

        `level` is the probability at which a test of that refuses filters of the same systems by chance.
        """
        raise InputError(
            "merge-unknown",
            "filters by this method cannot be merged. Run one filter over all streams, or take the default method.",
        )

    def code(self, state: Any) -> str:
        """Which kind of state this is, where there are several."""
        return ""

    def blank(self, code: str) -> Any:
        """A state of that kind, to be filled with the arrays of a file."""
        return self.init()

    def check(self, state: Any) -> None:
        """Refuse a state from a file (`require_state`) that no stream leaves, where shapes and dtypes cannot tell.

        `advance` and `estimate` must be safe with every state that passes, above all where they run compiled code.
        """
        require_state(state.count >= 0, "its number of sets is negative")
