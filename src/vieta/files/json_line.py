"""A line of JSON: an object, or a list that stands for {"y": [..]}; the one parser of such lines, for files and for live input."""

import json
from collections.abc import Mapping
from math import inf, nan
from typing import Any

from vieta.errors import BadFileError
from vieta.files.reasons import NO_SET, NOT_A_NUMBER, NOT_JSON, RAGGED, WORDS

_MARK = b"\xef\xbb\xbf"  # with which some files begin
_whole = json.JSONDecoder().decode
_floats = json.JSONDecoder(parse_int=float).decode


def fault(code: str) -> BadFileError:
    """The error for a line that cannot be used, or for a part of it."""
    return BadFileError(code, "{reason}", reason=WORDS[code])


def decode(line: bytes, *, whole: bool = True) -> Any:
    """What a line holds; whole numbers stay whole, or become floats.

    >>> decode(b"[1, 2.5]"), decode(b"[1, 2.5]", whole=False)
    ([1, 2.5], [1.0, 2.5])
    """
    try:
        return (_whole if whole else _floats)(str(line.removeprefix(_MARK), "utf-8"))
    except (ValueError, RecursionError):
        raise fault(NOT_JSON) from None


def as_record(line: bytes, *, whole: bool = True) -> Mapping[str, Any]:
    """The object on a line, {"y": ..} for a list."""
    value = decode(line, whole=whole)
    if isinstance(value, list):
        return {"y": value}
    if not isinstance(value, dict):
        raise fault(NO_SET)
    return value


def numbers(items: list[Any]) -> tuple[tuple[int, int], list[float]]:
    """Rows and columns of a list of numbers, or of lists of numbers of one length, and the numbers row by row.

    >>> numbers([1, 2]), numbers([[1, 2], [3, 4]])
    (((2, 1), [1.0, 2.0]), ((2, 2), [1.0, 2.0, 3.0, 4.0]))
    """
    kinds = set(map(type, items))
    if kinds == _FLOATS:
        return (len(items), 1), items
    if kinds <= _NUMBERS:
        return (len(items), 1), _as_floats(items, kinds)
    if kinds != {list}:
        raise fault(NOT_A_NUMBER)
    lengths = {len(row) for row in items}
    flat = [number for row in items for number in row]
    if len(lengths) > 1 or not flat:
        raise fault(RAGGED)
    kinds = set(map(type, flat))
    if not kinds <= _NUMBERS:
        raise fault(NOT_A_NUMBER)
    return (len(items), lengths.pop()), _as_floats(flat, kinds)


_FLOATS = {float}
_NUMBERS = {float, int}


def _as_floats(items: list[Any], kinds: set[type]) -> list[float]:
    return items if int not in kinds else [_as_float(item) for item in items]


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # of a whole number that is too large
        return inf


def without_nulls(cell: Any) -> Any:
    """A list, or lists in a list, with NaN where a number is missing."""
    if isinstance(cell, list):
        return [without_nulls(item) for item in cell]
    return nan if cell is None else cell
