"""A law of noise that the user gives by its density."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.quadrature import grid
from vieta.laws.scaled import Scaled

TOLERANCE = 1e-3  # of the integrals
STEP = 1e-5  # of the numerical derivative, in standard deviations


@dataclass(frozen=True, init=False)
class Density(Scaled):
    r"""Noise with a density of one's own. A function cannot be written to a file, and neither can this law.

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

    name: ClassVar[str] = "density"
    writable: ClassVar[bool] = False

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


def second_moment(log_density: Callable[[Floats], Floats]) -> float:
    """The variance of a density, which is checked: it integrates to one, has mean zero, and its variance is finite."""
    v, weight = grid()
    mass = weight * np.exp(_values(log_density, v))
    _require_total(float(mass.sum()))
    squares = mass * v**2
    if max(squares[0], squares[-1]) > 1e-6 * squares.sum():
        raise InputError(
            "variance-infinite",
            "`log_density` must have a finite variance: its tails are too heavy. Use one that decays faster.",
        )
    mean, variance = float(mass @ v), float(squares.sum())
    if abs(mean) > TOLERANCE * np.sqrt(variance):
        raise InputError(
            "density-mean", "`log_density` must have mean zero, got mean {mean:.6g}. Shift it by its mean.", mean=mean
        )
    return variance


def _values(log_density: Callable[[Floats], Floats], v: Floats) -> Floats:
    """The function at points v: a number below infinity at each."""
    try:
        value = np.asarray(log_density(v), dtype=np.float64)
    except Exception as error:  # whatever a function of the user's may raise
        raise InputError(
            "density-raises",
            "`log_density` must map an array of numbers to numbers; it raised: {reason}.",
            reason=str(error),
        ) from error
    if value.shape != v.shape or np.isnan(value).any() or np.any(value == np.inf):
        raise InputError(
            "density-values",
            "`log_density` must return one number below infinity for each of {count} numbers, got shape {shape} with {bad} values "
            "that are NaN or infinity. Write it with numpy, entry by entry.",
            count=len(v), shape=value.shape, bad=int((~(value < np.inf)).sum()),
        )  # fmt: skip
    return value


def _require_total(total: float) -> None:
    """Refuse a density whose integral is not one."""
    if abs(total - 1.0) < TOLERANCE:
        return
    usable = 0.0 < total < np.inf
    advice = "Subtract {log_total:.6g} from it if the constant was forgotten." if usable else "Check its sign."
    raise InputError(
        "density-total",
        "`log_density` must be a density: its exponential integrates to {total:.6g}, not to 1. " + advice,
        total=total, log_total=float(np.log(total)) if usable else None,
    )  # fmt: skip
