"""The boundary: whatever a user passes becomes arrays of known shape here, once, or an error that says what to do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats

LARGEST = 1e100  # reading or input


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Sets and inputs of checked shape.

    Attributes
    ----------
    sets : (N, L, p)
    inputs : (N,) or (N, p, D)
        A scalar c for Psi = c I (ones where no input was given), or Psi.
    dim : int
        D.
    """

    sets: Floats
    inputs: Floats
    dim: int

    @property
    def n_systems(self) -> int:
        """L."""
        return int(self.sets.shape[1])

    @property
    def reading_dim(self) -> int:
        """p."""
        return int(self.sets.shape[2])


def as_data(sets: ArrayLike, inputs: ArrayLike | None, n_systems: int | None = None, name: str = "sets") -> Data:
    """Check shapes and types of sets (N, L) or (N, L, p) and inputs None, (N,), (N, D) or (N, p, D).

    >>> as_data([[1.0, 2.0], [3.0, 4.0]], None).inputs
    array([1., 1.])
    """
    readings = _as_sets(sets, n_systems, name)
    N, _, p = readings.shape
    if inputs is None:
        return Data(readings, np.ones(N), p)
    psi = _numbers(inputs, "inputs")
    if psi.ndim == 0 or len(psi) != N:
        came = "one number" if psi.ndim == 0 else f"{len(psi)}"
        raise ValueError(f"`inputs` must have one entry a set: {N} sets came, and {came} for `inputs`.")
    if psi.ndim == 2 and p == 1:
        psi = psi[:, None, :]
    if psi.ndim == 3 and psi.shape[1:] == (1, 1):
        psi = psi[:, 0, 0]
    if psi.ndim == 1:
        return Data(readings, _own(psi), p)
    if psi.ndim != 3 or psi.shape[1] != p or psi.shape[2] == 0:
        raise ValueError(
            f"`inputs` of shape {np.shape(inputs)} do not fit readings of {p} number(s) each. Needed: (N,) scalars, "
            f"(N, D) regressor rows with one number a reading, or (N, {p}, D) matrices."
        )
    return Data(readings, _own(psi), psi.shape[2])


def require_finite(data: Data) -> None:
    """Raise if a reading or an input is missing, infinite, or so large that its square is."""
    if all(values.min() >= -LARGEST and values.max() <= LARGEST for values in (data.sets, data.inputs)):
        return
    _require_known(data)
    for name, values in (("sets", data.sets), ("inputs", data.inputs)):
        bad = np.argwhere(abs(values) > LARGEST)
        if len(bad):
            raise ValueError(
                f"{name}[{int(bad[0][0])}] holds {values[tuple(bad[0])]:.3g}, which is too large to be squared in numbers of "
                "64 bits. If it is false, drop or repair that set; if all are so large, use another unit."
            )


def _require_known(data: Data) -> None:
    bad = np.argwhere(~np.isfinite(data.sets))
    if len(bad):
        k, i = int(bad[0][0]), int(bad[0][1])
        if np.isnan(data.sets[tuple(bad[0])]):
            raise ValueError(
                f"sets[{k}] is incomplete: member {i} is missing (NaN), and {len(np.unique(bad[:, 0]))} set(s) in all "
                f"have missing or infinite members. Every set needs all {data.n_systems} readings: drop those sets."
            )
        raise ValueError(
            f"sets[{k}], member {i}, is infinite. Readings must be finite numbers: drop or repair that set."
        )
    bad = np.argwhere(~np.isfinite(data.inputs))
    if len(bad):
        raise ValueError(
            f"inputs[{int(bad[0][0])}] is missing or infinite. Inputs must be known and finite: drop those sets."
        )


def _as_sets(sets: ArrayLike, n_systems: int | None, name: str) -> Floats:
    _refuse_ragged(sets)
    readings = _numbers(sets, name)
    if readings.ndim == 2:
        readings = readings[:, :, None]
    if readings.ndim != 3:
        raise ValueError(
            f"`{name}` must have shape (N, L) for readings that are numbers, or (N, L, p) for vectors; got "
            f"{np.shape(sets)}. One row is one unordered set with a reading of each system."
        )
    N, L, p = readings.shape
    if N == 0 or L == 0 or p == 0:
        raise ValueError(f"`{name}` is empty: its shape is {np.shape(sets)}. At least one set of readings is needed.")
    if n_systems is not None and n_systems != L:
        raise ValueError(
            f"sets of {L} readings came, and n_systems={n_systems} was asked for. Every set must hold one reading of "
            "each system."
        )
    return _own(readings)


def _refuse_ragged(sets: ArrayLike) -> None:
    if isinstance(sets, Sequence) and not isinstance(sets, str | bytes):
        sizes = {len(row) for row in sets if hasattr(row, "__len__") and not isinstance(row, str | bytes)}
        if len(sizes) > 1:
            raise ValueError(
                f"the sets have different sizes ({', '.join(str(s) for s in sorted(sizes))}). Incomplete sets are not "
                "supported: every set must hold one reading of each system. Drop the incomplete ones."
            )


def _numbers(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values)
        if np.iscomplexobj(array):
            raise ValueError(
                f"`{name}` holds complex numbers; real ones are needed. Give points of the plane as (N, L, 2)."
            )
        if array.dtype == object and any(item is None for item in array.ravel()):
            raise ValueError(f"`{name}` holds None. Incomplete sets are not supported: drop them.")
        if np.ma.is_masked(values):
            raise ValueError(f"`{name}` is a masked array. Incomplete sets are not supported: drop the masked ones.")
        if array.dtype.kind in "USmM":
            raise ValueError(f"`{name}` must be an array of numbers; one of text or dates came. Convert it first.")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if str(error).startswith("`"):
            raise
        raise ValueError(f"`{name}` must be an array of numbers; this could not be read as one: {error}.") from None


def _own(array: Floats) -> Floats:
    """In order of memory and writable: kernels are compiled for such arrays, and would be again for any other kind."""
    return np.require(array, requirements=["C", "W"])
