"""Names for the arrays that every module passes around."""

from itertools import accumulate, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]

APART = 16  # numbers, two lines of 64 bytes: a processor fetches lines in pairs


def plain(array: NDArray[Any]) -> Floats:
    """The array in the one layout that kernels are compiled for: contiguous, writable, of native floats. Copied only if it is not."""
    if array.flags.carray and array.dtype == np.float64:  # mostly: asking numpy takes longer
        return array
    return np.require(array, np.float64, ("C", "W", "A"))


def unshared(*shapes: tuple[int, ...]) -> list[Floats]:
    """Zeros of some shapes, in lines of memory that nothing else is in: for small arrays that a kernel writes for every set.

    A line is written by one processor at a time. NumPy gives small arrays memory that any thread gave back, so that arrays of two threads often
    lie in one line, and while both write, a kernel takes up to six times as long.

    >>> unshared((2,), (1, 2))
    [array([0., 0.]), array([[0., 0.]])]
    """
    ends = list(accumulate(map(prod, shapes), initial=APART))
    room = np.zeros(ends[-1] + APART)
    return [room[start:end].reshape(shape) for (start, end), shape in zip(pairwise(ends), shapes, strict=True)]


def product(a: Floats, b: Floats) -> Floats:
    """a b, to the last bit what `a @ b` is for two matrices, while other threads go on: `@` holds the interpreter during a single product.

    >>> product(np.ones((2, 3)), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """
    return np.asarray(np.dot(a, b), dtype=np.float64)
