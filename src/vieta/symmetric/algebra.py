r"""The one construction behind every transform: a graded algebra in which a set becomes a product.

Let :math:`X_1, \dots, X_p` be commuting elements of degree one in an algebra that is cut off above degree L. A set
:math:`Y = \{y_1, \dots, y_L\} \subset R^p` is sent to

.. math:: \prod_{l=1}^{L} \Bigl(1 + \sum_{i=1}^{p} y_{l,i} X_i\Bigr),

whose coordinates do not depend on the order of the set and are linear in each :math:`y_l` separately. From the second
property follow, for noise that is independent across the systems and *any* noise law,

* an exact mean: the transform of the noisy set has the transform of the noise-free set as its mean;
* a covariance that needs only the second moments of the noise (`Algebra.covariance_by_order`).

The scalar, convolution, polarized, tensor, naive and planar transforms differ only in what :math:`X_i X_j` is.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import kernel
from vieta.errors import InputError


@dataclass(frozen=True)
class Term:
    """One entry of a multiplication table: X_generator times basis element `source` has `weight` at `target`."""

    generator: int
    source: int
    target: int
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Algebra:
    """A graded commutative algebra with generators of degree one, cut off above degree `n_systems`.

    Attributes
    ----------
    n_systems : int
        L, the number of factors, and the highest degree kept.
    n_generators : int
        p, the dimension of a point.
    degree : (R,)
        Degree of each basis element.
    unit : (R,)
        Coordinates of the element 1.
    generator, source, target, weight : (T,)
        The multiplication table, sorted by descending degree of `source`.
    reported : (M,)
        The basis elements that make up the transform, by ascending degree; the others are helpers.
    """

    n_systems: int
    n_generators: int
    degree: Integers
    unit: Floats
    generator: Integers
    source: Integers
    target: Integers
    weight: Floats
    reported: Integers

    @classmethod
    def from_terms(
        cls, n_systems: int, degree: list[int], unit: list[int], terms: list[Term], reported: list[int]
    ) -> "Algebra":
        """Build from a multiplication table in any order."""
        terms = sorted(terms, key=lambda term: (-degree[term.source], term.target))
        one = np.zeros(len(degree))
        one[unit] = 1.0
        return cls(
            n_systems=n_systems,
            n_generators=1 + max(term.generator for term in terms),
            degree=np.array(degree, dtype=np.int64),
            unit=one,
            generator=np.array([term.generator for term in terms], dtype=np.int64),
            source=np.array([term.source for term in terms], dtype=np.int64),
            target=np.array([term.target for term in terms], dtype=np.int64),
            weight=np.array([term.weight for term in terms]),
            reported=np.array(reported, dtype=np.int64),
        )

    @property
    def size(self) -> int:
        """M, the number of coefficients of the transform."""
        return len(self.reported)

    @cached_property
    def degrees(self) -> Integers:
        """(M,) degree of each coefficient of the transform."""
        return self.degree[self.reported]

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """For each degree 1..L, where its coefficients stand."""
        edges = np.searchsorted(self.degrees, np.arange(1, self.n_systems + 2))
        return tuple(slice(int(a), int(b)) for a, b in pairwise(edges))

    @cached_property
    def _first(self) -> Integers:
        """For each number of factors already multiplied, the first term whose source can be non-zero."""
        return np.searchsorted(-self.degree[self.source], -np.arange(self.n_systems)).astype(np.int64)

    @cached_property
    def _matrices(self) -> Floats:
        """(p, R, R) multiplication by each generator."""
        matrices = np.zeros((self.n_generators, len(self.degree), len(self.degree)))
        np.add.at(matrices, (self.generator, self.target, self.source), self.weight)
        return matrices

    def transform(self, points: Floats) -> Floats:
        """Coefficients (..., M) of sets (..., L, p)."""
        flat = self._flat(points)
        table = (self.generator, self.source, self.target, self.weight, self._first)
        return _product(flat, self.unit, *table)[:, self.reported].reshape(*points.shape[:-2], self.size)

    def jacobian(self, points: Floats) -> Floats:
        r"""Derivatives (..., M, L, p) of the transform: :math:`X_i \prod_{j \ne l} (1 + \sum y_{j} X)`."""
        flat = self._flat(points)
        table = (self.generator, self.source, self.target, self.weight, self._first)
        full = _derivative(flat, self.unit, *table)
        return full[:, self.reported].reshape(*points.shape[:-2], self.size, *points.shape[-2:])

    def covariance_by_order(self, means: Floats, noise: Floats) -> Floats:
        r"""Covariance of the transform of noisy sets, split by the number of noise factors that meet: (..., L, M, M).

        With independent :math:`v_l` of covariance :math:`N_l`, the second moments of the product multiply:

        .. math:: B \mapsto T_l B T_l' + \sum_{ij} (N_l)_{ij} X_i B X_j', \qquad T_l = I + \sum_i m_{l,i} X_i.

        Entry j - 1 collects the contributions with j noise pairs, so that it scales as the j-th power of the noise
        variance; their sum is the covariance. No subtraction, hence no cancellation at small noise.

        Parameters
        ----------
        means : (..., L, p)
            Noise-free points.
        noise : (p, p), (L, p, p) or (..., L, p, p)
            Noise covariance, one for all systems or one for each.
        """
        flat = self._flat(means)
        noise = np.broadcast_to(noise, (*means.shape[:-2], self.n_systems, self.n_generators, self.n_generators))
        noise = noise.reshape(-1, *noise.shape[-3:])
        X = self._matrices
        R = len(self.degree)
        orders = np.zeros((self.n_systems + 1, len(flat), R, R))
        orders[0] = np.outer(self.unit, self.unit)
        for l in range(self.n_systems):
            T = np.eye(R) + np.einsum("ni,irs->nrs", flat[:, l], X)
            spread = np.einsum("nki,irs->nkrs", _square_root(noise[:, l]), X)
            previous = orders.copy()
            orders = T @ orders @ np.swapaxes(T, -1, -2)
            for k in range(self.n_generators):
                S = spread[:, k]
                orders[1:] += S @ previous[:-1] @ np.swapaxes(S, -1, -2)
        kept = orders[1:, :, self.reported][..., self.reported]
        return np.moveaxis(kept, 0, 1).reshape(*means.shape[:-2], self.n_systems, self.size, self.size)

    def covariance(self, means: Floats, noise: Floats) -> Floats:
        """Covariance (..., M, M) of the transform of sets with means (..., L, p) and independent noise."""
        return np.asarray(self.covariance_by_order(means, noise).sum(axis=-3))

    def _flat(self, points: Floats) -> Floats:
        if points.shape[-2:] != (self.n_systems, self.n_generators):
            raise InputError(
                "points-shape",
                "points must have shape (..., {n_systems}, {dim}): one row a system, one column a coordinate; got {shape}.",
                n_systems=self.n_systems,
                dim=self.n_generators,
                shape=points.shape,
            )
        return np.ascontiguousarray(points, dtype=np.float64).reshape(-1, self.n_systems, self.n_generators)


def _square_root(matrices: Floats) -> Floats:
    """Rows h_k with sum_k h_k h_k' = matrix, for positive semi-definite matrices (n, p, p)."""
    values, vectors = np.linalg.eigh(matrices)
    return np.swapaxes(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :], -1, -2)


