"""The boundary: whatever a user passes becomes `Data` here, once, or an error that says what to do.

Complete sets are the dense array (N, L, p) that they were given as, at no cost. Sets of different sizes are their readings one after another
with the place where each set begins. Both are one type, made here; what a method asks of them beside that is in `set_requirements`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers, plain
from vieta.ascending import are_ascending, sort_numbers
from vieta.conversion import NotReal, as_real
from vieta.errors import IncompleteSetsError, InputError
from vieta.frames import require_aligned

LARGEST = 1e100  # reading or input
COMMON = 0.1  # of the sets that have a size, if it is a common one


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Sets and inputs of checked shape.

    Attributes
    ----------
    readings : (N, L, p) or (R, p)
        Complete sets; or the readings of all sets, one set after another.
    inputs : (N,) or (N, p, D)
        A scalar c for Psi = c I (ones where no input was given), or Psi.
    dim : int
        D.
    offsets : (N + 1,), optional
        Set k holds the readings from offsets[k] to before offsets[k + 1]; absent for complete sets.
    size : int
        L, where sets are of different sizes; 0 to leave it to the method.
    known : (N,), optional
        A known number a set, which every system's predictor has beside the input: Psi theta + known.
    """

    readings: Floats
    inputs: Floats
    dim: int
    offsets: Integers | None = None
    size: int = 0
    known: Floats | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def __sizeof__(self) -> int:
        """Bytes of its arrays: by them a scheduler knows what it costs to move sets from worker to worker."""
        arrays = (self.readings, self.inputs, self.offsets, self.known)
        return object.__sizeof__(self) + sum(one.nbytes for one in arrays if one is not None)

    @property
    def is_complete(self) -> bool:
        """Whether every set is one row of a dense array."""
        return self.offsets is None

    @property
    def sets(self) -> Floats:
        """(N, L, p), for complete sets."""
        if self.offsets is not None:
            raise IncompleteSetsError(
                "incomplete-sets", "the sets have different sizes, and a dense array was asked for."
            )
        return self.readings

    @property
    def sizes(self) -> Integers:
        """(N,) how many readings each set has."""
        return np.full(len(self), self.readings.shape[1]) if self.offsets is None else np.diff(self.offsets)

    @property
    def n_systems(self) -> int:
        """L: the size of complete sets; else as given, or the largest size."""
        if self.offsets is None:
            return int(self.readings.shape[1])
        return self.size or int(self.sizes.max(initial=0))

    @property
    def reading_dim(self) -> int:
        """p."""
        return int(self.readings.shape[-1])

    @property
    def flat(self) -> tuple[Floats, Integers]:
        """The readings (R, p) of all sets, one set after another, and where sets begin and end (N + 1,), complete or not."""
        if self.offsets is not None:
            return self.readings, self.offsets
        N, L, p = self.readings.shape
        return self.readings.reshape(N * L, p), np.arange(0, N * L + 1, L)

    def part(self, start: int, stop: int) -> "Data":
        """Some of the sets."""
        known = None if self.known is None else self.known[start:stop]
        if self.offsets is None:
            return Data(self.readings[start:stop], self.inputs[start:stop], self.dim, known=known)
        offsets = self.offsets[start : min(stop, len(self)) + 1]
        readings = self.readings[offsets[0] : offsets[-1]]
        return Data(readings, self.inputs[start:stop], self.dim, offsets - offsets[0], self.size, known)

    def at(self, index: Integers) -> "Data":
        """The sets of these numbers."""
        known = None if self.known is None else self.known[index]
        if self.offsets is None:
            return Data(self.readings[index], self.inputs[index], self.dim, known=known)
        sizes, offsets = self.sizes[index], _offsets(self.sizes[index])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[index] - offsets[:-1], sizes)
        return Data(self.readings[places], self.inputs[index], self.dim, offsets, self.size, known)


def in_canonical_order(data: Data) -> Data:
    """Sets with the readings of each in ascending order, so that the order they came in changes no result, to the last bit.

    Sets of numbers that are in this order are given back as they are.

    >>> in_canonical_order(as_data([[3.0, -0.0, 0.0]], None)).sets.ravel()
    array([0., 0., 3.])
    """
    if data.is_complete and data.reading_dim == 1 and are_ascending(data.readings[:, :, 0]):
        return data
    readings = data.readings + 0.0  # -0.0 becomes 0.0
    if data.reading_dim == 1 and sort_numbers(readings.reshape(-1), data.offsets, readings.shape[1]):
        return replace(data, readings=readings)
    if data.offsets is not None:
        owner = np.repeat(np.arange(len(data)), data.sizes)
        order = np.lexsort((*readings.T[::-1], owner))
        return replace(data, readings=readings[order])
    if data.reading_dim == 1:
        readings.sort(axis=1)
    else:
        order = np.lexsort(np.moveaxis(readings, 2, 0)[::-1], axis=1)
        readings = np.take_along_axis(readings, order[:, :, None], axis=1)
    return replace(data, readings=readings)


