"""The rows of the study of answers: parameters, inputs, the law of answers, and what is asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vieta.arrays import Floats

Draw = Callable[[np.random.Generator, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Row:
    """One setting: answers of a family with predictors psi'theta + b, labeled in the order of the parameters."""

    name: str
    family: str
    theta: Floats
    n: int
    draw: Draw
    offset_sd: float = 0.0
    covariate: bool = False
    most: float | None = None  # ratio that was asked for, to labeled maximum likelihood or what `over` says
    over: str = "labeled"
    options: dict[str, Any] = field(default_factory=dict)
    nuisance: tuple[float, ...] = ()

    def sets(self, seed: int, n: int | None = None) -> tuple[Floats, Floats | None, Floats | None]:
        """Labeled answers (n, L), inputs and known numbers."""
        rng = np.random.default_rng([seed, 15])
        n = n or self.n
        psi = np.column_stack([np.ones(n), rng.standard_normal(n)]) if self.covariate else None
        b = self.offset_sd * rng.standard_normal(n) if self.offset_sd else None
        rows = np.ones((n, 1)) if psi is None else psi
        eta = rows[:, : self.theta.shape[1]] @ self.theta.T + (0.0 if b is None else b[:, None])
        return self.draw(rng, eta), psi, b


def right(rng: np.random.Generator, eta: Floats) -> Floats:
    """Right or wrong, with a logit link."""
    return np.asarray(rng.random(eta.shape) < 1.0 / (1.0 + np.exp(-eta)), dtype=np.float64)


CUTS = np.array([0.0, 1.3, 2.7, 4.0])


def stars(rng: np.random.Generator, eta: Floats) -> Floats:
    """One to five stars."""
    return np.asarray(1.0 + (eta[:, :, None] + rng.logistic(size=(*eta.shape, 1)) > CUTS).sum(axis=2), dtype=np.float64)


def events(rng: np.random.Generator, eta: Floats) -> Floats:
    """Poisson counts."""
    return np.asarray(rng.poisson(np.exp(eta)), dtype=np.float64)


def many_events(rng: np.random.Generator, eta: Floats) -> Floats:
    """Negative binomial counts with twice the variance of Poisson counts."""
    return np.asarray(rng.negative_binomial(np.exp(eta), 0.5), dtype=np.float64)


def rounded(rng: np.random.Generator, eta: Floats) -> Floats:
    """Measurements with noise of deviation one, rounded to two."""
    return np.asarray(2.0 * np.rint((eta + rng.standard_normal(eta.shape)) / 2.0))


def column(*values: float) -> Floats:
    return np.array(values)[:, None]


RATES = np.array([[np.log(2.0), 0.3], [np.log(5.0), -0.2], [np.log(12.0), 0.1]])
RATERS = np.array([[0.5, 0.5], [2.0, 1.0], [3.5, -1.0]])
LINES = np.array([[-4.0, -2.0], [0.5, 1.5], [5.3, 3.0]])

ROWS = (
    Row("binary, L=2 (-1, 1), 500 items", "binary", column(-1, 1), 500, right, 1.5, most=1.6),
    Row("binary, L=3 (-2, 0, 2), 1000 items", "binary", column(-2, 0, 2), 1000, right, 2.0, most=2.4),
    Row("binary, L=5 spacing 2, 2000 items", "binary", column(-4, -2, 0, 2, 4), 2000, right, 3.0, most=2.1),
    Row(
        "ratings 1 to 5, L=3, D=2, 2000 products",
        "ordinal",
        RATERS,
        2000,
        stars,
        covariate=True,
        nuisance=tuple(np.log(np.diff(CUTS))),
    ),
    Row("counts, L=3, rates 2, 5, 12", "count", RATES, 1000, events, covariate=True, most=1.3),
    Row("counts of twice the variance", "count", RATES, 1000, many_events, covariate=True, nuisance=(0.0,)),
    Row(
        "rounded to 2 sd, L=3, D=2",
        "rounded",
        LINES,
        1000,
        rounded,
        covariate=True,
        most=1.1,
        over="unrounded",
        options={"step": 2.0},
        nuisance=(0.0,),
    ),
)