@kernel
def _product(
    points: Floats,
    unit: Floats,
    generator: Integers,
    source: Integers,
    target: Integers,
    weight: Floats,
    first: Integers,
) -> Floats:
    # In place: a target lies one degree above its source, so going down in degree reads only old values.
    product = np.empty((points.shape[0], unit.shape[0]))
    for n in range(points.shape[0]):
        c = product[n]
        for r in range(unit.shape[0]):
            c[r] = unit[r]
        for l in range(points.shape[1]):
            for t in range(first[l], source.shape[0]):
                c[target[t]] += points[n, l, generator[t]] * weight[t] * c[source[t]]
    return product


@kernel
def _derivative(
    points: Floats,
    unit: Floats,
    generator: Integers,
    source: Integers,
    target: Integers,
    weight: Floats,
    first: Integers,
) -> Floats:
    N, L, p = points.shape
    out = np.zeros((N, unit.shape[0], L, p))
    c = np.empty(unit.shape[0])
    for n in range(N):
        for omitted in range(L):
            for r in range(unit.shape[0]):
                c[r] = unit[r]
            factors = 0
            for l in range(L):
                if l != omitted:
                    for t in range(first[factors], source.shape[0]):
                        c[target[t]] += points[n, l, generator[t]] * weight[t] * c[source[t]]
                    factors += 1
            for t in range(source.shape[0]):
                out[n, target[t], omitted, generator[t]] += weight[t] * c[source[t]]
    return out
