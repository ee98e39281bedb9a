"""What a simulation returns: the sets that an analyst sees, and the truth behind them."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.symmetric import canonical_order


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Unlabeled sets, their inputs, and what made them."""

    sets: Floats
    """(N, L), or (N, L, p) when p > 1: the readings in the order of `labels`."""
    inputs: Floats | None
    """None (Psi = I), (N,), (N, D) or (N, p, D)."""
    truth: Floats
    """(L, D): the parameters at the last time, rows in canonical order."""
    theta: Floats
    """(L, D): the parameters at the first time, rows in system order."""
    theta_path: Floats | None
    """(N, L, D): the parameters at every time in system order; None when they never change."""
    labels: Integers
    """(N, L): `labels[k, i]` is the system that produced `sets[k, i]`."""
    name: str
    """Name of the scenario, or "custom"."""
    seed: int
    """Seed of the draw."""
    note: str
    """One line on the scenario."""

    @property
    def readings(self) -> Floats:
        """The labeled readings, (N, L) or (N, L, p): row l at each time is from system l."""
        position = np.argsort(self.labels, axis=1)
        return pick(self.sets, position)


def pick(rows: Floats, order: Integers) -> Floats:
    """Rows (N, L) or (N, L, p) in the order (N, L) of each time.

    >>> pick(np.array([[10.0, 20.0, 30.0]]), np.array([[2, 0, 1]]))
    array([[30., 10., 20.]])
    """
    time = np.arange(len(rows))[:, None]
    return rows[time, order]


def canonical(theta: Floats) -> Floats:
    """Rows (L, D) in ascending order of the first coordinate, then of the next.

    >>> canonical(np.array([[4.0, 5.0], [-2.0, 6.0], [4.0, 3.0]]))
    array([[-2., 6.], [ 4., 3.], [ 4., 5.]])
    """
    return np.asarray(theta[canonical_order(theta)])
