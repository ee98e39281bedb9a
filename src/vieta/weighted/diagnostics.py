"""What the residuals of a weighted fit say about its assumptions, each by passes whose blocks add. Numbers only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.long_run import Lagged, Persistence, long_run
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.solve import EXACT, Fit, block_scores
from vieta.weighted.sum_regression import SumRegression, as_matrices

ENOUGH = 50  # sets below which nothing is tested
BEFORE_AND_AFTER = 10  # sets on either side of a change
EXTREME = 8.0  # times its usual size: a score that large says little about a change, and is cut to this
FALSE_ALARMS = 1e-5  # changes found where there are none, in each fit
TOP = 200  # one in so many sets is among the most extreme
STEPS = 3  # of Newton, to the parameters that one coordinate of the readings alone would give


@dataclass(frozen=True, slots=True)
class Change:
    """A change point: after `after` sets, with the excess of the statistic over its threshold."""

    after: int
    excess: float


def is_exact(found: Fit) -> bool:
    """Whether the sets have no noise: what is left is rounding, and says nothing."""
    return found.misfit.median < EXACT


def outlier_share(found: Fit) -> float:
    """The part of all r'V⁻¹r that comes from the largest half per cent of the sets."""
    return found.misfit.largest_share(TOP)


def dependence(passes: Passes, found: Fit) -> float:
    r"""z-value for noise that is correlated across systems.

    If the noise of every two systems has covariance g, the mean of :math:`\prod_j (y_j - x)` gains
    :math:`g \sum_{a<b} \prod_{j \ne a,b} (m_j - x)`. This is the score test of g = 0, with the parameters estimated and
    the variance taken from the scores themselves. Inputs of one size only cannot tell: then the value is zero.
    """
    if found.n_sets < ENOUGH or len(found.theta) < 2:
        return 0.0
    theta = np.repeat(found.theta[None], len(found.noise), axis=0)  # one for each coordinate of the readings
    for _ in range(STEPS):
        sums = _joint_sums(passes, theta, np.diag(found.noise))
        theta = theta + np.array([_newton(*pair) for pair in zip(sums.score, sums.information, strict=True)]).reshape(
            theta.shape
        )
    values = map(_dependence_z, sums.score, sums.outer, sums.information)
    return max(values, key=abs)


@dataclass(frozen=True, slots=True, eq=False)
class _JointSums(Sums):
    """Sums of the scores about the parameters and, last, g: (p, n + 1); of outer products and information (p, n + 1, n + 1)."""

    score: Floats
    outer: Floats
    information: Floats


def _joint_sums(passes: Passes, theta: Floats, variances: Floats) -> _JointSums:
    from vieta.weighted.dependence_kernel import dependence_sums

    def work(block: Data, _: int) -> _JointSums:
        psi = as_matrices(block)
        parts = [
            dependence_sums(plain(block.sets[:, :, q]), plain(psi[:, q]), plain(theta[q]), float(variance))
            for q, variance in enumerate(variances)
        ]
        score, outer, information = (np.stack(one) for one in zip(*parts, strict=True))
        return _JointSums(score, outer, information)

    return passes.total(work)


def _newton(score: Floats, information: Floats) -> Floats:
    """The step that the scores of the parameters ask for; none where they are not identified."""
    H = information[:-1, :-1]
    return np.asarray(np.linalg.solve(H, score[:-1])) if _is_regular(H) else np.zeros(len(H))


def _dependence_z(score: Floats, outer: Floats, information: Floats) -> float:
    """The score of g, freed of what the parameters explain, over the root of the sum of its squares."""
    H, cross, own = information[:-1, :-1], information[:-1, -1], information[-1, -1]
    if not _is_regular(H):
        return 0.0
    projection = np.linalg.solve(H, cross)
    if not own - cross @ projection > 1e-3 * own:  # g cannot be told from the parameters
        return 0.0
    effective = np.append(-projection, 1.0)
    return float(effective @ score / np.sqrt(effective @ outer @ effective))


def _is_regular(H: Floats) -> bool:
    return bool(np.linalg.cond(H) <= 1e12)


def input_dependence(passes: Passes, regression: SumRegression) -> float:
    """z-value for noise whose mean or variance depends on the size of the input, from the residuals of the sum.

    The regression of squared residuals, and of residuals, on the rank of the input's size, with variances that trust no noise law.
    Ranks are those among evenly spaced sets, interpolated, so that no single input decides and any number of sets has bounded cost.
    Inputs of one size only cannot tell: then the value is zero.
    """
    sizes = regression.sizes
    if regression.n_sets < ENOUGH or sizes.std() < 1e-6 * max(sizes.mean(), 1e-300):
        return 0.0
    known, counts = np.unique(sizes, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * (counts + 1)) / len(sizes) - 0.5

    def work(block: Data, _: int) -> Floats:
        x = np.interp((as_matrices(block) ** 2).sum(axis=(1, 2)), known, ranks)
        residuals = regression.residuals(block) / regression.scale
        return np.stack([_products(x, y) for y in ((residuals**2).sum(axis=1), *residuals.T)])

    return max(map(_slope, passes.total(work)), key=abs)


def _products(x: Floats, y: Floats) -> Floats:
    """(5, 5) sums of the products of y, x y, 1, x and x²: all that a slope and its robust variance need."""
    terms = np.stack([y, x * y, np.ones_like(x), x, x * x])
    return np.asarray(terms @ terms.T)


