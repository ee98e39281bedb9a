r"""The data on which all methods run: rows of the table, and what the methods that need it are told.

Readings are :math:`y = \Psi(k)\,\theta_l + v`, v normal with one variance. System l is seen with probability p, and false readings come in a
Poisson number, uniform on an interval or a square.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from vieta.arrays import Floats, Integers

NEAR = 5.0  # times its labeled standard error: how far from the truth a start is, and how sure of it the method is told to be
FEW_FALSE = 1e-6  # false readings a set that trackers are told of where there are none: they divide by it


@dataclass(frozen=True, eq=False)
class Problem:
    """One run's data.

    Attributes
    ----------
    sets : list of (n, p)
        Readings in random order.
    owners : list of (n,)
        The system of each, -1 for a false one.
    psi : (N, p, D)
    theta : (L, D)
    sd, seen, rate, density : float
        Of the noise; the probability of being seen; false readings a set, on average, and per unit of length or area.
    """

    sets: list[Floats]
    owners: list[Integers]
    psi: Floats
    theta: Floats
    sd: float
    seen: float
    rate: float
    density: float

    @property
    def is_complete(self) -> bool:
        """Whether every set has one reading of each system, by the way that it was made."""
        return self.seen == 1.0 and self.rate == 0.0

    def of(self, l: int) -> tuple[Floats, Floats]:
        """The readings (n, p) of a system and their matrices (n, p, D)."""
        kept = [(one[own == l], k) for k, (one, own) in enumerate(zip(self.sets, self.owners)) if (own == l).any()]
        return np.concatenate([one for one, _ in kept]), self.psi[[k for _, k in kept]]

    @property
    def weight(self) -> Floats:
        """(D, D) the mean of psi' psi: d' W d is the mean square of psi d."""
        return np.asarray(np.einsum("kpd,kpe->de", self.psi, self.psi) / len(self.psi))

    @property
    def natural(self) -> tuple[list[Floats] | Floats, Floats]:
        """Sets and inputs as `vieta.fit` takes them."""
        p, D = self.psi.shape[1:]
        sets = self.sets if p > 1 else [one[:, 0] for one in self.sets]
        inputs = self.psi if p > 1 else self.psi[:, 0] if D > 1 else self.psi[:, 0, 0]
        return np.array(sets) if self.is_complete else sets, inputs


@dataclass(frozen=True, eq=False)
class Start:
    """Where a method begins that needs a start: a draw around the truth (L, D), with the covariance (D, D) of that draw."""

    theta: Floats
    cov: Floats


def start(problem: Problem, seed: int) -> Start:
    """Normal, with `NEAR` times the standard errors that least squares would have with labels."""
    rng = np.random.default_rng([seed, 1])
    information = len(problem.psi) * problem.seen * problem.weight / problem.sd**2
    cov = np.asarray(NEAR**2 * np.linalg.inv(information), dtype=np.float64)
    root = np.linalg.cholesky(cov)
    return Start(problem.theta + rng.normal(size=problem.theta.shape) @ root.T, cov)


@dataclass(frozen=True)
class Row:
    """A row: its name, parameters and matrices of a run, noise, and how sets are incomplete; false readings are uniform on +-`half`."""

    name: str
    theta: Callable[[Generator], Floats]
    psi: Callable[[Generator, int], Floats]
    sd: float
    seen: float = 1.0
    rate: float = 0.0
    half: float = 10.0

    def draw(self, seed: int, longer: int = 1) -> Problem:
        """The data of one run; or of as many times as many sets."""
        rng = np.random.default_rng(seed)
        theta, psi = self.theta(rng), self.psi(rng, longer)
        p, sets, owners = psi.shape[1], [], []
        for matrix in psi:
            own = np.flatnonzero(rng.random(len(theta)) < self.seen)
            own = np.concatenate([own, np.full(rng.poisson(self.rate), -1)])
            true = theta[own] @ matrix.T + self.sd * rng.normal(size=(len(own), p))
            readings = np.where(own[:, None] < 0, rng.uniform(-self.half, self.half, size=true.shape), true)
            order = rng.permutation(len(own))
            sets.append(readings[order])
            owners.append(own[order])
        density = max(self.rate, FEW_FALSE) / (2.0 * self.half) ** p
        return Problem(sets, owners, psi, theta, self.sd, self.seen, self.rate, density)


# --- parameters and matrices ----------------------------------------------------------------------------------------


def fixed(*theta: object) -> Callable[[Generator], Floats]:
    """The same parameters in every run."""
    values = np.array(theta, dtype=np.float64).reshape(len(theta), -1)
    return lambda _: values


def random(L: int, scale: tuple[float, ...]) -> Callable[[Generator], Floats]:
    """Normal parameters, anew in every run."""
    return lambda rng: np.array(scale) * rng.normal(size=(L, len(scale)))


def normal(n: int, D: int = 1) -> Callable[[Generator, int], Floats]:
    """Rows of normal numbers."""
    return lambda rng, longer: rng.normal(size=(n * longer, 1, D))


def times(n: int, p: int = 1) -> Callable[[Generator, int], Floats]:
    """[1, t] for each coordinate of a reading, t from -1 to 1."""
    return lambda _, longer: np.array([np.kron(np.eye(p), [[1.0, x]]) for x in np.linspace(-1.0, 1.0, n * longer)])


def months(n: int) -> Callable[[Generator, int], Floats]:
    """A mean and the seasons of a year."""

    def drawn(_: Generator, longer: int) -> Floats:
        phase = 2.0 * np.pi * np.arange(n * longer) / 12.0
        return np.stack([np.ones(n * longer), np.cos(phase), np.sin(phase)], axis=1)[:, None]

    return drawn


THREE = fixed(-2, 5, 8)
TRACKS = fixed([0, 3, 0, 2], [0.5, -3, -0.5, 2], [-0.5, 0.5, 0.5, -3])  # (x, its slope, y, its slope)

ROWS = (
    Row("Example 1 of the paper: L=3 (-2, 5, 8), sd .01", THREE, normal(300), 0.01),
    Row("heavy overlap: L=2 (4, 5), sd 2", fixed(4, 5), normal(1000), 2.0),
    Row("L=10, unit gaps, sd .1", fixed(*range(10)), normal(200), 0.1),
    Row("one number, D=4: L=3, sd .5", random(3, (3.0,) * 4), normal(300, 4), 0.5),
    Row("planar tracks that cross: L=3, sd .3", TRACKS, times(300, 2), 0.3),
    Row("the same, p=.8, two false", TRACKS, times(300, 2), 0.3, 0.8, 2.0, 5.0),
    Row("seasons: L=5, sd .5", random(5, (4.0, 2.0, 2.0)), months(240), 0.5),
    Row("small panel: L=4, [1, t], 20 sets, sd .3", random(4, (3.0, 2.0)), times(20), 0.3),
    Row("L=3 (-2, 5, 8), sd .1, p=.7, two false", THREE, normal(300), 0.1, 0.7, 2.0),
    Row("L=3 (-2, 5, 8), sd 1, p=.7, two false", THREE, normal(300), 1.0, 0.7, 2.0),
)
