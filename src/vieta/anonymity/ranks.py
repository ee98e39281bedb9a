r"""Numbers with one log-concave law of noise: the best guess sorts them, and is right as often as ranks do not change.

With :math:`m_a < m_b`, :math:`y < y'` and log f concave, :math:`f(y - m_a) f(y' - m_b) \ge f(y - m_b) f(y' - m_a)`: undoing
an exchange never makes a permutation less likely, so that under a uniform prior to give the readings in ascending order to
the systems in ascending order of their means is a best guess (where it is not the only one, the others are right as often).
With systems numbered in that order, the guess is right for all, and for system r, with probability

.. math:: P(Y_1 < Y_2 < \dots < Y_L), \qquad \int P\bigl(\#\{j \ne r : Y_j < y\} = r - 1\bigr)\, dF_r(y) .

The first is a chain of integrals, :math:`H_r(y) = P(Y_1 < \dots < Y_r \le y) = \int_{-\infty}^y H_{r-1}\, dF_r`; the counts
in the second add up independent zeros and ones of known probability. Both are worked out on a lattice with the exact mass
of each of its cells, :math:`\int g\, dF \approx \sum_c \tfrac12 (g(x_c) + g(x_{c+1}))\,(F(x_{c+1}) - F(x_c))`, for laws with
kinks and jumps as well: to 4e-4 or better, by the square of its spacing.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.laws.noise import Scaled

FINEST, COARSEST = 128, 16  # points of the lattice in a standard deviation
EASY, MOST = 4e6, 4e7  # points times pairs of systems: a fifth of a second; and what takes too long
PIECE = 2**20  # points times systems that are held in memory


@dataclass(frozen=True, slots=True, eq=False)
class Sorting:
    """How often sorting is right: for all systems together, and for each (L,)."""

    all: float
    each: Floats


def sorting(law: Scaled, means: Floats, weights: Floats) -> Sorting | None:
    """Averages over means (n, L, p) at n inputs with their weights; None where sorting need not be best, or takes too long.

    >>> from vieta.laws.noise import Gaussian
    >>> found = sorting(Gaussian(1.0), np.array([[[4.0], [5.0]]]), np.ones(1))
    >>> round(1.0 - found.all, 4)
    0.2398
    """
    ends, variance = law.reach(), np.ravel(law.variance)
    n, L, p = means.shape
    if ends is None or p > 1 or not np.all(variance == variance[0]) or variance[0] == 0.0:
        return None
    pairs = n * L * L * (ends[1] - ends[0])
    if pairs * COARSEST > MOST:
        return None
    fineness = int(np.clip(EASY / pairs, COARSEST, FINEST))
    size = max(int(PIECE / (fineness * (ends[1] - ends[0]) * L)), 1)
    units = means[:, :, 0] / np.sqrt(variance[0])
    parts = [_sorting(law, ends, fineness, units[at : at + size]) for at in range(0, n, size)]
    both = np.clip(weights @ np.concatenate(parts), 0.0, 1.0)
    return Sorting(float(both[0]), both[1:])


def _sorting(law: Scaled, ends: tuple[float, float], fineness: int, means: Floats) -> Floats:
    """(n, 1 + L): how often sorting is right for all, and for each, at means (n, L) in standard deviations."""
    order = np.argsort(means, axis=1)
    ascending = np.take_along_axis(means, order, axis=1).T
    gaps = np.minimum(np.diff(ascending, axis=0), 2.0 * (ends[1] - ends[0]))  # a larger one changes nothing
    ascending[1:] = np.cumsum(gaps, axis=0)
    ascending[0] = 0.0
    first = np.floor((ascending + ends[0]) * fineness)
    lattice = np.arange(int((ends[1] - ends[0]) * fineness) + 2)
    below = law.unit_below((first[:, :, None] + lattice) / fineness - ascending[:, :, None])
    readings = _Readings(first.astype(np.int64), below)
    each = np.empty_like(means)
    np.put_along_axis(each, order, np.stack([readings.rank_kept(r) for r in range(len(first))], axis=1), axis=1)
    return np.column_stack([readings.order_kept(), each])


@dataclass(frozen=True, slots=True, eq=False)
class _Readings:
    """Readings in ascending order of their means, at n inputs.

    Attributes
    ----------
    first : (L, n)
        Number of the first lattice point where each may be.
    below : (L, n, points)
        Distribution function of each, from that point on.
    """

    first: Integers
    below: Floats

    def order_kept(self) -> Floats:
        """(n,) P(Y_1 < .. < Y_L)."""
        H = self.below[0]
        for r in range(1, len(self.first)):
            steps = _midpoints(_moved(H, self.first[r] - self.first[r - 1])) * np.diff(self.below[r], axis=1)
            H = np.concatenate([np.zeros((len(H), 1)), np.cumsum(steps, axis=1)], axis=1)
        return np.asarray(H[:, -1])

    def rank_kept(self, r: int) -> Floats:
        """(n,) P(as many of the readings that belong below Y_r are above it as the other way round)."""
        above = _counts([1.0 - share for share in self._shares(r, range(r))])
        below = _counts(self._shares(r, range(r + 1, len(self.first))))
        same = np.broadcast_to(sum(a * b for a, b in zip(above, below)), self.below[r].shape)
        return np.asarray((_midpoints(same) * np.diff(self.below[r], axis=1)).sum(axis=1))

    def _shares(self, r: int, others: range) -> list[Floats]:
        """(n, points) distribution functions of others where Y_r may be; those that are never there are left out."""
        away = self.first[r] - self.first
        return [_moved(self.below[j], away[j]) for j in others if abs(away[j]).min() < self.below.shape[2]]


def _counts(chances: list[Floats]) -> list[Floats]:
    """Probabilities that 0, 1, .. of independent events happen."""
    law: list[Floats] = [np.ones(())]
    for p in chances:
        stay, move = [(1.0 - p) * one for one in law], [p * one for one in law]
        law = [stay[0], *(a + b for a, b in zip(stay[1:], move)), move[-1]]
    return law


def _moved(values: Floats, by: Integers) -> Floats:
    """Values (n, points) at points that are `by` (n,) farther on; the first or the last of them beyond the ends."""
    at = np.clip(by[:, None] + np.arange(values.shape[1]), 0, values.shape[1] - 1)
    return np.take_along_axis(values, at, axis=1)


def _midpoints(values: Floats) -> Floats:
    return np.asarray(0.5 * (values[:, 1:] + values[:, :-1]))
