"""A law of noise that the user gives by its density."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.laws.scaled import Scaled

WIDTH = 35.0  # the density is integrated over e^-35 < |v| < e^35
POINTS = 2**16 + 1  # on each side
TOLERANCE = 1e-3  # of the integrals
STEP = 1e-5  # of the numerical derivative, in standard deviations


@dataclass(frozen=True, init=False)
class Density(Scaled):
    r"""Noise with a density of one's own.

    Parameters
    ----------
    log_density : callable
        Logarithm of the density of one coordinate, entry by entry for an array; minus infinity is allowed. It must
        integrate to one and have mean zero and a finite variance: all three are checked.
    variance : optional
        As in the other laws: the shape is kept and the scale changed. By default it is the variance of the density.

    Notes
    -----
    Integrals run over :math:`\log|v|` on each side of zero, so that the scale of the density need not be known. The
    score is a central difference, and numbers are drawn by the inverse of the distribution function on that grid.

    >>> logistic = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    >>> round(logistic.variance, 4)  # pi^2 / 3
    3.2899
    """

    function: Callable[[Floats], Floats] = field(init=False)
    sd: float = field(init=False)
    """Standard deviation of the density as it was given."""

    def __init__(self, log_density: Callable[[Floats], Floats], variance: ArrayLike | None = None) -> None:
        own = second_moment(log_density)
        object.__setattr__(self, "function", log_density)
        object.__setattr__(self, "sd", float(np.sqrt(own)))
        object.__setattr__(self, "variance", own if variance is None else variance)
        super().__post_init__()

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """By the inverse of the distribution function."""
        v, weight = grid()
        mass = weight * np.exp(self.function(v))
        below = np.cumsum(mass) - 0.5 * mass
        return np.asarray(np.interp(rng.random(shape), below / mass.sum(), v) / self.sd)

    def unit_log_density(self, u: Floats) -> Floats:
        """The function, in units of its own standard deviation."""
        return np.asarray(self.function(self.sd * u) + np.log(self.sd))

    def unit_score(self, u: Floats) -> Floats:
        """By a central difference."""
        with np.errstate(invalid="ignore"):
            score = (self.unit_log_density(u - STEP) - self.unit_log_density(u + STEP)) / (2.0 * STEP)
        return np.where(np.isfinite(score), score, 0.0)

    def scaled(self, variance: ArrayLike) -> Self:
        """The law of this shape with another variance."""
        law = copy(self)  # a density that was checked once
        object.__setattr__(law, "variance", variance)
        super(Density, law).__post_init__()
        return law


def grid() -> tuple[Floats, Floats]:
    """Points v, ascending, and weights of the trapezoidal rule in log|v|."""
    x = np.linspace(-WIDTH, WIDTH, POINTS)
    half = np.exp(x)
    weight = (x[1] - x[0]) * half
    return np.concatenate([-half[::-1], half]), np.concatenate([weight[::-1], weight])


def second_moment(log_density: Callable[[Floats], Floats]) -> float:
    """The variance of a density, which is checked: it integrates to one, has mean zero, and its variance is finite."""
    v, weight = grid()
    try:
        value = np.asarray(log_density(v), dtype=np.float64)
    except Exception as error:  # whatever a function of the user's may raise
        raise ValueError(f"`log_density` must map an array of numbers to numbers; it raised: {error}.") from error
    if value.shape != v.shape or np.isnan(value).any() or np.any(value == np.inf):
        raise ValueError(
            f"`log_density` must give one number below infinity for each of {v.shape[0]} numbers, got shape "
            f"{value.shape} with {int((~(value < np.inf)).sum())} that are none. Write it with numpy, entry by entry."
        )
    mass = weight * np.exp(value)
    total = float(mass.sum())
    if not abs(total - 1.0) < TOLERANCE:
        usable = 0.0 < total < np.inf
        advice = f"Subtract {np.log(total):.6g} from it if the constant was forgotten." if usable else "Check its sign."
        raise ValueError(
            f"`log_density` must be a density: its exponential integrates to {total:.6g}, not to 1. {advice}"
        )
    squares = mass * v**2
    if max(squares[0], squares[-1]) > 1e-6 * squares.sum():
        raise ValueError(
            "`log_density` must have a finite variance: its tails are too heavy. Use one that decays faster."
        )
    mean, variance = float(mass @ v), float(squares.sum())
    if abs(mean) > TOLERANCE * np.sqrt(variance):
        raise ValueError(f"`log_density` must have mean zero, got mean {mean:.6g}. Shift it by its mean.")
    return variance
