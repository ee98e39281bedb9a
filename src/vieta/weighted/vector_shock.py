r"""The estimate from vectors where the systems share a shock, and the test for one: what is known for numbers, along directions.

Along a direction u the sets are sets of numbers (`projection`), with a shock of variance :math:`u'Gu` beside own noises of variance
:math:`u'\Sigma u`. So the test of independence is that for numbers, along several directions; and the fit for numbers (`shock_fit`) gives
:math:`u'\Sigma u` for any noise law, from which :math:`\Sigma` follows by weighted least squares. With it the sets are decorrelated
(`vector_decorrelation`), and the estimate is that of sets with independent noises. It has the influences

.. math:: i_k = H^{-1} s_k + \frac{d\theta}{d\bar\theta}\,\bar\imath_k + \frac{d\theta}{d\Sigma}\,\imath^\Sigma_k
    + \frac{d\theta}{dR}\,\imath^R_k ,

the first from the equations of the decorrelated sets, the others from the mean parameter and the covariances by which they were decorrelated,
with :math:`d\theta/d\tau = H^{-1} \sum_k ds_k/d\tau` by differences. The covariance is the sum of the influences' outer products.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, in_memory
from vieta.tails import chi_square_tail, normal_quantile
from vieta.weighted import solve
from vieta.weighted.projection import View, many_directions, squares, view
from vieta.weighted.refinement import refine
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.score_errors import freeing, leverages
from vieta.weighted.shock_fit import SharedFit, fit_shared, rank_shape
from vieta.weighted.shock_test import NOTHING, POWER, SURE, Dependence, dependence_test
from vieta.weighted.sum_regression import SumRegression, as_matrices
from vieta.weighted.system_noise import directions, noise_sd
from vieta.weighted.vector_decorrelation import decorrelate_vectors, decorrelated_vectors, removed
from vieta.weighted.vector_refinement import symmetric

STEP = 1e-4  # of a standard deviation, and of a covariance, by which differences are taken
SAMPLE = 5000  # sets that are tested in any case
SUSPECTED = 2.0  # z-value of some sets from which on all are looked at
HARMLESS = 2.0  # standard errors by which a shock may move the estimate and not be looked for in all sets
LEAST = 1e-3  # of the sums' noise, that the own noise has in every direction


def vector_dependence(passes: Passes, found: solve.Fit, theta: Floats) -> Dependence:
    """The test of independence along several directions: the one with the largest z-value, lowered by what looking often costs.

    Some of the sets are looked at first. All are, along a direction, where some raise a suspicion, or where a shock that they do not see
    could move the estimate from all by more than `HARMLESS` standard errors.
    """
    N, looks = found.n_sets, directions(len(found.noise))
    some = passes if N <= SAMPLE else in_memory(passes.spread(SAMPLE, N))
    every = []
    for u in looks:
        test = _along(view(some, u), theta)
        unseen = (SURE + POWER) * test.stderr * test.harm * np.sqrt(N / SAMPLE)
        if N > SAMPLE and np.isfinite(test.stderr) and not (abs(test.z) < SUSPECTED and unseen < HARMLESS):
            test = _along(view(passes, u), theta)
        every.append(test)
    best = max(every, key=lambda one: abs(one.z))
    settled = any(one.settled for one in every)  # systems that meet along a direction do not settle there
    return best._replace(z=np.sign(best.z) * max(abs(best.z) - look_elsewhere(len(looks)), 0.0), settled=settled)


def look_elsewhere(looks: int) -> float:
    """By how much the largest of several z-values must be larger than `SURE`, to be found by chance as rarely as one beyond it.

    >>> round(look_elsewhere(4), 2)
    0.35
    """
    return -normal_quantile(0.5 * chi_square_tail(1, SURE**2) / looks) - SURE


def _along(seen: View, theta: Floats) -> Dependence:
    own = float(seen.regression.noise[0, 0])
    if not own > 0.0:
        return NOTHING
    start = seen.parameters(theta)
    shape = rank_shape(seen.passes, seen.regression, start, own)
    return dependence_test(seen.passes, seen.regression.n_sets, start, np.full(len(theta), own), shape)


@dataclass(frozen=True, slots=True, eq=False)
class OwnNoise:
    """The covariance (p, p) of the systems' own noises, and what each set of a block adds to its upper triangle (n, p (p + 1) / 2)."""

    covariance: Floats
    influences: Callable[[Data], Floats]

    @classmethod
    def unknown(cls, covariance: Floats) -> "OwnNoise":
        """A covariance of which no one knows how good it is."""
        p = len(covariance)
        return cls(covariance, lambda block: np.full((len(block), p * (p + 1) // 2), np.nan))


def own_noise(passes: Passes, theta: Floats, covariance: Floats) -> OwnNoise | None:
    """The covariance of the own noises from fits along directions, that begin at parameters (L, D) and a covariance nearby."""
    p = len(covariance)
    fits: list[tuple[View, SharedFit]] = []
    for u in many_directions(p):
        seen = view(passes, u)
        one = fit_shared(seen.passes, seen.regression, seen.parameters(theta), float(u @ covariance @ u))
        if one.converged:
            fits.append((seen, one))
    if not fits:
        return None
    errors = np.array([_error(seen, one) for seen, one in fits])
    design = squares(np.array([seen.direction for seen, _ in fits]))
    weight = np.where(np.isfinite(errors) & (errors > 0.0), 1.0 / np.maximum(errors, 1e-300), 0.0)
    if np.linalg.matrix_rank(design * weight[:, None]) < design.shape[1]:
        return None
    combine = np.linalg.pinv(design * weight[:, None]) * weight
    sizes = np.array([one.own_level for _, one in fits])

    def influences(block: Data) -> Floats:
        each = np.column_stack([one.level_influences(seen.block(block)) for seen, one in fits])
        return np.asarray(each @ combine.T)

    return OwnNoise(symmetric((combine @ sizes)[None], p)[0], influences)


def _error(seen: View, one: SharedFit) -> float:
    """The standard error of the variance of the own noises along a direction."""
    return float(np.sqrt(seen.passes.total(lambda block, _: float((one.level_influences(block) ** 2).sum()))))


@dataclass(frozen=True, slots=True, eq=False)
class VectorFit:
    """An estimate from vectors with a shock.

    Attributes
    ----------
    theta : (L, D)
    cov : (L D, L D)
    variances : (L,)
        Of the systems' own noises, averaged over coordinates.
    noise, shock : (p, p)
        Covariances of the own noises and of the shock.
    z : float
        The largest size of the shock along a direction, over its standard error.
    converged : bool
    """

    theta: Floats
    cov: Floats
    variances: Floats
    noise: Floats
    shock: Floats
    z: float
    converged: bool
    influences: Callable[[Data], Floats]

    @property
    def noise_variance(self) -> float:
        """The mean variance of the systems' own noises."""
        return float(np.trace(self.noise)) / len(self.noise)

    @property
    def shock_variance(self) -> float:
        """The mean variance of the shock over coordinates."""
        return float(np.trace(self.shock)) / len(self.shock)

    @property
    def correlation(self) -> float:
        """Of the noises of two systems, averaged over coordinates."""
        return self.shock_variance / (self.shock_variance + self.noise_variance)


def held_positive(covariance: Floats, regression: SumRegression) -> Floats:
    """The covariance, or the nearest one that has a share of the sums' noise in every direction."""
    root = np.linalg.cholesky(regression.noise)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ covariance @ inverse.T)
    half = root @ vectors * np.sqrt(np.maximum(values, LEAST))
    return np.asarray(half @ half.T)


def fit_decorrelated(passes: Passes, regression: SumRegression, own: OwnNoise) -> tuple[Passes, solve.Fit, VectorFit]:
    """The decorrelated sets, the fit of their values, and the estimate with the errors that decorrelation makes."""
    covariance = held_positive(own.covariance, regression)
    inner = decorrelated_vectors(passes, regression.solution, removed(covariance, regression.noise))
    found = solve.fit(inner)
    best = refine(inner, found)
    each = best.influences or partial(_value_influences, found)
    slopes = _slopes(passes, regression, covariance, each)
    influences = partial(_influences, regression, covariance, own, each, slopes)
    cov = passes.total(lambda block, _: _outer(influences(block)))
    variances = best.variances
    if variances is None:
        variances = noise_sd(inner, best.theta, found.regression) ** 2
    shock = regression.noise / regression.n_systems - covariance / regression.n_systems
    z = _size(passes, regression, own, shock)
    converged = found.converged and bool(np.isfinite(cov).all())
    fit = VectorFit(best.theta, cov, variances, covariance, shock, z, converged, influences)
    return inner, found, fit


def _value_influences(found: solve.Fit, block: Data) -> Floats:
    """(n, L D) what each decorrelated set adds to the estimate of the values."""
    free = freeing(leverages(block, found.regression))
    return np.asarray(solve.block_scores(block, found) * free[:, None] @ scaled_inverse(found.information))


class Slopes(NamedTuple):
    """Derivatives of the estimate by the mean parameter (L D, D), and by the covariances of the own noise and of L R (L D, p (p + 1) / 2)."""

    mean: Floats
    own: Floats
    total: Floats


def _slopes(passes: Passes, regression: SumRegression, own: Floats, each: Callable[[Data], Floats]) -> Slopes:
    L, D, p, noise = regression.n_systems, len(regression.solution), len(own), regression.noise
    units = symmetric(np.eye(p * (p + 1) // 2), p)

    def moved(solution: Floats, own: Floats, total: Floats) -> Floats:
        share = removed(own, total)
        return passes.total(lambda block, _: each(decorrelate_vectors(block, solution, share)).sum(axis=0))

    def slope(solution: Floats, inner: Floats, total: Floats, h: float) -> Floats:
        """The derivative along a direction of the mean parameter's sum and of both covariances, by a step h."""
        up = moved(regression.solution + h * solution, own + h * inner, noise + h * total)
        return (up - moved(regression.solution - h * solution, own - h * inner, noise - h * total)) / (2.0 * h)

    none, still = np.zeros(D), np.zeros((p, p))
    sizes = STEP * L * np.sqrt(np.trace(own) / p * regression.n_sets) * np.linalg.norm(regression.root, axis=1)
    mean = [slope(e, still, still, float(h)) for e, h in zip(np.eye(D), sizes, strict=True)]
    by_own = [slope(none, E, still, STEP * float(np.linalg.eigvalsh(own)[0])) for E in units]
    by_total = [slope(none, still, E, STEP * float(np.linalg.eigvalsh(noise)[0])) for E in units]
    return Slopes(L * np.stack(mean, axis=1), np.stack(by_own, axis=1), np.stack(by_total, axis=1))


def _influences(
    regression: SumRegression,
    covariance: Floats,
    own: OwnNoise,
    each: Callable[[Data], Floats],
    slopes: Slopes,
    block: Data,
) -> Floats:
    """(n, L D) each set's influence on the estimate."""
    L, p = regression.n_systems, len(covariance)
    decorrelated = decorrelate_vectors(block, regression.solution, removed(covariance, regression.noise))
    residuals = regression.residuals(block) / L
    mean = np.einsum("npd,np->nd", as_matrices(block), residuals) @ (regression.root @ regression.root.T)
    row, column = np.triu_indices(p)
    total = (L * residuals[:, row] * residuals[:, column] - regression.noise[row, column]) / regression.n_sets
    noise = own.influences(block) @ slopes.own.T + total @ slopes.total.T
    return np.asarray(each(decorrelated) + mean @ slopes.mean.T + noise)


def _size(passes: Passes, regression: SumRegression, own: OwnNoise, shock: Floats) -> float:
    """The shock's variance over its standard error, along the coordinate where that is largest."""
    L, p, N = regression.n_systems, len(shock), regression.n_sets
    at = np.flatnonzero(np.equal(*np.triu_indices(p)))

    def work(block: Data, _: int) -> Floats:
        residuals = regression.residuals(block) / L
        spread = (residuals**2 - np.diag(regression.noise) / L) / N - own.influences(block)[:, at] / L
        return np.asarray((spread**2).sum(axis=0))

    return float(np.max(np.diag(shock) / np.sqrt(passes.total(work))))


def _outer(rows: Floats) -> Floats:
    return np.asarray(rows.T @ rows)
