"""What a method asks of sets: complete ones, or gaps that it can use; finite numbers; sizes that it can afford. Errors say what to do."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import plain
from vieta.errors import IncompleteSetsError, InputError
from vieta.sets import LARGEST, Data, as_data, as_inputs, common_size, require_columns

MOST_NUMBERS = 128  # in a set, L p: the work on a set grows as their cube
MOST_READINGS, MOST_SYSTEMS = 64, 60  # of an incomplete set
MOST_UNKNOWNS = 512  # L D: matrices of this size are inverted at every step


def require_complete(data: Data, method: str) -> None:
    """Refuse sets of different sizes, for a method that needs one reading of each system in every set."""
    if data.is_complete:
        return
    sizes = data.sizes
    usual = data.size or common_size(sizes)
    first = int((sizes != usual).argmax())
    raise IncompleteSetsError(
        "incomplete-sets",
        "sets[{index}] has {given} reading(s) where {needed} were expected, and {count:,} of the {n_sets:,} sets have another size. "
        "Method {method!r} needs complete sets, one reading of each system.",
        index=first,
        given=int(sizes[first]),
        needed=usual,
        count=int((sizes != usual).sum()),
        n_sets=len(data),
        method=method,
    )


def require_size(data: Data, n_systems: int | None) -> None:
    """Refuse complete sets of another size than was asked for, if any was."""
    require_columns(data.n_systems, n_systems)


def has_absent(data: Data) -> bool:
    """Whether sets have different sizes, or readings that are NaN."""
    return not data.is_complete or bool(np.isnan(data.readings.min()))


def as_incomplete(
    data: Data, n_systems: int | None = None, *, counted: bool = False, some_of_many: bool = False
) -> Data:
    """The same sets for a method that takes incomplete ones: without the readings that are NaN, of L systems, checked.

    L is the number that is asked for, or that of the columns of an array. Where there is neither, it is left open if it is to be `counted`.
    Sets that are `some_of_many` may all be empty, or small.

    >>> as_incomplete(as_data([[1.0, np.nan], [3.0, 4.0]], None)).sizes
    array([1, 2])
    """
    L = n_systems or (data.n_systems if data.is_complete else data.size)
    readings, offsets = data.flat
    absent = np.isnan(readings).all(axis=1)
    if absent.any():
        offsets = np.concatenate([[0], np.cumsum(~absent)])[offsets]
        readings = plain(readings[~absent])
    whole = data.is_complete and data.n_systems == L and not absent.any()
    found = data if whole else Data(readings, data.inputs, data.dim, offsets.astype(np.int64), L)
    _require_numbers(found)
    _require_sizes(found, counted=counted, some_of_many=some_of_many)
    return found


def as_streamed(sets: ArrayLike, inputs: ArrayLike | None, n_systems: int, like: Data | None) -> Data:
    """Some sets of a stream, of any size, for a method that takes incomplete ones; `like` tells the shape of those before.

    >>> as_streamed([[], []], [1.0, 2.0], 3, None).sizes
    array([0, 0])
    """
    if not (isinstance(sets, Sequence) and len(sets) and _are_empty(sets)):
        return as_incomplete(as_data(sets, inputs), n_systems, some_of_many=True)
    given = np.shape(inputs)[1] if inputs is not None and np.ndim(inputs) == 3 else 1
    N, p = len(sets), given if like is None else like.reading_dim
    psi, dim = as_inputs(inputs, N, p)
    none = Data(np.zeros((0, p)), psi, dim, np.zeros(N + 1, dtype=np.int64), n_systems)
    return as_incomplete(none, n_systems, some_of_many=True)


def _are_empty(sets: Sequence[Any]) -> bool:
    """Whether no set has a reading."""
    return all(hasattr(one, "__len__") and not isinstance(one, str | bytes) and not len(one) for one in sets)


def _require_numbers(data: Data) -> None:
    """Refuse a reading that is NaN in part, infinite or too large, and an input that is not known; by the set that it belongs to."""
    readings, offsets = data.flat
    bad = np.flatnonzero(~(abs(readings) <= LARGEST).all(axis=1))
    index = int(np.searchsorted(offsets, bad[0], side="right")) - 1 if len(bad) else 0
    if len(bad) and np.isnan(readings[bad[0]]).any():
        raise InputError(
            "nan-in-vector",
            "sets[{index}] has a reading that is missing in part: {reading}. A reading is there as a whole or not at all: give all of its "
            "numbers, or leave it out.",
            index=index,
            reading="[" + ", ".join(f"{value:.4g}" for value in readings[bad[0]]) + "]",
        )
    if len(bad):
        raise InputError(
            "reading-of-set",
            "sets[{index}] has a reading that is infinite, or too large to be squared ({value:.3g}): repair it, or use another unit.",
            index=index,
            value=float(readings[bad[0]][abs(readings[bad[0]]).argmax()]),
        )
    unknown = np.argwhere(~(abs(data.inputs) <= LARGEST))
    if len(unknown):
        raise InputError(
            "unknown-input",
            "inputs[{index}] is missing or infinite. Inputs must be known and finite, those of empty sets too: drop those sets.",
            index=int(unknown[0][0]),
        )


def _require_sizes(data: Data, *, counted: bool, some_of_many: bool) -> None:
    """Refuse sets of very many readings, sets without any reading, and more systems than there are readings for."""
    sizes, L = data.sizes, data.n_systems if data.is_complete else data.size
    if sizes.max(initial=0) > MOST_READINGS:
        raise InputError(
            "set-too-large",
            "sets[{index}] has {given} readings, and {most} are practical. If rows and columns are exchanged, give the transpose; else "
            "leave out readings that are surely false.",
            index=int((sizes > MOST_READINGS).argmax()),
            given=int(sizes.max()),
            most=MOST_READINGS,
        )
    if len(data) and not sizes.any() and not some_of_many:
        raise InputError(
            "no-readings", "all {n_sets:,} sets are empty. At least some readings are needed.", n_sets=len(data)
        )
    if not L and not counted:
        raise IncompleteSetsError(
            "systems-not-given",
            "the sets have different sizes{sizes}, and the number of systems is not known. Give {option.n_systems}: sets that are smaller then "
            "lack readings, and larger ones hold false ones.",
            sizes=f", {sizes.min()} to {sizes.max()} readings" if len(sizes) else "",
        )
    if len(data) and 2 * sizes.max() < L and not some_of_many:
        raise InputError(
            "systems-above-sizes",
            "{option.n_systems:{needed}} was asked for, and the largest set has {given} reading(s): no set shows even half of so many "
            "systems. Give a smaller number.",
            needed=L,
            given=int(sizes.max()),
        )
    if L > MOST_SYSTEMS:
        raise InputError(
            "systems-above-limit",
            "{option.n_systems:{needed}} was asked for; up to {most} systems are possible in incomplete sets.",
            needed=L,
            most=MOST_SYSTEMS,
        )


def require_affordable(data: Data) -> None:
    """Refuse sets so large that a fit would take hours, or forever."""
    numbers, unknowns = data.n_systems * data.reading_dim, data.n_systems * data.dim
    if numbers <= MOST_NUMBERS and unknowns <= MOST_UNKNOWNS:
        return
    raise InputError(
        "sets-too-large",
        "sets of {n_systems:,} readings of {p} number(s), with {dim:,} parameter(s) a system, were given: {numbers:,} numbers a set and "
        "{unknowns:,} unknowns, where {most_numbers} and {most_unknowns} are practical. A row is one set: if rows and columns are "
        "exchanged, give the transpose; else estimate fewer systems or parameters.",
        n_systems=data.n_systems,
        p=data.reading_dim,
        dim=data.dim,
        numbers=numbers,
        unknowns=unknowns,
        most_numbers=MOST_NUMBERS,
        most_unknowns=MOST_UNKNOWNS,
    )


def require_finite(data: Data) -> None:
    """Refuse a reading or an input that is missing (NaN), infinite, or too large to be squared."""
    if all(values.min() >= -LARGEST and values.max() <= LARGEST for values in (data.readings, data.inputs)):
        return
    _require_known(data)
    for name, values in (("sets", data.readings), ("inputs", data.inputs)):
        bad = np.argwhere(abs(values) > LARGEST)
        if len(bad):
            raise InputError(
                "too-large",
                "{name}[{index}] holds {value:.3g}, which is too large to be squared in 64-bit floating point. If it is false, drop or "
                "repair that set; if all are so large, use another unit.",
                name=name,
                index=int(bad[0][0]),
                value=float(values[tuple(bad[0])]),
            )


def _require_known(data: Data) -> None:
    bad = np.argwhere(~np.isfinite(data.readings))
    if len(bad) and np.isnan(data.readings[tuple(bad[0])]):
        raise IncompleteSetsError(
            "nan-reading",
            "sets[{index}] is incomplete: member {member} is missing (NaN), and {count} set(s) in all have missing or infinite members. "
            "Every set needs all {n_systems} readings; leaving such sets out is right only where readings are missing by chance.",
            index=int(bad[0][0]),
            member=int(bad[0][1]),
            count=len(np.unique(bad[:, 0])),
            n_systems=data.n_systems,
        )
    if len(bad):
        raise InputError(
            "infinite-reading",
            "sets[{index}], member {member}, is infinite. Readings must be finite numbers: repair that one.",
            index=int(bad[0][0]),
            member=int(bad[0][1]),
        )
    bad = np.argwhere(~np.isfinite(data.inputs))
    if len(bad):
        raise InputError(
            "unknown-input",
            "inputs[{index}] is missing or infinite. Inputs must be known and finite: drop those sets.",
            index=int(bad[0][0]),
        )
