r"""The regression of the readings' sum on the inputs, which needs no association.

.. math:: s(k) = \sum_l y_l(k) = \Psi(k)\,b + \sum_l v_l(k), \qquad b = \sum_l \theta_l .

Its residuals give the noise: :math:`C = \sum_k r_k r_k' / (L (N - D/p))`, and the shape of its law, because cumulants of independent
noises add. The first pass makes the triangle R of the QR factorization of [inputs | sums], in which blocks merge by a factorization of
their stacked triangles: as accurate as least squares on all rows. The second pass goes through the residuals.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.arrays import Floats, Integers, product
from vieta.sets import LARGEST, Data
from vieta.sums import Passes, Sums

ROUNDING = 1e-16  # of the mean square of the readings: the least noise variance
SAMPLE = 20_000  # sizes of inputs that are kept


@dataclass(frozen=True, slots=True, eq=False)
class SumRegression:
    """The regression of the readings' sum.

    Attributes
    ----------
    n_sets : int
    n_systems : int
    solution : (D,)
        b.
    noise : (p, p)
        Noise covariance of one reading.
    weakest : float
        Smallest over largest eigenvalue of the second moments of the inputs, each coordinate scaled to one.
    scale : float
        Root of the mean square of the residuals, but one where they are zero.
    powers : (3,)
        Means of the second to fourth powers of the residuals' components, in units of `scale`.
    sizes : (n,)
        Squared sizes of the inputs, of evenly spaced sets, in ascending order.
    root : (D, D)
        R⁻¹ of the inputs' triangle, so that (Σ Ψ'Ψ)⁻¹ = R⁻¹R⁻¹'; zero where they do not identify the parameters.
    """

    n_sets: int
    n_systems: int
    solution: Floats
    noise: Floats
    weakest: float
    scale: float
    powers: Floats
    sizes: Floats
    root: Floats

    def residuals(self, data: Data) -> Floats:
        """(n, p) residuals of the sums of some sets."""
        return np.asarray(data.sets.sum(axis=1) - as_matrices(data) @ self.solution)

    def moved(self, theta: Floats, other: Floats) -> float:
        """The largest root mean square change of a system's mean readings between parameters (L, D) and others, row by row."""
        if not abs(theta - other).max() < LARGEST:
            return np.inf
        changes = np.linalg.lstsq(self.root, (theta - other).T)[0]
        return float(np.sqrt(np.square(changes).sum(axis=0).max() / self.n_sets))

    @property
    def shape(self) -> tuple[float, float]:
        r"""Skewness and kurtosis of one reading's noise, from those of the residuals.

        :math:`\gamma_3 = \sqrt L\,\gamma_3^\Sigma` and :math:`\gamma_4 - 3 = L (\gamma_4^\Sigma - 3)`.
        """
        second, third, fourth = self.powers
        L = self.n_systems
        return float(np.sqrt(L) * third / second**1.5), float(3.0 + L * (fourth / second**2 - 3.0))


def as_matrices(data: Data) -> Floats:
    """Inputs as matrices (N, p, D)."""
    if data.inputs.ndim == 3:
        return data.inputs
    if data.dim == 1:
        return data.inputs[:, None, None]
    return np.ascontiguousarray(data.inputs[:, None, None] * np.eye(data.dim))


def input_gain(data: Data, count: int) -> float:
    r"""How much the inputs after the first so many sets tell, in the direction where that is most, over what those before told.

    .. math:: \lambda_{\max}(G_0^{-1} G), \qquad G_0 = \sum_{k \le n} \Psi_k'\Psi_k, \quad G = \sum_{k > n} \Psi_k'\Psi_k .
    """
    psi = as_matrices(data).reshape(len(data), -1, data.dim)
    before, since = (np.einsum("npd,npe->de", part, part) for part in (psi[:count], psi[count:]))
    size = np.sqrt(np.maximum(np.diag(before), 1e-300))
    values, vectors = np.linalg.eigh(before / (size[:, None] * size))
    root = vectors / np.sqrt(np.maximum(values, 1e-12)) / size[:, None]
    return float(np.linalg.eigvalsh(root.T @ since @ root)[-1])


