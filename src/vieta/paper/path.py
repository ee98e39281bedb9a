"""The path of a recursion through its sets: what is recorded, and when it is given up."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.checks import as_count
from vieta.errors import DivergedError
from vieta.sets import Data

PIECE = 16_384  # sets between two checks
TOO_FAR = 1e3  # how many times the size of the readings a prediction may reach

Advance = Callable[[Floats, slice], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Parameters along the way of a recursion.

    Attributes
    ----------
    index : (n,)
        Number of sets absorbed at each recorded point; the last is N. The start, index 0, is not recorded.
    theta : (n, L, D)
        Parameters at those points.
    """

    index: Integers
    theta: Floats

    @property
    def final(self) -> Floats:
        """(L, D) parameters after all sets."""
        return np.asarray(self.theta[-1])


def marks(n: int, record_every: int | None) -> list[int]:
    """When to record: after every `record_every` sets and after the last one.

    >>> marks(10, 4), marks(8, 4), marks(10, None)
    ([4, 8, 10], [4, 8], [10])
    """
    every = n if record_every is None else as_count(record_every, "record_every")
    return [*range(every, n, every), n]


def follow(advance: Advance, state: Floats, n: int, record_every: int | None) -> tuple[Integers, Floats]:
    """Carry a state through n sets by `advance(state, piece)`; where it was recorded, and what it was."""
    at = marks(n, record_every)
    points = []
    for begin, end in pairwise([0, *at]):
        for first in range(begin, end, PIECE):
            state = advance(state, slice(first, min(first + PIECE, end)))
        points.append(state)
    return np.array(at, dtype=np.int64), np.array(points)


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    r"""Finds that a recursion has diverged.

    The mean square of the predictions, :math:`\sum_l \theta_l' G \theta_l` with :math:`G` the mean of
    :math:`\Psi'\Psi`, must stay within `TOO_FAR` squared times that of the readings and of the start.

    Attributes
    ----------
    normal : (D, D)
        G.
    limit : float
        The largest mean square that is allowed.
    advice : str
        What to do, for the error.
    """

    normal: Floats
    limit: float
    advice: str

    @classmethod
    def of(cls, data: Data, start: Floats, advice: str) -> "Guard":
        """The guard of a recursion from `start`."""
        with np.errstate(over="ignore"):  # an infinite limit still refuses what is not finite
            normal = _normal(data)
            size = float(np.square(data.sets).sum()) / len(data.sets) + _energy(start, normal)
        return cls(normal, TOO_FAR**2 * size, advice)

    def check(self, theta: Floats, count: int) -> None:
        """Refuse parameters (..., L, D) that are not finite or out of all proportion."""
        with np.errstate(over="ignore", invalid="ignore"):
            sane = np.isfinite(theta).all() and _energy(theta, self.normal) <= self.limit
        if not sane:
            raise DivergedError(
                "path-diverged",
                "the recursion diverged: after {n_sets} sets its predictions are not finite or over {times:g} times the size of the "
                "readings. {advice}",
                n_sets=count, times=TOO_FAR, advice=self.advice,
            )  # fmt: skip


def _normal(data: Data) -> Floats:
    if data.inputs.ndim == 1:
        return np.asarray(np.square(data.inputs).mean() * np.eye(data.dim))
    rows = data.inputs.reshape(-1, data.dim)
    return np.asarray(rows.T @ rows / len(data.inputs))


def _energy(theta: Floats, normal: Floats) -> float:
    return float(((theta @ normal) * theta).sum())
