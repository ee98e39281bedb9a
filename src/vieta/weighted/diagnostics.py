"""What the residuals of a weighted fit say about its assumptions, each by passes whose blocks add. Numbers only."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.solve import EXACT, Fit
from vieta.weighted.sum_regression import SumRegression, as_matrices

ENOUGH = 50  # sets below which nothing is tested
TOP = 200  # one in so many sets is among the most extreme
STEPS = 3  # of Newton, to the parameters that one coordinate of the readings alone would give


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
