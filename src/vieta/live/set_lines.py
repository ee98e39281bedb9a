"""Sets from lines of JSON, one set a line, read with care: every line gives a set or the reason why not.

A line is {"y": [..], "psi": ..} or the list that y would be: L numbers, or L lists of p numbers. psi is a number, a list of D
numbers (with one number a reading) or p lists of D numbers; without psi it is one, Psi = I. Other keys are left alone.
"""

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.sets import LARGEST

NOT_JSON = "not JSON"
NO_SET = 'no set: {"y": [..]} or [..] is needed'
NO_NUMBER = "something that is no number where a number is needed"
NOT_FINITE = "a number that is not finite"
TOO_LARGE = f"a number beyond {LARGEST:g}, too large to be squared"
RAGGED = "lists of different lengths"
FOREIGN_INPUT = "psi does not fit: a number, a list of D (with one number a reading) or p lists of D are needed"

_decode = json.JSONDecoder(parse_int=float).decode
_NUMBERS = {float}
_MARK = b"\xef\xbb\xbf"  # with which some files begin


class BadLineError(ValueError):
    """A line that holds no set; the message is the reason."""


class Form(NamedTuple):
    """What the lines hold: L readings of p numbers, and inputs () for a number or (p, D)."""

    n_systems: int
    reading_dim: int
    inputs: tuple[int, ...]

    @property
    def dim(self) -> int:
        """D."""
        return self.inputs[1] if self.inputs else self.reading_dim

    def describe(self) -> str:
        """The form in words.

        >>> Form(4, 1, ()).describe()
        'sets of 4 readings, psi a number (1 where it is absent)'
        """
        L, p, _ = self
        readings = f"sets of {L} reading{'s' * (L > 1)}{f' of {p} numbers' * (p > 1)}"
        if not self.inputs:
            return f"{readings}, psi a number (1 where it is absent)"
        return f"{readings}, psi {f'{p} lists of {self.dim}' if p > 1 else f'a list of {self.dim}'}"


class Found(NamedTuple):
    """The sets of some lines.

    Attributes
    ----------
    sets, inputs : (n, L, p), (n,) or (n, p, D)
    at : (n,)
        The line of each, counted from zero.
    faults : list of (line, reason)
        Lines that hold none; blank lines count neither way.
    """

    sets: Floats
    inputs: Floats
    at: Integers
    faults: list[tuple[int, str]]


def form_of(lines: Iterable[bytes], n_systems: int | None = None) -> tuple[int, Form | None]:
    """The first line that holds a set, with so many systems if that is given, and its form; None if there is none."""
    for k, line in enumerate(lines):
        try:
            form, _, _ = _read(line)
        except BadLineError:
            continue
        if form is not None and n_systems in {None, form.n_systems}:
            return k, form
    return -1, None


def find_sets(lines: list[bytes], form: Form) -> Found:
    """The sets of the given form in some lines."""
    sets: list[float] = []
    inputs: list[float] = []
    at, faults = [], []
    for k, line in enumerate(lines):
        try:
            came, y, psi = _read(line)
            if came == form:
                sets += y
                inputs += psi
                at.append(k)
            elif came is not None:
                raise BadLineError(_difference(came, form))
        except BadLineError as error:
            faults.append((k, str(error)))
    L, p, shape = form
    arrays = without_minus(np.array(sets)), without_minus(np.array(inputs))
    return Found(
        arrays[0].reshape(len(at), L, p), arrays[1].reshape(len(at), *shape), np.array(at, dtype=np.int64), faults
    )


def without_minus(numbers: Floats) -> Floats:
    """Zeros lose their sign: readers of JSON differ about that of -0."""
    return numbers + 0.0


def value_of(line: bytes) -> Any:
    """What JSON makes of a line, None if it is none; whole numbers stay whole."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _read(line: bytes) -> tuple[Form | None, list[float], list[float]]:
    """Form and numbers of a line; None for a blank one."""
    if not line or line.isspace():
        return None, [], []
    try:
        value = _decode(str(line.removeprefix(_MARK), "utf-8"))
    except (ValueError, RecursionError):
        raise BadLineError(NOT_JSON) from None
    record = {"y": value} if type(value) is list else value
    if type(record) is not dict or type(record.get("y")) is not list or not record["y"]:
        raise BadLineError(NO_SET)
    (L, p), y = _numbers(record["y"])
    shape, psi = _inputs(record.get("psi", 1.0), p)
    if not (all(map(isfinite, y)) and all(map(isfinite, psi))):
        raise BadLineError(NOT_FINITE)
    if max(map(abs, y)) > LARGEST or max(map(abs, psi)) > LARGEST:
        raise BadLineError(TOO_LARGE)
    return Form(L, p, shape), y, psi


def _numbers(items: list[Any]) -> tuple[tuple[int, int], list[float]]:
    """Rows and columns, and the numbers row by row; a row may be a number."""
    kinds = set(map(type, items))
    if kinds == _NUMBERS:
        return (len(items), 1), items
    if kinds != {list}:
        raise BadLineError(NO_NUMBER)
    lengths = {len(row) for row in items}
    numbers = [number for row in items for number in row]
    if len(lengths) > 1 or not numbers:
        raise BadLineError(RAGGED)
    if set(map(type, numbers)) != _NUMBERS:
        raise BadLineError(NO_NUMBER)
    return (len(items), lengths.pop()), numbers


def _inputs(psi: Any, p: int) -> tuple[tuple[int, ...], list[float]]:
    """Shape and numbers of an input."""
    if type(psi) is float:
        return (), [psi]
    if type(psi) is not list or not psi:
        raise BadLineError(NO_NUMBER)
    (rows, columns), numbers = _numbers(psi)
    shape = (rows, columns) if type(psi[0]) is list else (1, rows)
    if shape[0] != p:
        raise BadLineError(FOREIGN_INPUT)
    return (() if shape == (1, 1) else shape), numbers


def _difference(came: Form, form: Form) -> str:
    """Why a line does not fit.

    >>> _difference(Form(3, 1, ()), Form(4, 1, ()))
    'another number of readings than 4'
    """
    if came.n_systems != form.n_systems:
        return f"another number of readings than {form.n_systems}"
    if came.reading_dim != form.reading_dim:
        return f"readings of another length than {form.reading_dim}"
    return f"psi of another shape than {'a number' if not form.inputs else ' x '.join(map(str, form.inputs))}"
