"""The shapes that baselines are given, brought to one form; what does not fit is refused with a reason."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from vieta.estimation.design import Block
from vieta.symmetric.arrays import Floats


class Data(NamedTuple):
    """Checked readings and inputs: y_l(k) = Psi(k) theta_l + noise."""

    sets: Floats  # (N, L, p)
    inputs: Floats  # (N,) for Psi = c I, or (N, p, D)

    @property
    def n_systems(self) -> int:
        """L."""
        return int(self.sets.shape[1])

    @property
    def reading_dim(self) -> int:
        """p."""
        return int(self.sets.shape[2])

    @property
    def dim(self) -> int:
        """D: with scalar inputs as many parameters as readings."""
        return int(self.inputs.shape[-1]) if self.inputs.ndim == 3 else self.reading_dim

    def regression(self) -> Block:
        """One linear regression for all systems: (N, m, q) gains and (N, m, K) readings, K columns at once.

        Scalar inputs: m = q = 1 and a column for each of the L p readings. Matrices: m = p, q = D, a column a system.
        """
        if self.inputs.ndim == 1:
            return Block(self.inputs[:, None, None], self.sets.reshape(len(self.sets), 1, -1))
        return Block(self.inputs, np.ascontiguousarray(np.swapaxes(self.sets, 1, 2)))

    def to_columns(self, theta: Floats) -> Floats:
        """Parameters (L, D) as the columns (q, K) of `regression`."""
        return np.array(theta.reshape(1, -1) if self.inputs.ndim == 1 else theta.T, order="C")

    def from_columns(self, columns: Floats) -> Floats:
        """Columns (..., q, K) of `regression` as parameters (..., L, D)."""
        if self.inputs.ndim == 1:
            return columns.reshape(*columns.shape[:-2], self.n_systems, self.dim)
        return np.ascontiguousarray(np.swapaxes(columns, -1, -2))

    def matrices(self, piece: slice) -> Floats:
        """Psi (n, p, D) of some of the sets."""
        if self.inputs.ndim == 3:
            return self.inputs[piece]
        c = self.inputs[piece, None, None]
        return c if self.dim == 1 else np.asarray(c * np.eye(self.dim))


def as_data(sets: ArrayLike, inputs: ArrayLike | None, name: str = "sets") -> Data:
    """Readings (N, L) or (N, L, p) and inputs None, (N,), (N, D) or (N, p, D).

    >>> as_data([[1.0, 2.0], [3.0, 4.0]], None).inputs
    array([1., 1.])
    """
    y = _finite(sets, name)
    if y.ndim not in {2, 3} or 0 in y.shape:
        raise ValueError(
            f"`{name}` must have shape (N, L) for scalar readings or (N, L, p) for vectors, with at least one set, "
            f"got {y.shape}. One row a set: reshape a single set to (1, L)."
        )
    y = y[:, :, None] if y.ndim == 2 else y
    return Data(y, np.ones(len(y)) if inputs is None else _inputs(inputs, y, name))


def _inputs(inputs: ArrayLike, y: Floats, name: str) -> Floats:
    psi = _finite(inputs, "inputs")
    N, _, p = y.shape
    if psi.ndim == 2 and p == 1:
        psi = psi[:, None, :]
    if psi.ndim not in {1, 3} or len(psi) != N or 0 in psi.shape or (psi.ndim == 3 and psi.shape[1] != p):
        rows = f"({N}, D) for a regressor row a set, " if p == 1 else ""
        raise ValueError(
            f"`inputs` must have shape ({N},) for a number a set, {rows}or ({N}, {p}, D) for matrices, to go with "
            f"`{name}` of {N} sets and p = {p}; got {np.shape(inputs)}. Leave `inputs` out if there are none."
        )
    return psi


def _finite(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must be a rectangular array of numbers: {error}.") from error
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        raise ValueError(
            f"`{name}` must be finite, but {len(bad)} of its {array.size} entries are not, the first at "
            f"{bad[0].tolist()}. Baselines take complete sets only: drop the incomplete ones."
        )
    return array


def as_step(step: float) -> float:
    """A positive finite step."""
    return float(as_steps(step, 1)[0])


def as_steps(steps: ArrayLike, count: int) -> Floats:
    """One positive step for each of `count` degrees; a single number serves all."""
    array = np.asarray(steps, dtype=np.float64)
    many = f", or {count} of them, one for each degree" if count > 1 else ""
    if array.shape not in {(), (count,)}:
        raise ValueError(f"`step` must be one number{many}, got shape {array.shape}.")
    if not (np.isfinite(array).all() and (array > 0.0).all()):
        raise ValueError(f"`step` must be positive and finite, got {steps!r}. Try 1e-3 and go down from there.")
    return np.broadcast_to(array, (count,)).copy()


def as_start(start: ArrayLike | None, data: Data) -> Floats:
    """Parameters (L, D) to start from; zeros if absent; (L,) will do when D = 1."""
    L, D = data.n_systems, data.dim
    if start is None:
        return np.zeros((L, D))
    theta = _finite(start, "start").copy()
    theta = theta[:, None] if theta.ndim == 1 and D == 1 else theta
    if theta.shape != (L, D):
        raise ValueError(
            f"`start` must have shape ({L}, {D}), one row a system and one column a parameter, got {np.shape(start)}."
        )
    return theta