def _slope(products: Floats) -> float:
    r"""z-value of the slope of a regression of y on x, with a heteroscedasticity-robust variance, from `_products`.

    :math:`z = \sum (x - \bar x) y \,/ \sqrt{\sum (x - \bar x)^2 (y - a - b x)^2}`.
    """
    n, y, x, xy, xx = products[2, 2], products[0, 2], products[2, 3], products[1, 2], products[3, 3]
    mean, covariance = x / n, xy - x * y / n
    b = covariance / (xx - x * x / n)
    a = (y - b * x) / n
    terms = np.array([-mean, 1.0, a * mean, b * mean - a, -b])  # of (x - mean) (y - a - b x)
    spread = max(terms @ products @ terms, 1e-14 * products[1, 1])
    return float(covariance / np.sqrt(spread + 1e-300))


def change_point(passes: Passes, found: Fit) -> Change | None:
    """Where the scores, added up in time, leave the range of a Brownian bridge; None if they do not.

    Scores are bounded, so that a few wild sets make no change, and some sets must lie on either side of it.
    """
    N = found.n_sets
    if N < ENOUGH:
        return None
    values, vectors = np.linalg.eigh(found.outer)
    usable = values > 1e-10 * values[-1]
    whiten = vectors[:, usable] / np.sqrt(values[usable])
    longest = EXTREME * np.sqrt(usable.sum() / N)

    threshold = np.sqrt(0.5 * np.log(2.0 * usable.sum() / FALSE_ALARMS))  # P(sup > x) = 2 exp(-2 x²) for each

    def steps(block: Data) -> Floats:
        return _cut(block_scores(block, found) @ whiten, longest)

    first = passes.total(lambda block, before: _Steps.of(steps(block), before, N))
    mean = first.total / N
    unit = np.maximum(np.sqrt(np.maximum(first.squares - N * mean**2, 0.0)), 1e-300)
    if np.all(first.walk.farthest + abs(first.total) < threshold * unit):  # no bridge can reach it
        return None
    walk = passes.total(lambda block, before: Walk.of((steps(block) - mean) / unit, before, N))
    top = walk.top
    if found.basis.has_memory and top.max() > threshold:
        top = top / np.tile(_growth(passes, steps, int(walk.after[top.argmax()]), N), 2)
    at = int(top.argmax())
    excess = float(top[at] - threshold)
    return Change(int(walk.after[at]), excess) if excess > 0.0 else None


def _growth(passes: Passes, steps: Callable[[Data], Floats], after: int, n_sets: int) -> Floats:
    """(m,) by what memory makes the walks of steps (n, m) longer, where a change after so many sets is not what makes them alike."""

    def sides(block: Data, before: int) -> Floats:
        rows, cut = steps(block), max(after - before, 0)
        return np.stack([rows[:cut].sum(axis=0), rows[cut:].sum(axis=0)])

    means = passes.total(sides) / np.array([[after], [n_sets - after]])

    def remainder(block: Data, before: int) -> _Remainder:
        late = (np.arange(before, before + len(block)) >= after).astype(np.int64)
        rows = steps(block) - means[late]
        return _Remainder(Persistence.of(rows[:, None, :]), Lagged.of(rows))

    left = passes.total(remainder)
    if not left.persistence.found:
        return np.ones(means.shape[1])
    ratio = np.diag(long_run(left.lagged, 1).cov) / np.maximum(np.diag(left.lagged.products[0]), 1e-300)
    return np.sqrt(np.maximum(ratio, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Remainder(Sums):
    """What tells memory in steps from which a change has been taken away."""

    persistence: Persistence
    lagged: Lagged


def _cut(steps: Floats, longest: float) -> Floats:
    """Steps (n, m), none longer than `longest`."""
    length = np.linalg.norm(steps, axis=1)
    return np.asarray(steps * np.minimum(1.0, longest / np.maximum(length, 1e-300))[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Steps added up in time, and how far from zero they get on either side; two walks join, the earlier one first.

    Attributes
    ----------
    end : (2 m,)
        Where the sums of m columns, and those with the other sign, end.
    top : (2 m,)
        Their largest values.
    after : (2 m,)
        After how many sets they have them.
    """

    end: Floats
    top: Floats
    after: Integers

    @classmethod
    def of(cls, steps: Floats, before: int, n_sets: int) -> Self:
        """Steps (n, m) of a block that `before` of the `n_sets` sets precede; what lies near the ends does not count."""
        path = np.cumsum(steps, axis=0)
        both = np.concatenate([path, -path], axis=1)
        first = max(0, BEFORE_AND_AFTER - before - 1)
        counted = both[first : max(0, n_sets - BEFORE_AND_AFTER - before)]
        if not len(counted):
            nothing = both.shape[1]
            return cls(both[-1], np.full(nothing, -np.inf), np.zeros(nothing, dtype=np.int64))
        return cls(both[-1], counted.max(axis=0), before + first + 1 + counted.argmax(axis=0))

    @property
    def farthest(self) -> Floats:
        """(m,) the largest distance of each column from zero."""
        return np.maximum(*np.split(self.top, 2))

    def __add__(self, other: Self, /) -> Self:
        reached = self.end + other.top
        later = reached > self.top
        return type(self)(
            self.end + other.end, np.where(later, reached, self.top), np.where(later, other.after, self.after)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Steps(Sums):
    """Of steps (n, m): their sums and those of their squares (m,), and the walk they make."""

    total: Floats
    squares: Floats
    walk: Walk

    @classmethod
    def of(cls, steps: Floats, before: int, n_sets: int) -> Self:
        return cls(steps.sum(axis=0), (steps**2).sum(axis=0), Walk.of(steps, before, n_sets))
