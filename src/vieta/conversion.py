"""What a caller gives as numbers, in the one form that is computed with: float64; or why it is none."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from vieta.arrays import Floats

Trouble = Literal["complex", "none", "masked", "text", "huge", "other"]


@dataclass(frozen=True, slots=True)
class NotReal:
    """Why something cannot be read as real numbers.

    Attributes
    ----------
    trouble : str
        "complex", "none" (it holds None), "masked", "text" (or dates), "huge" (beyond the range of float64), or "other".
    reason : str
        In words, for "other".
    """

    trouble: Trouble
    reason: str = ""


def as_real(values: Any) -> Floats | NotReal:
    """An array of float64 in native byte order; text is not parsed, imaginary parts and masks are not dropped.

    >>> as_real([True, 2, 3.5])
    array([1. , 2. , 3.5])
    >>> as_real(["1.5"])
    NotReal(trouble='text', reason='')
    >>> as_real([10**400])
    NotReal(trouble='huge', reason='')
    """
    if _masked(values):
        return NotReal("masked")
    try:
        array = np.asarray(values)
        if array.dtype == np.float64:
            return array
        array = _without_marks(array) if array.dtype == object else array
        trouble = _trouble(array)
        with np.errstate(
            all="ignore"
        ):  # what is too large for float64 becomes infinite, which is refused where it matters
            return np.asarray(array, dtype=np.float64) if trouble is None else NotReal(trouble)
    except OverflowError:
        return NotReal("huge")
    except Exception as error:  # whatever the caller's own objects raise when they are asked for numbers
        return NotReal("other", str(error))


def _masked(values: Any) -> bool:
    """Whether some entry of a masked array, or of one in a list, is masked."""
    rows = values if isinstance(values, list | tuple) else (values,)
    return any(np.ma.is_masked(row) for row in rows if isinstance(row, np.ma.MaskedArray))


def _without_marks(array: np.ndarray) -> np.ndarray:
    """Objects with NaN in place of pandas' mark for a missing entry, which nullable columns hold."""
    marked = [type(item).__name__ == "NAType" for item in array.ravel()]
    return np.where(np.reshape(marked, array.shape), np.nan, array) if any(marked) else array


def _trouble(array: np.ndarray) -> Trouble | None:
    if array.dtype.kind == "c":
        return "complex"
    if array.dtype.kind in "USTmM":
        return "text"
    if array.dtype != object:
        return None
    items = array.ravel()
    if any(item is None for item in items):
        return "none"
    if any(isinstance(item, complex | np.complexfloating) for item in items):
        return "complex"
    return "text" if any(isinstance(item, str | bytes | np.datetime64 | np.timedelta64) for item in items) else None
