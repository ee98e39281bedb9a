"""What the residuals of a weighted fit say about its assumptions. Numbers only; `vieta.estimators.fit_findings` has the words."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.weighted import solve

ENOUGH = 50  # sets below which nothing is tested
BEFORE_AND_AFTER = 10  # sets on either side of a change
EXTREME = 8.0  # times its usual size: a score that large says little about a change, and is cut to this


@dataclass(frozen=True, slots=True)
class Change:
    """A change point: after `after` sets, with the excess of the statistic over its threshold."""

    after: int
    excess: float


def is_exact(found: solve.Fit) -> bool:
    """Whether the sets have no noise: what is left is rounding, and says nothing."""
    return bool(np.median(found.squares) < 1e-6)


def dependence(data: Data, found: solve.Fit) -> float:
    r"""z-value for noise that is correlated across systems.

    If the noise of every two systems has covariance g, the mean of :math:`\prod_j (y_j - x)` gains
    :math:`g \sum_{a<b} \prod_{j \ne a,b} (m_j - x)`. This is the score test of g = 0, with the parameters estimated and
    the variance taken from the scores themselves. Inputs of one size only cannot tell: then the value is zero.
    """
    if len(data.sets) < ENOUGH or data.n_systems < 2:
        return 0.0
    psi = solve.as_matrices(data)
    worst = 0.0
    for w in np.eye(data.reading_dim):
        z = _dependence_along(data.sets @ w, np.einsum("npd,p->nd", psi, w), found.theta, float(w @ found.noise @ w))
        worst = z if abs(z) > abs(worst) else worst
    return worst


def _dependence_along(sets: Floats, rows: Floats, theta: Floats, variance: float) -> float:
    from vieta.weighted.equations import dependence_scores

    for _ in range(3):  # the parameters that these numbers alone would give
        extra, scores, cross, own, H = dependence_scores(sets, rows, theta, variance)
        if np.linalg.cond(H) > 1e12:
            return 0.0
        theta = theta + np.linalg.solve(H, scores.sum(axis=0)).reshape(theta.shape)
    projection = np.linalg.solve(H, cross)
    left = own - cross @ projection
    if not left > 1e-3 * own:  # not to be told from the parameters
        return 0.0
    effective = extra - scores @ projection
    return float(effective.sum() / np.sqrt((effective**2).sum()))


def input_dependence(data: Data) -> float:
    """z-value for noise whose mean or variance depends on the size of the input, from the residuals of the sum.

    The regression of squared residuals, and of residuals, on the squared size of the input, with variances that trust
    no noise law. Inputs of one size only cannot tell: then the value is zero.
    """
    psi = solve.as_matrices(data)
    size = (psi**2).sum(axis=(1, 2))
    if len(data.sets) < ENOUGH or size.std() < 1e-6 * max(size.mean(), 1e-300):
        return 0.0
    sums = data.sets.sum(axis=1)
    residuals = sums - psi @ np.linalg.lstsq(psi.reshape(-1, data.dim), sums.reshape(-1))[0]
    squares = (residuals**2).sum(axis=1)
    ranks = np.argsort(np.argsort(size)) / len(size) - 0.5  # bounded, so that no single input decides
    values = [_slope(squares / squares.mean(), ranks)]
    values += [_slope(column, ranks) for column in residuals.T]
    return max(values, key=abs)


def _slope(response: Floats, regressor: Floats) -> float:
    """z-value of the slope of a regression, with a heteroscedasticity-robust variance."""
    x = regressor - regressor.mean()
    y = response - response.mean()
    residual = y - x * (x @ y) / (x @ x)
    return float((x @ y) / np.sqrt(((x * residual) ** 2).sum() + 1e-300))


def change_point(data: Data, found: solve.Fit) -> Change | None:
    """Where the scores, added up in time, leave the range of a Brownian bridge; None if they do not.

    Scores are bounded, so that a few wild sets make no change, and some sets must lie on either side of it.
    """
    if len(data.sets) < ENOUGH:
        return None
    from vieta.weighted.equations import each_score

    precision = np.asarray(np.linalg.inv(found.noise), dtype=np.float64)
    scores = each_score(data.sets, solve.as_matrices(data), found.theta, found.noise, precision, np.inf)
    values, vectors = np.linalg.eigh(found.meat)
    usable = values > 1e-10 * values[-1]
    steps = _bounded(scores @ (vectors[:, usable] / np.sqrt(values[usable])))
    bridge = abs(np.cumsum(steps, axis=0))[BEFORE_AND_AFTER - 1 : -BEFORE_AND_AFTER]
    threshold = float(np.sqrt(0.5 * np.log(2.0 * usable.sum() / 1e-5)))  # P(sup > x) = 2 exp(-2 x²) for each
    k, _ = np.unravel_index(int(bridge.argmax()), bridge.shape)
    excess = float(bridge.max()) - threshold
    return Change(int(k) + BEFORE_AND_AFTER, excess) if excess > 0.0 else None


def _bounded(steps: Floats) -> Floats:
    """Steps (N, n), none longer than so many times the usual length; in each column they add up to zero, and squares to one."""
    length = np.linalg.norm(steps, axis=1)
    longest = EXTREME * np.sqrt(steps.shape[1] / len(steps))
    cut = steps * np.minimum(1.0, longest / np.maximum(length, 1e-300))[:, None]
    centred = cut - cut.mean(axis=0)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=0), 1e-300))


def outlier_share(found: solve.Fit) -> float:
    """The part of all r'V⁻¹r that comes from the largest half per cent of the sets."""
    top = max(1, len(found.squares) // 200)
    ordered = np.sort(found.squares)
    return float(ordered[-top:].sum() / max(ordered.sum(), 1e-300))
