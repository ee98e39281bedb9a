r"""Whether the readings' sum depends on the inputs as the model says: its residuals and their squares against functions of the inputs.

The residuals e of the sums' regression (`sum_regression`) have mean zero and one variance at every input, if the model holds. A wrong number
of systems, members that are lost, a curve taken for a line and noise that grows with an input break it. With f (q,) the functions
:math:`u_d`, :math:`u_d^2` and :math:`u_d u_e` of the ranks u of the inputs' coordinates, each freed of what the regression explains,
:math:`\tilde f = f - B\psi` for the residuals and :math:`f - \bar f` for their squares,

.. math:: T = U' \Bigl(\sum_k \tilde f_k \tilde f_k' w_k^2\Bigr)^{-1} U, \qquad U = \sum_k \tilde f_k w_k, \qquad
    w = e \ \text{ or }\ e^2 - \overline{e^2} ,

is chi-square with q degrees of freedom for every law of the noise (White 1980). Ranks are those in a sample, interpolated, so that no single
input decides.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.sum_regression import SumRegression, as_matrices

ENOUGH = 50  # sets below which nothing is tested
SAMPLE = 2000  # sets among which ranks are taken
MOST = 4  # coordinates of which products of two are looked at
SETS_A_FUNCTION = 20
ALIKE = 1e-6  # share of a function that the others must leave


class Specification(NamedTuple):
    """Probabilities, under the model, of a dependence as strong of the residuals and of their squares."""

    mean: float
    variance: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Ranks between -1/2 and 1/2 of the values of each coordinate that is not constant, from a sample.

    Attributes
    ----------
    columns : tuple of int
        These coordinates.
    known, ranks : tuples of (n,)
        For each of them, values in ascending order and their ranks; equal values share one.
    """

    columns: tuple[int, ...]
    known: tuple[Floats, ...]
    ranks: tuple[Floats, ...]

    @classmethod
    def among(cls, rows: Floats) -> "Ranks":
        """Those of rows (n, D)."""
        spans = np.ptp(rows, axis=0) > 1e-9 * np.maximum(abs(rows).max(axis=0), 1e-300)
        columns = tuple(int(d) for d in np.flatnonzero(spans))
        pairs = [np.unique(rows[:, d], return_counts=True) for d in columns]
        ranks = tuple((np.cumsum(counts) - 0.5 * counts) / len(rows) - 0.5 for _, counts in pairs)
        return cls(columns, tuple(values for values, _ in pairs), ranks)

    def functions(self, rows: Floats) -> Floats:
        """(n, q) the functions f of rows (n, D)."""
        u = [np.interp(rows[:, d], *pair) for d, *pair in zip(self.columns, self.known, self.ranks, strict=True)]
        both = [a * b for a, b in combinations(u, 2)] if len(u) <= MOST else []
        return np.stack([*u, *(one**2 for one in u), *both], axis=1) if u else np.empty((len(rows), 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Sums(Sums):
    """Of x = [1, ψ, f]: sums of x x', of x e and x x' e², of x w and x x' w², with w = e² less its mean."""

    outer: Floats
    mean: Floats
    mean_outer: Floats
    variance: Floats
    variance_outer: Floats


def specification(passes: Passes, regression: SumRegression, factor: float = 1.0) -> Specification:
    """Both tests, for readings that are numbers; ones where nothing can be told. Memory makes errors larger by a `factor`."""
    N = regression.n_sets
    if passes.like.reading_dim > 1 or N < ENOUGH:
        return Specification(1.0, 1.0)
    ranks = Ranks.among(as_matrices(passes.spread(SAMPLE, N))[:, 0])
    q = ranks.functions(np.zeros((1, passes.like.dim))).shape[1]
    if q == 0 or SETS_A_FUNCTION * q > N:
        return Specification(1.0, 1.0)
    sums = passes.total(lambda block, _: _sums(block, regression, ranks))
    D = passes.like.dim
    explained = list(range(1, D + 1))
    mean = _tail(sums.outer, sums.mean, sums.mean_outer * factor**2, explained, D + 1)
    return Specification(mean, _tail(sums.outer, sums.variance, sums.variance_outer * factor**2, [0], D + 1))


def _sums(block: Data, regression: SumRegression, ranks: Ranks) -> _Sums:
    rows = as_matrices(block)[:, 0]
    x = np.column_stack([np.ones(len(rows)), rows, ranks.functions(rows)])
    e = regression.residuals(block)[:, 0] / regression.scale
    w = e**2 - regression.powers[0]
    by_mean, by_variance = x * e[:, None], x * w[:, None]
    return _Sums(
        x.T @ x, by_mean.sum(axis=0), by_mean.T @ by_mean, by_variance.sum(axis=0), by_variance.T @ by_variance
    )


def _tail(outer: Floats, score: Floats, spread: Floats, explained: list[int], first: int) -> float:
    """The probability of T for the functions from `first` on, freed of the columns that are explained."""
    q = len(outer) - first
    free = np.zeros((q, len(outer)))
    free[:, first:] = np.eye(q)
    among = np.ix_(explained, explained)
    free[:, explained] = -outer[first:, explained] @ scaled_inverse(outer[among], rcond=1e-12)
    left = free @ outer @ free.T
    size = np.sqrt(np.maximum(np.diag(outer)[first:], 1e-300))
    shares, directions = np.linalg.eigh(left / np.outer(size, size))
    kept = directions[:, shares > ALIKE].T / size
    if not len(kept):
        return 1.0
    U, W = kept @ free @ score, kept @ free @ spread @ free.T @ kept.T
    return chi_square_tail(len(kept), float(U @ scaled_inverse(W, rcond=1e-9) @ U))
