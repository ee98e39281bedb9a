"""What a simulation returns: the sets that an analyst sees, and the truth behind them."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.symmetric import canonical_order

FALSE, ABSENT = -1, -2  # labels of false readings, and of places without a reading


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Unlabeled sets, their inputs, and what made them."""

    sets: Floats
    """(N, L), or (N, L, p) when p > 1: the readings in the order of `labels`. Where systems were missed or false readings came in, (N, M) or
    (N, M, p), M the largest number of readings in a set, with NaN after the last reading of smaller sets."""
    inputs: Floats | None
    """None (Psi = I), (N,), (N, D) or (N, p, D)."""
    truth: Floats
    """(L, D): the parameters at the last time, rows in canonical order."""
    theta: Floats
    """(L, D): the parameters at the first time, rows in system order."""
    theta_path: Floats | None
    """(N, L, D): the parameters at every time in system order; None when they never change."""
    labels: Integers
    """(N, L) or (N, M): `labels[k, i]` is the system that produced `sets[k, i]`; `FALSE` for a false reading, `ABSENT` where there is none."""
    name: str
    """Name of the scenario, or "custom"."""
    seed: int
    """Seed of the draw."""
    note: str
    """One line on the scenario."""
    offset: Floats | None = None
    """(N,): a known number that is added to every system's predictor; None where there is none."""

    @property
    def readings(self) -> Floats:
        """The labeled readings, (N, L) or (N, L, p): row l at each time is from system l; NaN where it was missed."""
        times, places = np.nonzero(self.labels >= 0)
        found = np.full((len(self.sets), len(self.theta), *self.sets.shape[2:]), np.nan)
        found[times, self.labels[times, places]] = self.sets[times, places]
        return found

    @property
    def sizes(self) -> Integers:
        """(N,) how many readings each set has."""
        return np.asarray((self.labels != ABSENT).sum(axis=1))

    @property
    def is_complete(self) -> bool:
        """Whether every set has one reading of each system, and no other."""
        return bool(self.labels.shape[1] == len(self.theta) and (self.labels >= 0).all())


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
