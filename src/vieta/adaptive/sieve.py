r"""The law of noise as a mixture of normals that is learned, in units of a system's deviation.

.. math:: f(u) = \sum_j w_j\, N(u; a_j, \tau^2) + \text{wide ones around zero}, \qquad \sum_j w_j = 1, \quad \sum_j w_j a_j = 0,

with centres :math:`a_j` in steps of :math:`\tau` from -6 to 6 and three wide normals for tails. The width :math:`\tau` of the sieve decides how
fine a shape it can take; zero stands for the normal law itself. Given a histogram h of residuals, weighted by how likely they are ones, EM
under the constraint on the mean is

.. math:: n_j = w_j \sum_u h(u) K_j(u)/f(u), \qquad w_j = \frac{n_j}{n\,(1 + \eta a_j)}, \qquad
    \eta:\ \sum_j \frac{n_j a_j}{1 + \eta a_j} = 0 .

log f and its slope come from a table, cubic between its points, linear in log f outside.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vieta.arrays import Floats, Integers

FARTHEST = 10.0  # of the table
STEPS = 64  # of the table, to a unit
REACH = 6.0  # of the centres
WIDE = (1.5, 3.0, 5.0)  # deviations of the normals for tails
INNER = 15  # steps of EM on a histogram
COUNTS = 0.002  # weight from which on a normal counts as one of the parameters
NEWTON = 40  # steps for the multiplier of the mean


@cache
def points() -> Floats:
    """(G,) points of the table."""
    return np.arange(-FARTHEST * STEPS, FARTHEST * STEPS + 1) / STEPS


@cache
def components(width: float) -> tuple[Floats, Floats]:
    """Centres and deviations (J,) of the normals of a sieve."""
    reach = int(round(REACH / width))
    centres = width * np.arange(-reach, reach + 1)
    return np.append(centres, np.zeros(len(WIDE))), np.append(np.full(len(centres), width), WIDE)


@cache
def densities(width: float) -> tuple[Floats, Floats]:
    """Densities and slopes (G, J) of the normals of a sieve at the points of the table."""
    centres, deviations = components(width)
    t = (points()[:, None] - centres) / deviations
    K = np.exp(-0.5 * t * t) / (np.sqrt(2.0 * np.pi) * deviations)
    return K, -t / deviations * K


@dataclass(frozen=True, eq=False)
class UnitLaw:
    """A law of noise: the weights (J,) of the normals of a sieve of some width; the normal law if the width is zero.

    >>> UnitLaw().evaluate(np.array([0.0, 2.0]))[1]
    array([0., 2.])
    """

    width: float = 0.0
    weights: Floats | None = None

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        K, slopes = densities(self.width)
        f = K @ self.weights
        return np.log(f), (slopes @ self.weights) / f

    @property
    def is_normal(self) -> bool:
        """Whether it is the normal law."""
        return self.weights is None

    @property
    def variance(self) -> float:
        """Its second moment."""
        if self.weights is None:
            return 1.0
        centres, deviations = components(self.width)
        return float(self.weights @ (centres**2 + deviations**2))

    @property
    def n_parameters(self) -> int:
        """How many numbers it was fitted by."""
        return 0 if self.weights is None else max(int((self.weights > COUNTS).sum()) - 2, 0)

    def evaluate(self, u: Floats) -> tuple[Floats, Floats]:
        """log f and the score -f'/f at any places."""
        if self.weights is None:
            return -0.5 * u * u - 0.5 * np.log(2.0 * np.pi), u
        value, slope = self._table
        at, t = located(u)
        t = t / STEPS  # from the point below
        h = 1.0 / STEPS
        y0, y1, d0, d1 = value[at], value[at + 1], slope[at], slope[at + 1]
        c = (3.0 * (y1 - y0) / h - 2.0 * d0 - d1) / h
        d = (2.0 * (y0 - y1) / h + d0 + d1) / (h * h)
        inside = (t >= 0.0) & (t <= h)
        near = np.clip(t, 0.0, h)
        log = y0 + near * (d0 + near * (c + near * d))
        rise = d0 + near * (2.0 * c + 3.0 * d * near)
        log = np.where(inside, log, log + (t - near) * rise)
        return log, -rise

    def ratios(self, u: Floats) -> Floats:
        """(.., J) K_j / f at places (..): the score of each weight; linear between the points of the table."""
        K, _ = densities(self.width)
        table = K / (K @ self.weights)[:, None]
        at, t = located(u)
        t = np.clip(t, 0.0, 1.0)[..., None]
        return np.asarray((1.0 - t) * table[at] + t * table[at + 1])

    def learned(self, histogram: Floats, steps: int = INNER) -> "UnitLaw":
        """The law after some steps of EM on a histogram (G,) of residuals."""
        if self.weights is None:
            return self
        K, _ = densities(self.width)
        centres, _ = components(self.width)
        w = self.weights
        for _ in range(steps):
            w = centred(w * ((histogram / np.maximum(K @ w, 1e-300)) @ K), centres)
        return UnitLaw(self.width, w)


