r"""The law of noise as a mixture of normals that is learned, in units of a system's deviation.

.. math:: f(u) = \sum_j w_j\, N(u; a_j, \tau^2) + \text{wide ones around zero}, \qquad \sum_j w_j = 1, \quad \sum_j w_j a_j = 0,

with centres :math:`a_j` in steps of :math:`\tau` from -6 to 6 and three wide normals for tails. The width :math:`\tau` of the sieve decides how
fine a shape it can take; zero stands for the normal law itself. Given a histogram h of residuals, weighted by how likely they are ones, EM
under the constraint on the mean is

.. math:: n_j = w_j \sum_u h(u) K_j(u)/f(u), \qquad w_j = \frac{n_j}{n\,(1 + \eta a_j)}, \qquad
    \eta:\ \sum_j \frac{n_j a_j}{1 + \eta a_j} = 0 .

log f and its slope come from a table, cubic between its points, linear in log f outside. Beside sieves there are laws by name that need no
learning: the double exponential, the logistic and Student's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.laws.noise import Laplace, StudentT

FARTHEST = 10.0  # of the table
STEPS = 64  # of the table, to a unit
REACH = 6.0  # of the centres
WIDE = (1.5, 3.0, 5.0)  # deviations of the normals for tails
INNER, FIRST_INNER = 15, 100  # steps of EM on a histogram, and when it is learned from another law
COUNTS = 0.002  # weight from which on a normal counts as one of the parameters
NEWTON = 40  # steps for the multiplier of the mean


@cache
def points() -> Floats:
    """(G,) points of the table."""
    return np.arange(-FARTHEST * STEPS, FARTHEST * STEPS + 1) / STEPS


@cache
def components(width: float) -> tuple[Floats, Floats]:
    """Centres and deviations (J,) of the normals of a sieve."""
    reach = round(REACH / width)
    centres = width * np.arange(-reach, reach + 1)
    return np.append(centres, np.zeros(len(WIDE))), np.append(np.full(len(centres), width), WIDE)


@cache
def densities(width: float) -> tuple[Floats, Floats]:
    """Densities and slopes (G, J) of the normals of a sieve at the points of the table."""
    centres, deviations = components(width)
    t = (points()[:, None] - centres) / deviations
    K = np.exp(-0.5 * t * t) / (np.sqrt(2.0 * np.pi) * deviations)
    return K, -t / deviations * K


NAMED: dict[str, Callable[[Floats], Floats]] = {
    "laplace": Laplace().unit_log_density,
    "logistic": lambda u: -2.0 * np.log(np.cosh(0.5 * np.pi / np.sqrt(3.0) * u)),
    "student-t-5": StudentT(df=5.0).unit_log_density,
    "student-t-3": StudentT(df=3.0).unit_log_density,
}


@cache
def named_table(name: str) -> tuple[Floats, Floats]:
    """log f and its slope (G,) at the points of the table, for a law by name; in a kink, the mean of the slopes beside it."""
    x, h = points(), 1e-6
    below, above = NAMED[name](x - h), NAMED[name](x + h)
    log = np.maximum(NAMED[name](x), np.maximum(below, above))
    size = np.log(np.exp(log).sum() / STEPS)
    return log - size, (above - below) / (2.0 * h)


@dataclass(frozen=True, eq=False)
class UnitLaw:
    """A law of noise: the weights (J,) of the normals of a sieve of some width, or a law by name; the normal law if neither is given.

    >>> UnitLaw().evaluate(np.array([0.0, 2.0]))[1]
    array([0., 2.])
    """

    width: float = 0.0
    weights: Floats | None = None
    name: str = ""

    @cached_property
    def table(self) -> tuple[Floats, Floats]:
        """log f and its slope (G,) at the points of the table; not of the normal law, which needs none."""
        if self.weights is None:
            return named_table(self.name)
        K, slopes = densities(self.width)
        f = K @ self.weights
        return np.log(f), (slopes @ self.weights) / f

    @property
    def is_normal(self) -> bool:
        """Whether it is the normal law."""
        return self.weights is None and not self.name

    @cached_property
    def variance(self) -> float:
        """Its second moment."""
        if self.weights is None:
            return 1.0
        centres, deviations = components(self.width)
        return float(self.weights @ (centres**2 + deviations**2))

    @property
    def n_parameters(self) -> int:
        """How many numbers it was fitted by; one for a law by name, which was chosen among some."""
        if self.weights is None:
            return int(bool(self.name))
        return max(int((self.weights > COUNTS).sum()) - 2, 0)

    def evaluate(self, u: Floats) -> tuple[Floats, Floats]:
        """log f and the score -f'/f at any places."""
        if self.is_normal:
            return -0.5 * u * u - 0.5 * np.log(2.0 * np.pi), u
        from vieta.adaptive.table_kernel import interpolate

        value, slope = self.table
        log, score = np.empty(u.shape), np.empty(u.shape)
        interpolate(plain(u).reshape(-1), value, slope, FARTHEST, float(STEPS), log.reshape(-1), score.reshape(-1))
        return log, score

    def ratios(self, u: Floats) -> Floats:
        """(.., J) K_j / f at places (..): the score of each weight; linear between the points of the table."""
        K, _ = densities(self.width)
        table = K / (K @ np.asarray(self.weights))[:, None]
        at, t = located(u)
        t = np.clip(t, 0.0, 1.0)[..., None]
        return np.asarray((1.0 - t) * table[at] + t * table[at + 1])

    def learned(self, histogram: Floats, steps: int = INNER) -> "UnitLaw":
        """The law after some steps of EM on a histogram (G,) of residuals."""
        if self.weights is None or not histogram.any():
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


def begun(law: UnitLaw, width: float, histogram: Floats | None = None) -> UnitLaw:
    """The sieve of some width nearest to a law, after EM on a histogram (G,) of residuals under it, if that is there."""
    centres, deviations = components(width)
    own = deviations == width
    log, _ = law.evaluate(centres)
    w = np.where(own, np.exp(log), 0.0)
    w = np.where(own, 0.97 * w / w.sum(), 0.01)
    found = UnitLaw(width, centred(w / w.sum(), centres))
    return found if histogram is None else found.learned(histogram, FIRST_INNER)


def binned(u: Floats, weights: Floats) -> Floats:
    """(G,) a histogram of places with weights, each shared between the two points of the table beside it."""
    at, t = located(u)
    t = np.clip(t, 0.0, 1.0)
    G = len(points())
    low = np.bincount(at.ravel(), ((1.0 - t) * weights).ravel(), G)
    return np.asarray(low + np.bincount(at.ravel() + 1, (t * weights).ravel(), G))
