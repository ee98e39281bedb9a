r"""Laws of the input Psi(k) in y_l(k) = Psi(k) theta_l + v_l(k).

A law gives None (Psi = I), (n,) a number per time (Psi = psi I), (n, D) a row per time (scalar readings), or
(n, p, D) a matrix per time.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats, as_number
from vieta.errors import InputError
from vieta.laws.points import Points, as_sample, equally, interval, normal

DRAWS = 20_000  # inputs over which a law of rows or matrices is averaged


class Inputs(ABC):
    """A law of inputs."""

    name: ClassVar[str] = ""
    """Its name in files."""

    @abstractmethod
    def draw(self, rng: Generator, n: int, dim: int) -> Floats | None:
        """Inputs for n times and parameters of dimension D = dim."""

    def points(self, dim: int) -> Points:
        """Points for averages over the law: a fixed sample here, quadrature points for laws of numbers."""
        return as_sample(self.draw(np.random.default_rng(0), DRAWS, dim), dim)


class Numbers(Inputs):
    """A law of numbers, Psi = psi I."""

    @abstractmethod
    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One number per time: (n,)."""

    @abstractmethod
    def points(self, dim: int) -> Points:
        """Quadrature points."""


@dataclass(frozen=True)
class Identity(Inputs):
    """No input: Psi = I."""

    name: ClassVar[str] = "identity"

    def draw(self, rng: Generator, n: int, dim: int) -> None:
        """Nothing."""

    def points(self, dim: int) -> Points:
        """The number 1."""
        return Points(np.ones(1), np.ones(1))


@dataclass(frozen=True)
class Constant(Numbers):
    """The same number at every time: psi(k) = value."""

    name: ClassVar[str] = "constant"

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number(self.value, "value"))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """The number, repeated: (n,)."""
        return np.full(n, self.value)

    def points(self, dim: int) -> Points:
        """The number."""
        return Points(np.array([self.value]), np.ones(1))


@dataclass(frozen=True)
class Gaussian(Numbers):
    """Normal numbers: psi(k) ~ N(mean, variance), independent."""

    name: ClassVar[str] = "gaussian"

    mean: float = 0.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", as_number(self.mean, "mean"))
        object.__setattr__(self, "variance", as_number(self.variance, "variance", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One number per time: (n,)."""
        return self.mean + math.sqrt(self.variance) * rng.standard_normal(n)

    def points(self, dim: int) -> Points:
        """The trapezoidal rule."""
        return normal(self.mean, math.sqrt(self.variance))


@dataclass(frozen=True)
class Uniform(Numbers):
    """Uniform numbers: psi(k) on [low, high), independent."""

    name: ClassVar[str] = "uniform"

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", as_number(self.low, "low"))
        object.__setattr__(self, "high", as_number(self.high, "high", above=self.low))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One number per time: (n,)."""
        return self.low + (self.high - self.low) * rng.random(n)

    def points(self, dim: int) -> Points:
        """Gauss-Legendre quadrature."""
        return interval(self.low, self.high)


@dataclass(frozen=True)
class Sign(Numbers):
    """Random signs: psi(k) = +1 or -1 with probability one half each."""

    name: ClassVar[str] = "sign"

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One sign per time: (n,)."""
        return np.where(rng.random(n) < 0.5, -1.0, 1.0)

    def points(self, dim: int) -> Points:
        """Both signs."""
        return equally(np.array([-1.0, 1.0]))


@dataclass(frozen=True)
class Rows(Inputs):
    """Regressor rows for scalar readings: independent entries N(0, variance)."""

    name: ClassVar[str] = "rows"

    variance: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", as_number(self.variance, "variance", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, D)."""
        return math.sqrt(self.variance) * rng.standard_normal((n, dim))


@dataclass(frozen=True)
class Matrices(Inputs):
    """General matrices: independent entries N(0, variance).

    Parameters
    ----------
    rows : int, optional
        Dimension p of a reading; D when absent.
    variance : float
        Variance of an entry.
    """

    name: ClassVar[str] = "matrices"

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
class ScalarMatrices(Inputs):
    """Multiples of the identity written as matrices: Psi(k) = psi(k) I with psi from a law of numbers."""

    name: ClassVar[str] = "scalar-matrices"

    psi: Numbers = field(default_factory=Gaussian)

    def __post_init__(self) -> None:
        _require_numbers(self.psi, "psi")

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One matrix per time: (n, D, D)."""
        return self.psi.draw(rng, n, dim)[:, None, None] * np.eye(dim)


@dataclass(frozen=True)
class Line(Inputs):
    """Straight lines in time: the row [1, t], t = k * step for k = 0, 1, ...; D = 2 (place at t = 0, velocity)."""

    name: ClassVar[str] = "line"

    step: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", as_number(self.step, "step", above=0.0))

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, 2)."""
        if dim != 2:
            raise InputError(
                "line-dim", "Line needs D = 2 parameters per system, place and velocity, got D = {dim}.", dim=dim
            )
        return np.column_stack([np.ones(n), self.step * np.arange(n)])

    def points(self, dim: int) -> Points:
        """None: there is no average over all times."""
        raise InputError(
            "inputs-grow",
            "the inputs of Line grow with time, and there is no average over them. Give those of the times at hand as an array, "
            "[[1, t], ..].",
        )


@dataclass(frozen=True)
class Affine(Inputs):
    """The row [1, x(k)] with x from a law of numbers; D = 2 (value at x = 0, slope)."""

    name: ClassVar[str] = "affine"

    x: Numbers = field(default_factory=Gaussian)

    def __post_init__(self) -> None:
        _require_numbers(self.x, "x")

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """One row per time: (n, 2)."""
        if dim != 2:
            raise InputError(
                "affine-dim",
                "Affine needs D = 2 parameters per system, value at zero and slope, got D = {dim}.",
                dim=dim,
            )
        return np.column_stack([np.ones(n), self.x.draw(rng, n, dim)])


@dataclass(frozen=True, eq=False)
class Given(Inputs):
    """Inputs from elsewhere: (M,), (M, D) or (M, p, D), of which the first n are used."""

    name: ClassVar[str] = "given"

    array: ArrayLike

    def __post_init__(self) -> None:
        array = as_floats(self.array, "array")
        if array.ndim not in {1, 2, 3} or array.size == 0:
            raise InputError(
                "array-shape", "`array` must have shape (M,), (M, D) or (M, p, D), got {shape}.", shape=array.shape
            )
        object.__setattr__(self, "array", array)

    def draw(self, rng: Generator, n: int, dim: int) -> Floats:
        """The first n of the inputs."""
        array = np.asarray(self.array)
        if len(array) < n:
            raise InputError(
                "inputs-too-few",
                "`array` holds {given} inputs, but n = {n} are needed. Ask for fewer sets.",
                given=len(array), n=n,
            )  # fmt: skip
        if array.ndim > 1 and array.shape[-1] != dim:
            raise InputError(
                "array-does-not-fit",
                "`array` has shape {shape}, but its last axis must be D = {dim}.",
                shape=array.shape, dim=dim,
            )  # fmt: skip
        return array[:n].copy()

    def points(self, dim: int) -> Points:
        """All of the inputs, alike."""
        return as_sample(self.array, dim)


def _require_numbers(law: object, name: str) -> None:
    if not isinstance(law, Numbers):
        raise InputError(
            "not-numbers-law",
            "`{name}` must be a law of numbers: Constant, Gaussian, Uniform or Sign, got {value!r}.",
            name=name, value=law,
        )  # fmt: skip
