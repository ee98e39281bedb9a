"""Names for the arrays that every module passes around."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]


def plain(array: NDArray[Any]) -> Floats:
    """The array in the one layout that kernels are compiled for: contiguous, writable, of native floats. Copied only if it is not."""
    if array.flags.carray and array.dtype == np.float64:  # mostly: asking numpy takes longer
        return array
    return np.require(array, np.float64, ("C", "W", "A"))
