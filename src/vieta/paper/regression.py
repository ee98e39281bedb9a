"""Readings and inputs as one ordinary regression for all systems, for the baselines that need no algebra."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients.design import Block
from vieta.options import as_start, as_steps
from vieta.set_requirements import require_complete, require_finite
from vieta.sets import Data, as_data


def checked(sets: ArrayLike, inputs: ArrayLike | None, name: str = "sets") -> Data:
    """Readings and inputs of good shape, all of them finite."""
    data = as_data(sets, inputs, name=name)
    require_complete(data, "baseline")
    require_finite(data)
    return data


def one_step(step: float) -> float:
    """A positive finite step."""
    return float(as_steps(step, 1)[0])


def start_or_zeros(start: ArrayLike | None, data: Data) -> Floats:
    """Parameters (L, D) to start from; zeros if absent."""
    theta = as_start(start, data.n_systems, data.dim)
    return np.zeros((data.n_systems, data.dim)) if theta is None else theta.copy()


def regression(data: Data) -> Block:
    """One linear regression for all systems: (N, m, q) gains and (N, m, K) readings, K columns together.

    Scalar inputs: m = q = 1 and a column for each of the L p readings. Matrices: m = p, q = D, a column a system.
    """
    if data.inputs.ndim == 1:
        return Block(data.inputs[:, None, None], data.sets.reshape(len(data.sets), 1, -1))
    return Block(data.inputs, np.ascontiguousarray(np.swapaxes(data.sets, 1, 2)))


def to_columns(data: Data, theta: Floats) -> Floats:
    """Parameters (L, D) as the columns (q, K) of `regression`."""
    return np.array(theta.reshape(1, -1) if data.inputs.ndim == 1 else theta.T, order="C")


def from_columns(data: Data, columns: Floats) -> Floats:
    """Columns (..., q, K) of `regression` as parameters (..., L, D)."""
    if data.inputs.ndim == 1:
        return columns.reshape(*columns.shape[:-2], data.n_systems, data.dim)
    return np.swapaxes(columns, -1, -2)


def matrices(data: Data, piece: slice) -> Floats:
    """Psi (n, p, D) of some of the sets."""
    if data.inputs.ndim == 3:
        return data.inputs[piece]
    c = data.inputs[piece, None, None]
    return c if data.dim == 1 else np.asarray(c * np.eye(data.dim))
