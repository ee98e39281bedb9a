r"""Memory over time: is what the sets say alike from one to the next, and what do their sums then vary by?

An estimate that is a sum of influences :math:`a_k` (n,) of the sets has the covariance :math:`\sum_k a_k a_k'` only if those of different
sets are uncorrelated. `Persistence` tests that; `long_run` gives the covariance where they are not. Both are made of sums over blocks that
join exactly: each keeps its first and its last few rows.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from vieta.arrays import Floats, product
from vieta.tails import normal_quantile

LAGS = 14  # of the products that are kept
MOST_ORDER = 8  # of the autoregression
WHITE_FOR = 6  # lags at which what it leaves must be uncorrelated
WHITE = 2.4  # times sqrt(log10(N) / N): correlations that count as none
SETS_A_COEFFICIENT = 20
WINDOWS = ((1, 1), (2, 6))  # lags that are tested together
LEVEL = 0.005  # probability of finding memory where there is none
ENOUGH = 30  # sets, below which nothing is tested


@dataclass(frozen=True, slots=True, eq=False)
class Lagged:
    """Sums over time of products of rows: blocks join, the earlier one first.

    Attributes
    ----------
    count : int
    products : (LAGS + 1, n, n)
        Sum of a_k a_{k-j}' for each lag j.
    head, tail : (at most LAGS, n)
        The first and the last rows.
    """

    count: int
    products: Floats
    head: Floats
    tail: Floats

    @classmethod
    def of(cls, rows: Floats) -> Self:
        """Those of rows (N, n)."""
        return cls(len(rows), _lagged(rows), rows[:LAGS].copy(), rows[max(len(rows) - LAGS, 0) :].copy())

    def __add__(self, other: Self, /) -> Self:
        across = _lagged(np.concatenate([self.tail, other.head])) - _lagged(self.tail) - _lagged(other.head)
        head = np.concatenate([self.head, other.head])[:LAGS]
        tail = np.concatenate([self.tail, other.tail])[-LAGS:]
        return type(self)(self.count + other.count, self.products + other.products + across, head, tail)


def _lagged(rows: Floats) -> Floats:
    N, n = rows.shape
    products = np.zeros((LAGS + 1, n, n))
    for j in range(min(LAGS + 1, N)):
        products[j] = product(rows[j:].T, rows[: N - j])
    return products


@dataclass(frozen=True, slots=True, eq=False)
class Persistence:
    r"""Products of a set's score with those before it, for each parameter, and their squares; blocks join, the earlier one first.

    :math:`c_{wd}(k) = \sum_l s_{ld}(k) \sum_{j \in w} s_{ld}(k - j)` for windows w of lags and the D parameters, l the systems.

    Attributes
    ----------
    count : int
    totals, squares : (windows, D)
        Sums of c and of c².
    head, tail : (at most 6, L, D)
        The first and the last scores.
    """

    count: int
    totals: Floats
    squares: Floats
    head: Floats
    tail: Floats

    @classmethod
    def of(cls, scores: Floats) -> Self:
        """That of scores (N, L, D)."""
        reach = WINDOWS[-1][1]
        totals, squares = _persistence(scores, 0)
        return cls(len(scores), totals, squares, scores[:reach].copy(), scores[max(len(scores) - reach, 0) :].copy())

    def __add__(self, other: Self, /) -> Self:
        reach = WINDOWS[-1][1]
        joined = _persistence(np.concatenate([self.tail, other.head]), len(self.tail)) - _persistence(other.head, 0)
        totals, squares = np.stack([self.totals + other.totals, self.squares + other.squares]) + joined
        head = np.concatenate([self.head, other.head])[:reach]
        tail = np.concatenate([self.tail, other.tail])[-reach:]
        return type(self)(self.count + other.count, totals, squares, head, tail)

    @property
    def found(self) -> bool:
        r"""Whether there is memory: :math:`\sum c / \sqrt{\sum c^2}` beyond what chance has with probability `LEVEL` over all."""
        if self.count < ENOUGH:
            return False
        z = self.totals / np.sqrt(np.maximum(self.squares, 1e-300))
        return bool(z.max() > -normal_quantile(LEVEL / z.size))


def _persistence(scores: Floats, first: int) -> Floats:
    """(2, windows, D) sums of c and of c² over the rows from `first` on."""
    N, L, D = scores.shape
    rows, over_systems = scores.reshape(N, L * D), np.tile(np.eye(D), (L, 1))
    sums = np.zeros((2, len(WINDOWS), D))
    for w, (near, far) in enumerate(WINDOWS):
        before = np.zeros_like(rows)
        for j in range(near, min(far + 1, N)):
            before[j:] += rows[: N - j]
        c = product(rows[first:] * before[first:], over_systems)
        sums[0, w], sums[1, w] = c.sum(axis=0), np.einsum("kd,kd->d", c, c)
    return sums


class LongRun(NamedTuple):
    """The covariance (n, n) of the sum of the influences, and the order of the autoregression that it rests on."""

    cov: Floats
    order: int


def long_run(sums: Lagged, size: int) -> LongRun:
    r"""The covariance of :math:`\sum_k a_k`, by an autoregression of the influences in groups of `size` columns.

    .. math:: a_k = \sum_{i=1}^p A_i a_{k-i} + e_k, \qquad \mathrm{Cov} \sum_k a_k = C\,(\sum_k e_k e_k')\,C', \quad
        C = (I - \sum_i A_i)^{-1} .

    The influences of a system whose noise is an autoregression are one too where the inputs follow a linear recursion (constants, trends,
    seasons). The A are block diagonal, from the Yule-Walker equations; p is the least that leaves e uncorrelated with its past. For p = 1 the
    bias of A that comes from fitting the parameters is removed (Nicholls and Pope 1988).
    """
    scale = np.sqrt(np.maximum(np.diag(sums.products[0]), 1e-300))
    G = sums.products / (scale[:, None] * scale)
    N, n = sums.count, len(scale)
    limit = WHITE * np.sqrt(np.log10(N) / N)
    most = int(np.clip(N / (SETS_A_COEFFICIENT * size), 1, MOST_ORDER))
    for order in range(1, most + 1):
        A = _bounded(_autoregression(G, order, size, N), N)
        left = _left_over(G, A, WHITE_FOR)
        sizes = np.maximum(np.diag(left[0]), 1e-300)
        if order == most or np.all(abs(np.einsum("jii->ji", left[1:])) < limit * sizes):
            break
    C = np.linalg.inv(np.eye(n) - A.sum(axis=0))
    cov = C @ left[0] @ C.T * (scale[:, None] * scale)
    return LongRun(0.5 * (cov + cov.T), order)


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """What tells memory in rows (N, n), each column on its own; blocks join, the earlier one first."""

    persistence: Persistence
    lagged: Lagged

    @classmethod
    def of(cls, rows: Floats) -> Self:
        """Those of rows (N, n) of mean zero."""
        return cls(Persistence.of(rows[:, None, :]), Lagged.of(rows))

    def __add__(self, other: Self, /) -> Self:
        return type(self)(self.persistence + other.persistence, self.lagged + other.lagged)

    @property
    def growth(self) -> Floats:
        """(n,) by what memory makes the standard error of each column's sum larger; ones where none is found."""
        if not self.persistence.found:
            return np.ones(len(self.lagged.products[0]))
        plain = np.maximum(np.diag(self.lagged.products[0]), 1e-300)
        return np.sqrt(np.maximum(np.diag(long_run(self.lagged, 1).cov) / plain, 1.0))


def _at(G: Floats, j: int) -> Floats:
    """Sum of a_k a_{k-j}', for lags of either sign."""
    return np.asarray(G[j] if j >= 0 else G[-j].T)


def _autoregression(G: Floats, order: int, size: int, count: int) -> Floats:
    """(order, n, n) the A, block diagonal."""
    n = G.shape[1]
    A = np.zeros((order, n, n))
    for first in range(0, n, size):
        block = slice(first, first + size)
        part = G[:, block, block]
        T = np.block([[_at(part, j - i) for j in range(order)] for i in range(order)])
        right = np.hstack([part[j + 1] for j in range(order)])
        found = np.linalg.lstsq(T.T, right.T, rcond=1e-12)[0].T
        if order == 1:
            found = found + _shrinkage(part, found) / count
        A[:, block, block] = np.moveaxis(found.reshape(size, order, size), 1, 0)
    return A


def _shrinkage(G: Floats, A: Floats) -> Floats:
    r"""N times what A lacks on average, with :math:`\lambda` its eigenvalues and S the sum of e e',

    .. math:: S\,[(I - A')^{-1} + A'(I - A'^2)^{-1} + \sum_\lambda \lambda (I - \lambda A')^{-1}]\,\Gamma_0^{-1} .
    """
    I, T = np.eye(len(A)), A.T
    values = np.linalg.eigvals(A)
    if abs(values).max() > 0.99:
        return np.zeros_like(A)
    inner = np.linalg.inv(I - T) + T @ np.linalg.inv(I - T @ T)
    for value in values:
        inner = inner + value * np.linalg.inv(I - value * T)
    spread = G[0] - A @ G[0] @ T
    return np.real(spread @ inner @ np.linalg.pinv(G[0], rcond=1e-12, hermitian=True))


def _bounded(A: Floats, count: int) -> Floats:
    """The A (p, n, n), drawn back so that the autoregression forgets within the sets that there are."""
    order, n, _ = A.shape
    companion = np.zeros((order * n, order * n))
    companion[:n] = np.hstack(list(A))
    companion[n:, :-n] = np.eye((order - 1) * n)
    radius = float(abs(np.linalg.eigvals(companion)).max())
    limit = 1.0 - min(0.03, 10.0 / count)
    if radius <= limit:
        return A
    return np.asarray(A * ((limit / radius) ** np.arange(1, order + 1))[:, None, None])


def _left_over(G: Floats, A: Floats, lags: int) -> Floats:
    """(lags + 1, n, n) sums of e_k e_{k-j}'."""
    F = np.concatenate([np.eye(G.shape[1])[None], -A])
    orders = range(len(F))
    return np.stack(
        [sum(F[a] @ _at(G, j - a + b) @ F[b].T for a in orders for b in orders) for j in range(lags + 1)]
    )  # fmt: skip
