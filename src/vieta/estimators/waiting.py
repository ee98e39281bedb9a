"""Single sets that wait to be absorbed together: to take a set in costs a microsecond, to advance a filter by one a hundred.

Only sets whose form is common and whose numbers are sound wait. What is anything else goes the general way, which converts it or says
what is wrong with it.
"""

from typing import Any

import numpy as np

from vieta.sets import LARGEST, Data

MOST = 64  # sets that wait at the most
FLOAT64 = np.dtype(np.float64)


class Waiting:
    """Room for sets of the shape of `like`, and how many are there."""

    __slots__ = ("_input_shape", "_inputs", "_psi", "_readings", "_sets", "_shape", "count", "dim")

    def __init__(self, like: Data) -> None:
        L, p = like.n_systems, like.reading_dim
        self.count, self.dim = 0, like.dim
        self._sets = np.empty((MOST, L, p))
        self._psi = np.empty((MOST, *like.inputs.shape[1:]))
        numbers = p == 1  # a set is then given as (L,), and its input, unless it is a number, as (D,)
        self._readings = self._sets[:, :, 0] if numbers else self._sets
        self._inputs = self._psi[:, 0] if numbers and self._psi.ndim == 3 else self._psi
        self._shape, self._input_shape = self._readings.shape[1:], self._inputs.shape[1:]

    @property
    def is_full(self) -> bool:
        """Whether no other set has room."""
        return self.count == MOST

    def take(self, y: Any, psi: Any) -> bool:
        """Keep a copy of a set, the last thing that is done; False, and nothing is kept, if it has to go the general way."""
        if psi is None:
            psi = 1.0
        if not (_is_sound(y, self._shape) and _is_sound(psi, self._input_shape)):
            return False
        at = self.count
        self._readings[at] = y
        self._inputs[at] = psi
        self.count = at + 1
        return True

    def data(self) -> Data:
        """The sets that wait, in the order in which they came; a copy."""
        return Data(self._sets[: self.count].copy(), self._psi[: self.count].copy(), self.dim)


def _is_sound(values: Any, shape: tuple[int, ...]) -> bool:
    """Whether values are float64 numbers of a shape that pass `vieta.set_requirements.require_finite`: an array, a list, or a number.

    >>> _is_sound([1.0, 2.0], (2,)), _is_sound([1.0, float("nan")], (2,)), _is_sound([1, 2], (2,))
    (True, False, False)
    """
    kind = type(values)
    if kind is np.ndarray:
        if values.dtype is not FLOAT64 or values.shape != shape:
            return False
        numbers = values.tolist() if values.ndim == 1 else values.ravel().tolist()
    elif kind is list or kind is tuple:
        if shape != (len(values),):
            return False
        numbers = values
        if not all(type(one) is float for one in numbers):
            return False
    else:
        return (kind is float or kind is np.float64) and shape == () and -LARGEST <= values <= LARGEST
    return all(-LARGEST <= one <= LARGEST for one in numbers)  # NaN fails every comparison
