"""What a law or a prediction may be given: each check returns the value in one form, or raises an error that says what is wrong."""

import operator
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError

MOST = 10**9  # sets, or draws


def as_floats(value: ArrayLike, name: str) -> Floats:
    """A read-only copy in float64, every entry finite."""
    found = as_real(value)
    if isinstance(found, NotReal):
        raise InputError(
            "not-an-array",
            "`{name}` must be a number or a rectangular array of numbers, got {value!r}.",
            name=name,
            value=value,
        )
    array = found.copy()
    if not np.all(np.isfinite(array)):
        raise InputError(
            "not-finite",
            "`{name}` must be finite, got {value!r}. Remove NaN and infinity first.",
            name=name,
            value=value,
        )
    array.flags.writeable = False
    return array


def frozen(array: Floats) -> Any:
    """The array as a float or as nested tuples, so that laws compare and print by value.

    >>> frozen(np.array([[1.0, 0.0], [0.0, 1.0]]))
    ((1.0, 0.0), (0.0, 1.0))
    """
    return float(array) if array.ndim == 0 else tuple(frozen(row) for row in array)


def as_count(value: object, name: str, least: int = 1) -> int:
    """An integer that is at least `least`.

    >>> as_count(2e5, "n")
    Traceback (most recent call last):
    ...
    vieta.errors.InputError: `n` must be an integer of at least 1, got 200000.0 (float). Write int(...) if a round float is meant.
    """
    needed = "`{name}` must be an integer of at least {least}, got {value!r} ({kind})."
    facts = {"name": name, "least": least, "value": value, "kind": type(value).__name__}
    try:
        count = operator.index(cast(SupportsIndex, value))
    except TypeError:
        raise InputError("not-a-count", needed + " Write int(...) if a round float is meant.", **facts) from None
    if isinstance(value, bool) or count < least:
        raise InputError("not-a-count", needed, **facts)
    return count


def as_size(value: object, name: str, least: int = 1) -> int:
    """A count of things that are held in memory."""
    count = as_count(value, name, least)
    if count > MOST:
        raise InputError(
            "too-many",
            "`{name}` must be at most {most:,}, got {value!r}: more do not fit into memory.",
            name=name, most=MOST, value=value,
        )  # fmt: skip
    return count


def as_number(value: ArrayLike, name: str, *, above: float = -np.inf, below: float = np.inf) -> float:
    """One finite number, strictly between two bounds."""
    number = as_floats(value, name)
    if number.ndim or not above < number < below:
        raise InputError(
            "out-of-range",
            "`{name}` must be one number between {above:g} and {below:g} (excluded), got {value!r}.",
            name=name, above=above, below=below, value=value,
        )  # fmt: skip
    return float(number)


def as_theta(theta: ArrayLike, name: str = "theta") -> Floats:
    """Parameters as (L, D): one row per system; (L,) is read as L systems with one parameter each."""
    array = as_floats(theta, name)
    if array.ndim not in {1, 2} or array.size == 0:
        raise InputError(
            "parameters-shape",
            "`{name}` must have shape (L,) or (L, D), one row per system, got {shape}. A single system with D parameters is "
            "[[a, b, ...]].",
            name=name, shape=array.shape,
        )  # fmt: skip
    if array.ndim == 1:
        array = array[:, None]
    return array


def as_probabilities(probabilities: ArrayLike, name: str = "probabilities") -> Floats:
    """Non-negative numbers along the last axis that add up to one."""
    array = as_floats(probabilities, name)
    if array.ndim == 0 or array.size == 0:
        raise InputError(
            "no-probabilities",
            "`{name}` must list at least one probability, got {value!r}.",
            name=name,
            value=probabilities,
        )
    total = array.sum(axis=-1)
    if np.any(array < 0) or not np.allclose(total, 1.0, rtol=0, atol=1e-9):
        raise InputError(
            "not-probabilities",
            "`{name}` must be non-negative and add up to 1 in each row, got least {least:g} and sums {sums}. Divide by the sum if "
            "these are weights.",
            name=name, least=float(array.min()), sums=total.tolist(),
        )  # fmt: skip
    return array


def as_transition(transition: ArrayLike, name: str = "transition") -> Floats:
    """A square stochastic matrix: entry (i, j) is the probability of going from i to j."""
    array = as_probabilities(transition, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(
            "not-a-transition",
            "`{name}` must be a square matrix, row i the law of the step out of i, got {shape}.",
            name=name, shape=array.shape,
        )  # fmt: skip
    return array
