"""Noise on a finite set of numbers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Complexes, Floats
from vieta.checks import as_floats, as_probabilities, frozen
from vieta.errors import InputError
from vieta.laws.chains import independent
from vieta.laws.linear import apply
from vieta.laws.quadrature import shape_of
from vieta.laws.scaled import Scaled, whitening

ROUNDING = 1e-9  # of a number of variance one


@dataclass(frozen=True)
class Finite(Scaled):
    """Noise on a finite set of numbers, scaled to `variance`. It has probabilities, and no density.

    Parameters
    ----------
    variance
        As in the other laws.
    values : (m,)
        The numbers before scaling; their mean under `probabilities` must be zero.
    probabilities : (m,), optional
        Equal when absent.

    >>> Finite(variance=4.0, values=(-1, 1)).draw(np.random.default_rng(0), 3, 1, 1).ravel()
    array([ 2., -2., -2.])
    """

    values: ArrayLike = (-1.0, 1.0)
    probabilities: ArrayLike | None = None

    name: ClassVar[str] = "finite"
    has_density: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        x = as_floats(self.values, "values")
        equal = np.full(x.size, 1.0 / max(x.size, 1))
        w = as_probabilities(equal if self.probabilities is None else self.probabilities)
        if x.ndim != 1 or x.shape != w.shape:
            raise InputError(
                "values-shape",
                "`values` and `probabilities` must be two lists of one length, got {values}, {probabilities}.",
                values=x.shape, probabilities=w.shape,
            )  # fmt: skip
        if not np.any(w * x):
            raise InputError(
                "values-zero",
                "`values` must have a positive variance, got {values}. For no noise, take a `variance` of 0.",
                values=x.tolist(),
            )
        if abs(w @ x) > 1e-9 * np.max(np.abs(x)):
            raise InputError(
                "values-mean",
                "`values` must have mean zero, got mean {mean:g}. Subtract it from every value.",
                mean=float(w @ x),
            )
        object.__setattr__(self, "values", frozen(x))
        object.__setattr__(self, "probabilities", frozen(w))

    def unit(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """The values over their standard deviation."""
        u, w = self._atoms()
        return u[independent(w, rng.random(shape))]

    def unit_below(self, u: Floats) -> Floats:
        """The probability of the values up to u."""
        atoms, w = self._atoms()
        return np.asarray((atoms <= np.asarray(u)[..., None]) @ w)

    def shape(self) -> tuple[float, float]:
        """Sums over the values."""
        return shape_of(np.asarray(self.values), np.asarray(self.probabilities))

    def characteristic(self, t: Floats) -> Complexes:
        """A sum over the values."""
        u, w = self._atoms()
        return np.asarray(np.exp(1j * np.multiply.outer(t, u)) @ w, dtype=np.complex128)

    def log_weight(self, residuals: Floats, rounding: float) -> Floats:
        """Log probabilities of the values that the residuals are, coordinate by coordinate."""
        W, _ = whitening(np.asarray(self.variance), *residuals.shape[-2:])
        u, w = self._atoms()
        near = abs(apply(W, residuals)[..., None] - u) <= ROUNDING + abs(W).max() * rounding
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(near @ w).sum(axis=-1))

    def _atoms(self) -> tuple[Floats, Floats]:
        """Values of variance one, and their probabilities."""
        x, w = np.asarray(self.values), np.asarray(self.probabilities)
        return x / np.sqrt(np.sum(w * x**2)), w
