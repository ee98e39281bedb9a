r"""Laws of the input Psi(k) in y_l(k) = Psi(k) theta_l + v_l(k), and its product with the parameters.

A law gives None (Psi = I), (n,) a number per time (Psi = psi I), (n, D) a row per time (scalar readings), or
(n, p, D) a matrix per time.
"""

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats, as_number
from vieta.laws.linear import apply


class Inputs(Protocol):
    """A law of inputs."""

    def draw(self, rng: Generator, n: int, dim: int) -> Floats | None:
        """Inputs for n times and parameters of dimension D = dim."""
        ...


@dataclass(frozen=True)
class Identity:
    """No input: Psi = I."""

    def draw(self, rng: Generator, n: int, dim: int) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Constant:
    """The same number at every time: psi(k) = value."""

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number(self.value, "value"))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """The number, repeated: (n,)."""
        return np.full(n, self.value)


@dataclass(frozen=True)
class Gaussian:
    """Normal numbers: psi(k) ~ N(mean, variance), independent."""

    mean: float = 0.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", as_number(self.mean, "mean"))
        object.__setattr__(self, "variance", as_number(self.variance, "variance", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One number per time: (n,)."""
        return self.mean + math.sqrt(self.variance) * rng.standard_normal(n)


@dataclass(frozen=True)
class Uniform:
    """Uniform numbers: psi(k) on [low, high), independent."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", as_number(self.low, "low"))
        object.__setattr__(self, "high", as_number(self.high, "high", above=self.low))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One number per time: (n,)."""
        return self.low + (self.high - self.low) * rng.random(n)


@dataclass(frozen=True)
class Sign:
    """Random signs: psi(k) = +1 or -1 with probability one half each."""

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One sign per time: (n,)."""
        return np.where(rng.random(n) < 0.5, -1.0, 1.0)


@dataclass(frozen=True)
class Rows:
    """Regressor rows for scalar readings: independent entries N(0, variance)."""

    variance: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", as_number(self.variance, "variance", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, D)."""
        return math.sqrt(self.variance) * rng.standard_normal((n, dim))


@dataclass(frozen=True)
class Matrices:
    """General matrices: independent entries N(0, variance).

    Parameters
    ----------
    rows : int, optional
        Dimension p of a reading; D when absent.
    variance : float
        Variance of an entry.
    """

    rows: int | None = None
    variance: float = 1.0

    def __post_init__(self) -> None:
        if self.rows is not None:
            object.__setattr__(self, "rows", as_count(self.rows, "rows"))
        object.__setattr__(self, "variance", as_number(self.variance, "variance", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One matrix per time: (n, p, D)."""
        return math.sqrt(self.variance) * rng.standard_normal((n, self.rows or dim, dim))


@dataclass(frozen=True)
class ScalarMatrices:
    """Multiples of the identity written as matrices: Psi(k) = psi(k) I with psi from a law of numbers."""

    law: Constant | Gaussian | Uniform | Sign = field(default_factory=Gaussian)

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One matrix per time: (n, D, D)."""
        return self.law.draw(rng, n, dim)[:, None, None] * np.eye(dim)


@dataclass(frozen=True)
class Line:
    """Straight lines in time: the row [1, t], t = k * step for k = 0, 1, ...; D = 2 (place at t = 0, velocity)."""

    step: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", as_number(self.step, "step", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, 2)."""
        if dim != 2:
            raise ValueError(f"Line needs D = 2 parameters per system, place and velocity, got D = {dim}.")
        return np.column_stack([np.ones(n), self.step * np.arange(n)])


@dataclass(frozen=True)
class Affine:
    """The row [1, x(k)] with x from a law of numbers; D = 2 (value at x = 0, slope)."""

    x: Constant | Gaussian | Uniform | Sign = field(default_factory=Gaussian)

    def __post_init__(self) -> None:
        if not isinstance(self.x, Constant | Gaussian | Uniform | Sign):
            raise ValueError(f"`x` must be a law of numbers: Constant, Gaussian, Uniform or Sign, got {self.x!r}.")

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, 2)."""
        if dim != 2:
            raise ValueError(f"Affine needs D = 2 parameters per system, value at zero and slope, got D = {dim}.")
        return np.column_stack([np.ones(n), self.x.draw(rng, n, dim)])


@dataclass(frozen=True, eq=False)
class Given:
    """Inputs from elsewhere: (M,), (M, D) or (M, p, D), of which the first n are used."""

    array: ArrayLike

    def __post_init__(self) -> None:
        array = as_floats(self.array, "array")
        if array.ndim not in {1, 2, 3} or array.size == 0:
            raise ValueError(f"`array` must have shape (M,), (M, D) or (M, p, D), got {array.shape}.")
        object.__setattr__(self, "array", array)

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """The first n of the inputs."""
        array = np.asarray(self.array)
        if len(array) < n:
            raise ValueError(f"`array` holds {len(array)} inputs, but n = {n} are needed. Ask for fewer sets.")
        if array.ndim > 1 and array.shape[-1] != dim:
            raise ValueError(f"`array` has shape {array.shape}, but its last axis must be D = {dim}.")
        return array[:n].copy()


def respond(inputs: Floats | None, theta: Floats) -> Floats:
    r"""Noiseless readings :math:`\Psi(k)\,\theta_l(k)`: (n, L, p) from theta (n, L, D).

    >>> respond(np.array([2.0, 3.0]), np.ones((2, 1, 1))).ravel()
    array([2., 3.])
    """
    if inputs is None:
        return theta
    if inputs.ndim == 1:
        return inputs[:, None, None] * theta
    return apply(inputs[:, None, None, :] if inputs.ndim == 2 else inputs[:, None], theta)
