r"""Whether the readings' sum depends on the inputs as the model says: its residuals and their squares against functions of the inputs.

The residuals e of the sums' regression (`sum_regression`) have mean zero and one variance at every input, if the model holds. A wrong number
of systems, members that are lost, a curve taken for a line and noise that grows with an input break it. With f (q,) the functions
:math:`u_d`, :math:`u_d^2` and :math:`u_d u_e` of the ranks u of the inputs' coordinates, each freed of what the regression explains,
:math:`\tilde f = f - B\psi` for the residuals and :math:`f - \bar f` for their squares,

.. math:: T = U' W^{-1} U, \qquad U = \sum_k \tilde f_k w_k, \qquad w = e \ \text{ or }\ e^2 - \overline{e^2} ,

is chi-square with q degrees of freedom for every law of the noise. For the residuals :math:`W = \sum_k \tilde f_k \tilde f_k' e_k^2`: their
variance may depend on the inputs (White 1980). For their squares :math:`W = \overline{w^2} \sum_k \tilde f_k \tilde f_k'`, as it is if they do
not depend on them (Koenker 1981). Ranks are those in a sample, interpolated, so that no single
input decides.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, product
from vieta.long_run import Remembered
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.sum_regression import SumRegression, as_matrices

ENOUGH = 50  # sets below which nothing is tested
SAMPLE = 2000  # sets among which ranks are taken
MOST = 4  # coordinates of which products of two are looked at
SETS_A_FUNCTION = 20
SUSPECT = 0.01  # probability below which memory is looked for
WITH_MEMORY = 0.05  # by which less is asked of it, where memory must be estimated
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
        places = zip(self.columns, self.known, self.ranks, strict=True)
        u = [np.interp(rows[:, d], known, ranks) for d, known, ranks in places]
        both = [a * b for a, b in combinations(u, 2)] if len(u) <= MOST else []
        return np.stack([*u, *(one**2 for one in u), *both], axis=1) if u else np.empty((len(rows), 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Sums(Sums):
    """Of x = [1, ψ, f]: sums of x x', of x e and x x' e², of x w and w², with w = e² less its mean."""

    outer: Floats
    mean: Floats
    mean_outer: Floats
    variance: Floats
    spread: float


def specification(passes: Passes, regression: SumRegression) -> Specification | None:
    """Both tests, for readings that are numbers; None where nothing can be told."""
    N, D = regression.n_sets, passes.like.dim
    if passes.like.reading_dim > 1 or N < ENOUGH:
        return None
    ranks = Ranks.among(as_matrices(passes.spread(SAMPLE, N))[:, 0])
    q = ranks.functions(np.zeros((1, D))).shape[1]
    if q == 0 or SETS_A_FUNCTION * q > N:
        return None
    look = _Look(regression, ranks)
    sums = passes.total(lambda block, _: look.sums(block))
    mean = _freed(sums.outer, list(range(1, D + 1)), D + 1), sums.mean, sums.mean_outer
    variance = _freed(sums.outer, [0], D + 1), sums.variance, sums.outer * (sums.spread / N)
    return Specification(_judged(passes, look, "mean", *mean), _judged(passes, look, "variance", *variance))


def _judged(passes: Passes, look: "_Look", name: str, kept: Floats, score: Floats, outer: Floats) -> float:
    """The probability of T. Memory makes chance larger: where it matters only, it is looked for, and less is believed."""
    plain = _tail(kept, score, outer)
    if plain > SUSPECT:
        return plain
    growth = passes.total(lambda block, _: look.remembered(block, kept, name)).growth
    if np.all(growth == 1.0):
        return plain
    return min(_tail(kept, score, outer, growth) / WITH_MEMORY, 1.0)


class _Look(NamedTuple):
    """What is looked at of a block."""

    regression: SumRegression
    ranks: Ranks

    def columns(self, block: Data) -> Floats:
        """(n, 1 + D + q) of x."""
        rows = as_matrices(block)[:, 0]
        return np.column_stack([np.ones(len(rows)), rows, self.ranks.functions(rows)])

    def weights(self, block: Data) -> dict[str, Floats]:
        """(n,) e, and e² less its mean."""
        e = self.regression.residuals(block)[:, 0] / self.regression.scale
        return {"mean": e, "variance": e**2 - self.regression.powers[0]}

    def sums(self, block: Data) -> _Sums:
        """Those of a block."""
        x, w = self.columns(block), self.weights(block)
        terms, square = x * w["mean"][:, None], w["variance"]
        outer, mean_outer, variance = product(x.T, x), product(terms.T, terms), product(square, x)
        return _Sums(outer, terms.sum(axis=0), mean_outer, variance, float(np.dot(square, square)))

    def remembered(self, block: Data, kept: Floats, name: str) -> Remembered:
        """What tells memory in the numbers of which U is the sum."""
        return Remembered.of(self.columns(block) * self.weights(block)[name][:, None] @ kept.T)


def _freed(outer: Floats, explained: list[int], first: int) -> Floats:
    """(r, n) what makes of x the functions from `first` on, freed of the columns that are explained; without those that others are alike."""
    q = len(outer) - first
    free = np.zeros((q, len(outer)))
    free[:, first:] = np.eye(q)
    free[:, explained] = -outer[first:, explained] @ scaled_inverse(outer[np.ix_(explained, explained)], rcond=1e-12)
    size = np.sqrt(np.maximum(np.diag(outer)[first:], 1e-300))
    shares, directions = np.linalg.eigh(free @ outer @ free.T / np.outer(size, size))
    return np.asarray((directions[:, shares > ALIKE].T / size) @ free)


def _tail(kept: Floats, score: Floats, outer: Floats, growth: Floats | float = 1.0) -> float:
    """The probability of T; memory makes errors larger by `growth` (r,)."""
    if not len(kept):
        return 1.0
    U, W = kept @ score / growth, kept @ outer @ kept.T
    return chi_square_tail(len(kept), float(U @ scaled_inverse(W, rcond=1e-9) @ U))
