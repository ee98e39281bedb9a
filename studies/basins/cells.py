r"""The cells of the study: inputs, number of systems, noise and number of sets; and the data of one run.

Parameters are random: :math:`R\theta_l/\sqrt N \sim N(0, I)` with the inputs :math:`X = QR`, so that curves are of unit size whatever the
inputs. The noise is Gaussian; its standard deviation is a share of the median gap between neighbouring means of a set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.matching import match_rows

Inputs = Callable[[int, np.random.Generator], Floats]
YEAR, MONTHS, LONG = 365.25, 12.0, 300  # periods of seasons: days of a year from so many sets on, else months


def _beside(*columns: Floats) -> Floats:
    return np.stack(columns, axis=1)


def _time(N: int) -> Floats:
    return np.linspace(0.0, 1.0, N)


def _powers(degree: int) -> Inputs:
    return lambda N, _: _time(N)[:, None] ** np.arange(degree + 1)


def _harmonics(count: int) -> Inputs:
    def make(N: int, _: np.random.Generator) -> Floats:
        angle = 2.0 * np.pi * np.arange(N) / (YEAR if N >= LONG else MONTHS)
        waves = [wave(j * angle) for j in range(1, count + 1) for wave in (np.cos, np.sin)]
        return _beside(np.ones(N), *waves)

    return make


def _levels(count: int) -> Inputs:
    return lambda N, rng: _beside(np.ones(N), rng.integers(0, count, N).astype(float))


def _groups(count: int) -> Inputs:
    return lambda N, rng: np.column_stack([np.eye(count)[rng.integers(0, count, N)], rng.standard_normal(N)])


INPUTS: dict[str, Inputs] = {
    "1, normal": lambda N, rng: _beside(np.ones(N), rng.standard_normal(N)),
    "1, uniform": lambda N, rng: _beside(np.ones(N), rng.uniform(size=N)),
    "1, t": _powers(1),
    "1, t, t²": _powers(2),
    "1, cos, sin": _harmonics(1),
    "two harmonics": _harmonics(2),
    "x in {0, 1, 2}": _levels(3),
    "x in {0..4}": _levels(5),
    "x in {0..9}": _levels(10),
    "2 groups, covariate": _groups(2),
    "3 groups, covariate": _groups(3),
    "constant": lambda N, _: np.ones((N, 1)),
}
SYSTEMS, DEVIATIONS, SETS = (2, 3, 5, 8), (0.05, 0.2, 1.0), (50, 500, 5000)


class Records(NamedTuple):
    """Unlabeled sets (N, L), inputs (N, D), the parameters (L, D) and the standard deviation of the noise."""

    sets: Floats
    inputs: Floats
    theta: Floats
    sd: float


def off(theta: Floats, records: Records) -> float:
    """How far the curve of parameters (L, D) that is farthest from its true one is away, root mean square, in noise sds."""
    root = np.linalg.qr(records.inputs, mode="r") / np.sqrt(len(records.inputs))
    own, true = theta @ root.T, records.theta @ root.T
    gaps = np.linalg.norm(own[match_rows(own, true, unit=1.0)] - true, axis=1)
    return float(gaps.max() / records.sd)


@dataclass(frozen=True)
class Cell:
    """Inputs by name, L systems, the noise sd as a share of the typical gap, and N sets."""

    inputs: str
    systems: int
    share: float
    sets: int

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.inputs}; L={self.systems}; sd {self.share:g}; N={self.sets}"

    @property
    def effort(self) -> float:
        """About how long a run takes, up to a factor: many unknowns in much noise are slow."""
        dim = INPUTS[self.inputs](2, np.random.default_rng(0)).shape[1]
        return float(self.systems**3 * dim**2 * (1.0 + 2.0 * self.share) * (1000.0 + self.sets))

    def draw(self, seed: int) -> Records:
        """The data of one run, unlike those of other cells: chance that makes a finding in one of them does not make it in all."""
        return self.drawn(np.random.default_rng([seed, *self.name.encode()]))

    def drawn(self, rng: np.random.Generator) -> Records:
        """The data of one run by a generator."""
        inputs = INPUTS[self.inputs](self.sets, rng)
        root = np.linalg.qr(inputs, mode="r") / np.sqrt(self.sets)
        theta = np.linalg.solve(root, rng.standard_normal((inputs.shape[1], self.systems))).T
        means = inputs @ theta.T
        sd = self.share * float(np.median(np.diff(np.sort(means, axis=1), axis=1)))
        readings = means + sd * rng.standard_normal(means.shape)
        return Records(rng.permuted(readings, axis=1), inputs, theta, sd)


CELLS = tuple(Cell(*one) for one in product(INPUTS, SYSTEMS, DEVIATIONS, SETS))
