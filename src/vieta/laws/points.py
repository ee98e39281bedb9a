"""A law of inputs as points and weights, for averages over it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats
from vieta.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Inputs with weights: an average over the law is a weighted sum.

    Attributes
    ----------
    psi : (n,) or (n, p, D)
        Numbers, for Psi = psi I, or matrices.
    weights : (n,)
        Of sum one.
    """

    psi: Floats
    weights: Floats

    def reading_dim(self, dim: int) -> int:
        """p, the length of a reading of parameters of length D = dim."""
        return dim if self.psi.ndim == 1 else int(self.psi.shape[1])

    def matrices(self, dim: int) -> Floats:
        """The inputs as matrices (n, p, D)."""
        return self.psi if self.psi.ndim == 3 else self.psi[:, None, None] * np.eye(dim)

    def information(self, precisions: Floats, dim: int) -> Floats:
        r"""(L D, L D) information of a set with labels: a block :math:`E\,\Psi' W_l \Psi` a system, from W (L, p, p).

        >>> equally(np.array([1.0, 3.0])).information(np.array([[[2.0]]]), 1)
        array([[10.]])
        """
        psi, L = self.matrices(dim), len(precisions)
        full = np.zeros((L, dim, L, dim))
        full[np.arange(L), :, np.arange(L)] = np.einsum(
            "n,npd,lpq,nqe->lde", self.weights, psi, precisions, psi, optimize=True
        )
        return full.reshape(L * dim, L * dim)


def equally(psi: Floats) -> Points:
    """Points of equal weight."""
    return Points(psi, np.full(len(psi), 1.0 / len(psi)))


def normal(mean: float, deviation: float) -> Points:
    """The normal law by the trapezoidal rule, which for its density is exact to rounding: moments up to the fortieth, too."""
    z = np.arange(-512, 513) / 32.0
    weights = np.exp(-0.5 * z**2)
    return Points(mean + deviation * z, weights / weights.sum())


def interval(low: float, high: float) -> Points:
    """The uniform law by Gauss-Legendre quadrature, 16 points on each of 32 pieces."""
    x, w = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(low, high, 33)
    half = 0.5 * np.diff(edges)[:, None]
    return Points((edges[:-1, None] + half * (1.0 + x)).ravel(), np.tile(w, 32) / 64.0)


def as_sample(inputs: ArrayLike | None, dim: int) -> Points:
    """Points of equal weight: a sample (n,), (n, D) or (n, p, D) of inputs to parameters of dimension D; None is Psi = I."""
    if inputs is None:
        return Points(np.ones(1), np.ones(1))
    psi = as_floats(inputs, "inputs")
    if psi.ndim == 2:
        psi = psi[:, None, :]
    if psi.ndim not in {1, 3} or psi.size == 0 or (psi.ndim == 3 and psi.shape[2] != dim):
        raise InputError(
            "not-inputs",
            "`inputs` must be a law from vieta.laws.inputs or a sample of shape (n,), (n, {dim}) or (n, p, {dim}), got {shape}.",
            dim=dim, shape=psi.shape,
        )  # fmt: skip
    return equally(np.array(psi[:, 0, 0] if psi.shape[1:] == (1, 1) else psi))