def padded(data: Data) -> Floats:
    """(N, M, p) with NaN where a set has fewer than M readings, the most of any.

    >>> padded(as_data([[1.0, 2.0], [3.0]], None))[:, :, 0]
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    if data.is_complete:
        return data.sets
    readings, offsets = data.flat
    found = np.full((len(data), int(data.sizes.max(initial=1)), data.reading_dim), np.nan)
    row = np.repeat(np.arange(len(data)), data.sizes)
    found[row, np.arange(len(readings)) - offsets[row]] = readings
    return found


def joined(parts: Sequence[Data]) -> Data:
    """Sets one after another; complete if all of them are, and of one size."""
    inputs = np.concatenate([part.inputs for part in parts])
    numbers = [part.known for part in parts if part.known is not None]
    known = np.concatenate(numbers) if numbers else None
    if all(part.is_complete for part in parts) and len({part.n_systems for part in parts}) == 1:
        return Data(np.concatenate([part.readings for part in parts]), inputs, parts[0].dim, known=known)
    sizes = np.concatenate([part.sizes for part in parts])
    readings = np.concatenate([part.readings.reshape(-1, part.reading_dim) for part in parts])
    return Data(readings, inputs, parts[0].dim, _offsets(sizes), max(part.size for part in parts), known)


def as_data(sets: ArrayLike, inputs: ArrayLike | None, n_systems: int | None = None, name: str = "sets") -> Data:
    """Check shapes and types of sets (N, L), (N, L, p) or a list of different sizes, and inputs None, (N,), (N, D) or (N, p, D).

    >>> as_data([[1.0, 2.0], [3.0, 4.0]], None).inputs
    array([1., 1.])
    >>> as_data([[1.0, 2.0], [3.0]], None).offsets
    array([0, 2, 3])
    """
    require_aligned(sets, inputs)
    lists = _different_sizes(sets)
    if lists is None:
        readings = _as_sets(sets, n_systems, name)
        N, _, p = readings.shape
        psi, dim = as_inputs(inputs, N, p)
        return Data(readings, psi, dim)
    readings, offsets = _as_list(lists, name)
    psi, dim = as_inputs(inputs, len(offsets) - 1, readings.shape[1])
    return Data(readings, psi, dim, offsets, n_systems or 0)


def with_known(data: Data, known: ArrayLike | None) -> Data:
    """The same sets with a known number each, (N,) or one for all.

    >>> with_known(as_data([[0.0, 1.0], [1.0, 1.0]], None), [0.5, -0.5]).known
    array([ 0.5, -0.5])
    """
    if known is None:
        return data
    found = _numbers(known, "offset")
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape not in ((), (len(data),)):
        raise InputError(
            "offset-count",
            "{option.offset} must be one number a set: {n_sets} sets were given, and offsets of shape {shape}.",
            n_sets=len(data),
            shape=found.shape,
        )
    found = plain(np.broadcast_to(found, len(data)))
    bad = np.flatnonzero(~(abs(found) <= LARGEST))
    if len(bad):
        raise InputError(
            "offset-unknown",
            "offset[{index}] is missing or infinite. An offset must be known and finite: drop those sets.",
            index=int(bad[0]),
        )
    return replace(data, known=found)


def less_known(data: Data) -> Data:
    """The same sets with their known numbers taken off the readings: what is left are measurements of Psi theta.

    >>> less_known(with_known(as_data([[1.0, 2.0], [3.0, 4.0]], None), [1.0, 3.0])).sets[:, :, 0]
    array([[0., 1.],
           [0., 1.]])
    """
    if data.known is None:
        return data
    if data.reading_dim != 1:
        raise InputError(
            "offset-of-vectors",
            "{option.offset} is a number a set, and readings of {p} numbers were given: take it off them before.",
            p=data.reading_dim,
        )
    each = data.known[:, None, None] if data.is_complete else np.repeat(data.known, data.sizes)[:, None]
    return replace(data, readings=plain(data.readings - each), known=None)


def as_given(data: Data) -> Floats | list[Floats]:
    """Sets as a user gives them: an array (N, L, p), or a list of arrays of different lengths.

    >>> as_given(as_data([[1.0, 2.0], [3.0]], None))[1]
    array([[3.]])
    """
    if data.offsets is None:
        return data.readings
    return np.split(data.readings, data.offsets[1:-1])


def common_size(sizes: Integers) -> int:
    """L by the sizes of sets: the largest that a tenth of the sets have, and at least two of them.

    Smaller sets then lack readings; larger ones have some too many. Where no size is that common, the commonest, and the larger of two.

    >>> common_size(np.array([3, 3, 2, 2, 2, 2])), common_size(np.array([2, 2, 2, 3]))
    (3, 2)
    """
    times = np.bincount(sizes)
    common = np.flatnonzero(times >= max(2.0, COMMON * len(sizes)))
    return int(common[-1] if len(common) else np.flatnonzero(times == times.max())[-1])


def require_columns(L: int, n_systems: int | None) -> None:
    """Refuse sets of L readings where another number of systems was asked for."""
    if n_systems is not None and n_systems != L:
        raise InputError(
            "set-size",
            "sets of {given} readings were given, and {option.n_systems:{needed}} was asked for. Every set must hold one reading of each "
            "system.",
            given=L,
            needed=n_systems,
        )


def _as_sets(sets: ArrayLike, n_systems: int | None, name: str) -> Floats:
    readings = _numbers(sets, name)
    if readings.ndim == 2:
        readings = readings[:, :, None]
    if readings.ndim != 3:
        raise InputError(
            "sets-shape",
            "`{name}` must have shape (N, L) for readings that are numbers, or (N, L, p) for vectors; got {shape}. One row is one "
            "unordered set with a reading of each system.",
            name=name,
            shape=np.shape(sets),
        )
    N, L, p = readings.shape
    if N == 0 or L == 0 or p == 0:
        raise InputError(
            "no-sets",
            "`{name}` is empty: its shape is {shape}. At least one set of readings is needed.",
            name=name,
            shape=np.shape(sets),
        )
    require_columns(L, n_systems)
    return plain(readings)


def _as_list(sets: Sequence[Any], name: str) -> tuple[Floats, Integers]:
    """Readings (R, p) and offsets of sets of different sizes; a set may be empty."""
    arrays = [_numbers(one, f"{name}[{k}]") for k, one in enumerate(sets)]
    shaped = [one[:, None] if one.ndim == 1 else one for one in arrays]
    wide = {one.shape[1] for one in shaped if one.ndim == 2 and one.size}
    if any(one.ndim != 2 for one in shaped) or len(wide) > 1:
        raise InputError(
            "ragged-readings",
            "`{name}` must be a list of sets, each a list of numbers or of vectors of one length; readings of lengths {lengths} were given.",
            name=name,
            lengths=", ".join(map(str, sorted(wide))) or "unknown",
        )
    if not wide:
        raise InputError("no-sets", "`{name}` holds no reading at all. At least one is needed.", name=name)
    p = wide.pop()
    readings = np.concatenate([one.reshape(-1, p) for one in shaped])
    return plain(readings), _offsets(np.array([len(one) for one in shaped]))


def _offsets(sizes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _different_sizes(sets: ArrayLike) -> Sequence[Any] | None:
    """The sets, if they are a list of which not all have the same size."""
    if not isinstance(sets, Sequence) or isinstance(sets, str | bytes | bytearray | memoryview):
        return None
    sizes = {len(row) for row in sets if hasattr(row, "__len__") and not isinstance(row, str | bytes)}
    return sets if len(sizes) > 1 else None


def as_inputs(inputs: ArrayLike | None, N: int, p: int) -> tuple[Floats, int]:
    """Inputs (N,) or (N, p, D), and D."""
    if inputs is None:
        return np.ones(N), p
    psi = _numbers(inputs, "inputs")
    if psi.ndim == 0 or len(psi) != N:
        raise InputError(
            "inputs-count",
            "`inputs` must have one entry a set, empty sets included: {n_sets} sets were given, and {given} for `inputs`.",
            n_sets=N,
            given="one number" if psi.ndim == 0 else f"{len(psi)}",
        )
    if psi.ndim == 2 and p == 1:
        psi = psi[:, None, :]
    if psi.ndim == 3 and psi.shape[1:] == (1, 1):
        psi = psi[:, 0, 0]
    if psi.ndim == 1:
        return plain(psi), p
    if psi.ndim != 3 or psi.shape[1] != p or psi.shape[2] == 0:
        raise InputError(
            "inputs-shape",
            "`inputs` of shape {shape} do not fit readings of {p} number(s) each. Needed: (N,) scalars, (N, D) regressor rows with one "
            "number a reading, or (N, {p}, D) matrices.",
            shape=np.shape(inputs),
            p=p,
        )
    return plain(psi), int(psi.shape[2])


def _numbers(values: ArrayLike, name: str) -> Floats:
    found = as_real(values)
    if not isinstance(found, NotReal):
        return found
    if found.trouble == "complex":
        raise InputError(
            "complex-numbers",
            "`{name}` holds complex numbers; real ones are needed. Give points of the plane as (N, L, 2).",
            name=name,
        )
    if found.trouble == "none":
        raise IncompleteSetsError(
            "none-reading",
            "`{name}` holds None. Write a missing reading as NaN, and find out why it is missing.",
            name=name,
        )
    if found.trouble == "masked":
        raise IncompleteSetsError(
            "masked-reading",
            "`{name}` is a masked array. Write missing readings as NaN, and find out why they are missing.",
            name=name,
        )
    if found.trouble == "huge":
        raise InputError(
            "beyond-floats",
            "`{name}` holds a number beyond the range of 64-bit floating point (1.8e308). Use another unit.",
            name=name,
        )
    if found.trouble == "text":
        raise InputError(
            "not-numbers",
            "`{name}` must be an array of numbers; text or dates were given. Convert them first.",
            name=name,
        )
    raise InputError(
        "not-numbers",
        "`{name}` must be an array of numbers; this could not be read as one: {reason}.",
        name=name,
        reason=found.reason,
    )
