"""Sets from lines of JSON, one set a line: every line gives a set or the code of the reason why not.

A line is {"y": [..], "psi": ..} or the list that y would be: L numbers, or L lists of p numbers. psi is a number, a list of D
numbers (with one number a reading) or p lists of D numbers; without psi it is one, Psi = I. Where an offset is asked for, it is the number of
the key "offset", which counts as the last one of psi, or else the last one of psi itself. Other keys are left alone.

Where sets may have any size, y may have any number of readings, none included, and null stands for one that is missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import BadFileError
from vieta.files.json_line import as_record, fault, numbers
from vieta.files.reasons import (
    FOREIGN_INPUT,
    NO_OFFSET,
    NO_SET,
    NOT_A_NUMBER,
    NOT_FINITE,
    OTHER_COUNT,
    OTHER_INPUT,
    OTHER_LENGTH,
    TOO_LARGE,
    TOO_MANY,
)
from vieta.set_requirements import MOST_READINGS
from vieta.sets import LARGEST


class Form(NamedTuple):
    """What the lines hold: L readings of p numbers, or any number of them, inputs () for a number or (p, D), and whether one is an offset."""

    n_systems: int
    reading_dim: int
    inputs: tuple[int, ...]
    any_size: bool = False
    offset: bool = False

    @property
    def dim(self) -> int:
        """D."""
        return self.inputs[1] if self.inputs else self.reading_dim

    @property
    def dim_without_offset(self) -> int:
        """D, where the last number of psi is a known one: one parameter is left where there is no other."""
        return max(self.dim - 1, 1) if self.inputs else self.dim

    def describe(self) -> str:
        """The form in words.

        >>> Form(4, 1, ()).describe()
        'sets of 4 readings, psi a number (1 where it is absent)'
        >>> Form(4, 2, (2, 3), any_size=True).describe()
        'sets of any number of readings of 2 numbers, from 4 systems, psi 2 lists of 3'
        >>> Form(4, 1, (), offset=True).describe()
        'sets of 4 readings, an offset'
        """
        L, p = self.n_systems, self.reading_dim
        readings = f"sets of {L} reading{'s' * (L > 1)}{f' of {p} numbers' * (p > 1)}"
        if self.any_size:
            readings = f"sets of any number of readings{f' of {p} numbers' * (p > 1)}, from {L} system{'s' * (L > 1)}"
        if self.offset:
            D = self.dim_without_offset
            psi = "" if not self.inputs else ", psi a number" if D == 1 else f", psi a list of {D}"
            return f"{readings}{psi}, an offset"
        if not self.inputs:
            return f"{readings}, psi a number (1 where it is absent)"
        return f"{readings}, psi {f'{p} lists of {self.dim}' if p > 1 else f'a list of {self.dim}'}"


class Found(NamedTuple):
    """The sets of some lines.

    Attributes
    ----------
    sets, inputs : (n, L, p), (n,) or (n, p, D)
        Where sets have any size, they are a list of n arrays (.., p).
    at : (n,)
        The line of each, counted from zero.
    faults : list of (line, code)
        Lines that hold none, and why (`vieta.files.reasons`); blank lines count neither way.
    """

    sets: Floats | list[Floats]
    inputs: Floats
    at: Integers
    faults: list[tuple[int, str]]


def form_of(
    lines: Iterable[bytes], n_systems: int | None = None, *, any_size: bool = False, offset: bool = False
) -> tuple[int, Form | None]:
    """The first line that holds a set, with so many systems if that is given, and its form; None if there is none.

    Where sets may have any size, the first one with a reading tells.
    """
    for k, line in enumerate(lines):
        try:
            form, _, _ = _read(line, 0 if any_size else None, offset=offset)
        except BadFileError:
            continue
        if form is None or (any_size and not form.n_systems):
            continue
        if any_size:
            return k, form._replace(n_systems=n_systems or form.n_systems, any_size=True, offset=offset)
        if n_systems in {None, form.n_systems}:
            return k, form._replace(offset=offset)
    return -1, None


def find_sets(lines: list[bytes], form: Form) -> Found:
    """The sets of the given form in some lines."""
    readings: list[float] = []
    inputs: list[float] = []
    at, sizes, faults = [], [], []
    for k, line in enumerate(lines):
        try:
            found, y, psi = _read(line, form.reading_dim if form.any_size else None, offset=form.offset)
        except BadFileError as error:
            faults.append((k, error.code))
            continue
        if found is None:
            continue
        if (reason := _difference(found, form)) is None:
            readings += y
            inputs += psi
            sizes.append(found.n_systems)
            at.append(k)
        else:
            faults.append((k, reason))
    L, p, shape, any_size, _ = form
    flat = unsigned_zeros(np.array(readings, dtype=np.float64)).reshape(-1, p)
    psis = unsigned_zeros(np.array(inputs, dtype=np.float64)).reshape(len(at), *shape)
    sets = cut(flat, sizes) if any_size else flat.reshape(len(at), L, p)
    return Found(sets, psis, np.array(at, dtype=np.int64), faults)


def cut(readings: Floats, sizes: Sequence[int] | Integers) -> list[Floats]:
    """Sets of some sizes from all their readings (R, p).

    >>> [len(one) for one in cut(np.zeros((3, 1)), [1, 0, 2])]
    [1, 0, 2]
    """
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
    return [readings[a:b] for a, b in pairwise(ends)]


def unsigned_zeros(values: Floats) -> Floats:
    """Zeros lose their sign: readers of JSON differ about that of -0."""
    return values + 0.0


def _read(
    line: bytes, of_empty: int | None = None, *, offset: bool = False
) -> tuple[Form | None, list[float], list[float]]:
    """Form and numbers of a line; None for a blank one. Where sets may be empty, `of_empty` is what p of one is, zero for whatever fits."""
    if not line or line.isspace():
        return None, [], []
    record = as_record(line, whole=False)
    items = record.get("y")
    if type(items) is not list or not (items or of_empty is not None):
        raise fault(NO_SET)
    if of_empty is not None:
        items = [item for item in items if item is not None]
    (L, p), y = numbers(items) if items else ((0, of_empty or 0), [])
    shape, psi = _inputs(_with_offset(record) if offset else record.get("psi", 1.0), p)
    if not (all(map(isfinite, y)) and all(map(isfinite, psi))):
        raise fault(NOT_FINITE)
    if max(map(abs, y), default=0.0) > LARGEST or max(map(abs, psi)) > LARGEST:
        raise fault(TOO_LARGE)
    return Form(L, p, shape), y, psi


def _with_offset(record: Mapping[str, Any]) -> Any:
    """The input whose last number is the offset.

    >>> [_with_offset(one) for one in ({"psi": [1.0, 0.5]}, {"offset": 0.5}, {"psi": 2.0, "offset": 0.5}, {"psi": [1.0, 2.0], "offset": 0.5})]
    [[1.0, 0.5], 0.5, [2.0, 0.5], [1.0, 2.0, 0.5]]
    """
    if "offset" not in record:
        if "psi" not in record:
            raise fault(NO_OFFSET)
        return record["psi"]
    known = record["offset"]
    if type(known) is not float:
        raise fault(NOT_A_NUMBER)
    if "psi" not in record:
        return known
    psi = record["psi"]
    return [*(psi if type(psi) is list else [psi]), known]


def _inputs(psi: Any, p: int) -> tuple[tuple[int, ...], list[float]]:
    """Shape and numbers of an input."""
    if type(psi) is float:
        return (), [psi]
    if type(psi) is not list or not psi:
        raise fault(NOT_A_NUMBER)
    (rows, columns), flat = numbers(psi)
    shape = (rows, columns) if type(psi[0]) is list else (1, rows)
    if shape[0] != p and p:
        raise fault(FOREIGN_INPUT)
    return (() if shape == (1, 1) else shape), flat


def _difference(found: Form, form: Form) -> str | None:
    """Why a line does not fit, as a code; None if it does.

    >>> _difference(Form(3, 1, ()), Form(4, 1, ())), _difference(Form(3, 1, ()), Form(4, 1, (), any_size=True))
    ('other-count', None)
    """
    if form.any_size and found.n_systems > MOST_READINGS:
        return TOO_MANY
    if not form.any_size and found.n_systems != form.n_systems:
        return OTHER_COUNT
    if found.reading_dim != form.reading_dim:
        return OTHER_LENGTH
    return OTHER_INPUT if found.inputs != form.inputs else None
