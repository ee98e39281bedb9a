r"""Random parameters under designs that people have: what a set asks, how many systems and sets, and the answers of one run.

Parameters are random: :math:`R\theta_l/\sqrt N \sim N(0, s^2 I)` with the inputs :math:`X = QR`, so that curves are of size s whatever the
inputs, s by the family. Answers are shuffled within sets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats

Design = Callable[[int, np.random.Generator], tuple[Floats, Floats]]  # inputs (N, D) and known numbers (N,)
MONTHS = 12.0
CUTS = np.array([0.0, 1.3, 2.7, 4.0])
DEVIATIONS = (0.25, 0.5, 1.0)  # of noise before rounding, in steps


def _with(columns: Callable[[int, np.random.Generator], list[Floats]]) -> Design:
    return lambda N, rng: (np.column_stack(columns(N, rng)), np.zeros(N))


def _items(sd: float, count: int | None) -> Design:
    """Items of known easiness: `count` different ones, or all different."""

    def make(N: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        easy = sd * rng.standard_normal(N if count is None else count)
        return np.ones((N, 1)), easy if count is None else easy[rng.integers(0, count, N)]

    return make


def _waves(N: int) -> list[Floats]:
    angle = 2.0 * np.pi * np.arange(N) / MONTHS
    return [np.ones(N), np.cos(angle), np.sin(angle)]


DESIGNS: dict[str, Design] = {
    "items": _items(1.5, None),
    "items of 3 kinds": _items(1.5, 3),
    "x alone": _with(lambda N, rng: [rng.standard_normal(N)]),
    "1, normal": _with(lambda N, rng: [np.ones(N), rng.standard_normal(N)]),
    "1, t": _with(lambda N, _: [np.ones(N), np.linspace(0.0, 1.0, N)]),
    "1, x in {0, 1, 2}": _with(lambda N, rng: [np.ones(N), rng.integers(0, 3, N).astype(float)]),
    "1, cos, sin": _with(lambda N, _: _waves(N)),
    "2 groups, covariate": _with(lambda N, rng: [*np.eye(2)[rng.integers(0, 2, N)].T, rng.standard_normal(N)]),
}


class Answered(NamedTuple):
    """Shuffled answers (N, L), inputs (N, D), known numbers (N,), the parameters (L, D), what is estimated beside, and a unit of predictors."""

    sets: Floats
    inputs: Floats
    offset: Floats
    theta: Floats
    beside: Floats
    unit: float


class Kind(NamedTuple):
    """How answers of a family are drawn: the middle and the size of curves, whose unit is about the error of a predictor from one answer."""

    middle: float
    size: float
    draw: Callable[[np.random.Generator, Floats], tuple[Floats, Floats, float]]  # answers, what is beside, unit
    options: dict[str, Any]


def _right(rng: np.random.Generator, eta: Floats) -> tuple[Floats, Floats, float]:
    return (rng.random(eta.shape) < 1.0 / (1.0 + np.exp(-eta))).astype(float), np.empty(0), 2.0


def _stars(rng: np.random.Generator, eta: Floats) -> tuple[Floats, Floats, float]:
    levels = 1.0 + (eta[:, :, None] + rng.logistic(size=(*eta.shape, 1)) > CUTS).sum(axis=2)
    return levels, np.log(np.diff(CUTS)), 1.8


def _events(rng: np.random.Generator, eta: Floats) -> tuple[Floats, Floats, float]:
    return rng.poisson(np.exp(eta)).astype(float), np.empty(0), float(np.exp(-0.5 * np.median(eta)))


def _rounded(rng: np.random.Generator, eta: Floats) -> tuple[Floats, Floats, float]:
    sd = float(rng.choice(DEVIATIONS))
    return np.rint(eta + sd * rng.standard_normal(eta.shape)), np.log([sd]), float(np.sqrt(sd**2 + 1.0 / 12.0))


KINDS = {
    "binary": Kind(0.0, 1.5, _right, {}),
    "ordinal": Kind(2.0, 1.5, _stars, {}),
    "count": Kind(1.2, 0.7, _events, {}),
    "rounded": Kind(0.0, 2.0, _rounded, {"step": 1.0}),
}
SYSTEMS, SETS = (2, 3, 4, 5), (60, 400, 3000)


@dataclass(frozen=True)
class Cell:
    """A family, a design by name, L systems and N sets."""

    family: str
    design: str
    systems: int
    sets: int

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.family}; {self.design}; L={self.systems}; N={self.sets}"

    @property
    def has_constant(self) -> bool:
        """Whether inputs span a constant."""
        return self.design != "x alone"

    def draw(self, seed: int) -> Answered:
        """The data of one run."""
        rng, kind = np.random.default_rng([seed, 16]), KINDS[self.family]
        inputs, offset = DESIGNS[self.design](self.sets, rng)
        root = np.linalg.qr(inputs, mode="r") / np.sqrt(self.sets)
        theta = kind.size * np.linalg.solve(root, rng.standard_normal((inputs.shape[1], self.systems))).T
        if self.has_constant:
            theta = theta + kind.middle * np.linalg.lstsq(inputs, np.ones(self.sets), rcond=None)[0]
        elif self.family == "ordinal":
            offset = offset + kind.middle
        answers, beside, unit = kind.draw(rng, inputs @ theta.T + offset[:, None])
        if self.family == "ordinal" and not self.has_constant:
            offset, beside = offset - kind.middle, np.concatenate([[-kind.middle], beside])
        return Answered(rng.permuted(answers, axis=1), inputs, offset, theta, beside, unit)


CELLS = tuple(Cell(*one) for one in product(KINDS, DESIGNS, SYSTEMS, SETS))