def located(u: Floats) -> tuple[Integers, Floats]:
    """The point of the table below each place, the first or the last but one if it lies outside, and the steps from there."""
    x = (u + FARTHEST) * STEPS
    at = np.clip(np.floor(x), 0, len(points()) - 2).astype(np.int64)
    return at, x - at


def centred(n: Floats, centres: Floats) -> Floats:
    r""":math:`w_j \propto n_j/(1 + \eta a_j)` with the mean zero, by Newton's method, halving the interval of :math:`\eta` where it leaves it.

    >>> centred(np.array([1.0, 3.0]), np.array([-1.0, 1.0]))
    array([0.5, 0.5])
    """
    used = n > 0.0
    n_j, a = n[used], centres[used]
    low, high, eta = -1.0 / max(a.max(), 1e-9), -1.0 / min(a.min(), -1e-9), 0.0
    for _ in range(NEWTON):
        part = n_j * a / (1.0 + eta * a)
        value, slope = part.sum(), -(part * part / n_j).sum()
        low, high = (eta, high) if value > 0.0 else (low, eta)
        there = eta - value / min(slope, -1e-300)
        there = there if low < there < high else 0.5 * (low + high)
        if abs(there - eta) < 1e-12:
            break
        eta = there
    w = np.zeros(len(n))
    w[used] = n_j / (1.0 + eta * a)
    return np.asarray(w / w.sum())


def finer(law: UnitLaw, width: float) -> UnitLaw:
    """The sieve of some width nearest to a law: its density at the centres, and its tails."""
    if law.weights is None:
        return first_law(width)
    centres, deviations = components(width)
    own = deviations == width
    tails = len(WIDE)
    log, _ = law.evaluate(centres)
    w = np.where(own, np.exp(log), 0.0)
    share = max(float(law.weights[-tails:].sum()), 0.01)
    w = (1.0 - share) * w / w.sum()
    w[-tails:] = np.maximum(law.weights[-tails:], share / (10.0 * tails))
    return UnitLaw(width, centred(w / w.sum(), centres))


def first_law(width: float) -> UnitLaw:
    """The sieve nearest to the normal law, a little of its weight in the tails: where learning begins."""
    if width == 0.0:
        return UnitLaw()
    centres, deviations = components(width)
    own = deviations == width
    spread = np.sqrt(max(1.0 - width**2, 0.05))
    w = np.where(own, np.exp(-0.5 * (centres / spread) ** 2), 0.0)
    w = 0.97 * w / w.sum() + np.where(own, 0.0, 0.01)
    return UnitLaw(width, w / w.sum())


def binned(u: Floats, weights: Floats) -> Floats:
    """(G,) a histogram of places with weights, each shared between the two points of the table beside it."""
    at, t = located(u)
    t = np.clip(t, 0.0, 1.0)
    G = len(points())
    low = np.bincount(at.ravel(), ((1.0 - t) * weights).ravel(), G)
    return np.asarray(low + np.bincount(at.ravel() + 1, (t * weights).ravel(), G))
