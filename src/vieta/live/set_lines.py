"""Sets from lines of JSON, one set a line: every line gives a set or the code of the reason why not.

A line is {"y": [..], "psi": ..} or the list that y would be: L numbers, or L lists of p numbers. psi is a number, a list of D
numbers (with one number a reading) or p lists of D numbers; without psi it is one, Psi = I. Other keys are left alone.
"""

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import BadFileError
from vieta.files.json_line import as_record, fault, numbers
from vieta.files.reasons import (
    FOREIGN_INPUT,
    NO_SET,
    NOT_A_NUMBER,
    NOT_FINITE,
    OTHER_COUNT,
    OTHER_INPUT,
    OTHER_LENGTH,
    TOO_LARGE,
)
from vieta.sets import LARGEST


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
    faults : list of (line, code)
        Lines that hold none, and why (`vieta.files.reasons`); blank lines count neither way.
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
        except BadFileError:
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
            found, y, psi = _read(line)
        except BadFileError as error:
            faults.append((k, error.code))
            continue
        if found == form:
            sets += y
            inputs += psi
            at.append(k)
        elif found is not None:
            faults.append((k, _difference(found, form)))
    L, p, shape = form
    arrays = unsigned_zeros(np.array(sets)), unsigned_zeros(np.array(inputs))
    return Found(
        arrays[0].reshape(len(at), L, p), arrays[1].reshape(len(at), *shape), np.array(at, dtype=np.int64), faults
    )


def unsigned_zeros(values: Floats) -> Floats:
    """Zeros lose their sign: readers of JSON differ about that of -0."""
    return values + 0.0


def _read(line: bytes) -> tuple[Form | None, list[float], list[float]]:
    """Form and numbers of a line; None for a blank one."""
    if not line or line.isspace():
        return None, [], []
    record = as_record(line, whole=False)
    if type(record.get("y")) is not list or not record["y"]:
        raise fault(NO_SET)
    (L, p), y = numbers(record["y"])
    shape, psi = _inputs(record.get("psi", 1.0), p)
    if not (all(map(isfinite, y)) and all(map(isfinite, psi))):
        raise fault(NOT_FINITE)
    if max(map(abs, y)) > LARGEST or max(map(abs, psi)) > LARGEST:
        raise fault(TOO_LARGE)
    return Form(L, p, shape), y, psi


def _inputs(psi: Any, p: int) -> tuple[tuple[int, ...], list[float]]:
    """Shape and numbers of an input."""
    if type(psi) is float:
        return (), [psi]
    if type(psi) is not list or not psi:
        raise fault(NOT_A_NUMBER)
    (rows, columns), flat = numbers(psi)
    shape = (rows, columns) if type(psi[0]) is list else (1, rows)
    if shape[0] != p:
        raise fault(FOREIGN_INPUT)
    return (() if shape == (1, 1) else shape), flat


def _difference(found: Form, form: Form) -> str:
    """Why a line does not fit, as a code.

    >>> _difference(Form(3, 1, ()), Form(4, 1, ()))
    'other-count'
    """
    if found.n_systems != form.n_systems:
        return OTHER_COUNT
    return OTHER_LENGTH if found.reading_dim != form.reading_dim else OTHER_INPUT