def regress(passes: Passes) -> SumRegression:
    """Regress the sums of the readings on the inputs, in two passes."""
    L, p, D = passes.like.n_systems, passes.like.reading_dim, passes.like.dim
    first = passes.total(_rows)
    N, R = first.count, first.triangle.square(D + 1)
    solution = np.asarray(np.linalg.lstsq(R[:, :D], R[:, D])[0], dtype=np.float64)
    scale = float(abs(R[D, D]) / np.sqrt(N * p)) or 1.0
    last = passes.total(lambda block, _: _residual_sums(block, solution, scale))
    floor = ROUNDING * (float(first.square) / (N * L * p) or 1.0)
    noise = last.scatter * (scale**2 / (L * max(N - D / p, 1.0))) + floor * np.eye(p)
    weakest = weakest_direction(R[:, :D])
    root = np.asarray(np.linalg.inv(R[:D, :D]), dtype=np.float64) if weakest > 0.0 else np.zeros((D, D))
    sizes = np.sort(first.sizes.values)
    return SumRegression(N, L, solution, noise, weakest, scale, last.powers / (N * p), sizes, root)


def weakest_direction(R: Floats) -> float:
    """Smallest over largest eigenvalue of R'R (D, D), each column of R scaled to one."""
    norms = np.linalg.norm(R, axis=0)
    if norms.min() == 0.0:
        return 0.0
    values = np.linalg.svd(R / norms, compute_uv=False)
    return float((values[-1] / values[0]) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class Triangle:
    """R (at most q, q) of a QR factorization of rows (n, q); two merge as if their rows had been stacked."""

    R: Floats

    @classmethod
    def of(cls, rows: Floats) -> Self:
        """The triangle of rows (n, q)."""
        return cls(np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64))

    def __add__(self, other: Self, /) -> Self:
        return self.of(np.concatenate([self.R, other.R]))

    def square(self, q: int) -> Floats:
        """R with rows of zeros where there were fewer rows than columns."""
        return np.concatenate([self.R, np.zeros((q - len(self.R), q))])


@dataclass(frozen=True, slots=True, eq=False)
class Strided:
    """Values at evenly spaced places of a stream, `SAMPLE` of them at the most: all of a short one, every second of a longer one ..

    Attributes
    ----------
    places : (n,)
        Multiples of `stride`, ascending.
    values : (n,)
    stride : int
        A power of two; it depends on the length of the stream alone, not on how it was cut.
    """

    places: Integers
    values: Floats
    stride: int = 1

    @classmethod
    def of(cls, values: Floats, before: int) -> Self:
        """Those of a block that so many others precede."""
        return cls(np.arange(before, before + len(values)), values)._thinned()

    def __add__(self, other: Self, /) -> Self:
        places, values = np.concatenate([self.places, other.places]), np.concatenate([self.values, other.values])
        return type(self)(places, values, max(self.stride, other.stride))._thinned()

    def _thinned(self) -> Self:
        stride, kept = self.stride, self.places % self.stride == 0
        while kept.sum() > SAMPLE:
            stride *= 2
            kept = self.places % stride == 0
        return type(self)(self.places[kept], self.values[kept], stride)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows(Sums):
    """What the rows [inputs | sums] tell, the sum of squares of all readings, and sizes of inputs."""

    count: int
    square: float
    triangle: Triangle
    sizes: Strided


def _rows(block: Data, before: int) -> _Rows:
    psi = as_matrices(block)
    rows = np.concatenate([psi, block.sets.sum(axis=1)[:, :, None]], axis=2)
    sizes = Strided.of((psi**2).sum(axis=(1, 2)), before)
    return _Rows(len(block), float((block.sets**2).sum()), Triangle.of(rows.reshape(-1, rows.shape[2])), sizes)


@dataclass(frozen=True, slots=True, eq=False)
class _ResidualSums(Sums):
    """Of residuals in units of their scale: sum of outer products (p, p); sums of second to fourth powers (3,)."""

    scatter: Floats
    powers: Floats


def _residual_sums(block: Data, solution: Floats, scale: float) -> _ResidualSums:
    residuals = (block.sets.sum(axis=1) - as_matrices(block) @ solution) / scale
    squares = residuals**2
    powers = np.array([squares.sum(), (squares * residuals).sum(), (squares**2).sum()])
    return _ResidualSums(product(residuals.T, residuals), powers)
