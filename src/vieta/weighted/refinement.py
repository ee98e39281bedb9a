"""The last step of the weighted estimator in batch: products of the values join in, with a variance a system.

The values alone need noise of mean zero that is independent across systems. Their products need, beyond that, a spread
that does not change from set to set. Where the two contradict each other, the values alone decide.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail
from vieta.weighted.diagnostics import is_exact
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.score_errors import Basis, freeing, leverages, with_memory
from vieta.weighted.shock_test import Dependence, ScoreTest
from vieta.weighted.solve import Fit
from vieta.weighted.sum_regression import SumRegression, as_matrices

MOST_SYSTEMS = 12  # beyond, what products add becomes little
FEWEST = 200  # sets for each unknown: below, the weights are not known well enough
FEW, FEWEST_OF_MANY = 5, 500  # the same for more than so many systems: errors of the weights add up
STEEPEST, HEAVIEST = 4.0, 60.0  # skewness and kurtosis to which weights are held
PASSES = 20
LONGEST = 1.0  # step of a variance's logarithm
CONTRADICTION = 0.01  # probability, by chance, of a difference that counts as a contradiction
WORTH_A_LOOK = 1e-3  # share of the variance that a difference must have to be looked at


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """Parameters (L, D), their sandwich covariance (L D, L D), what it rests on, and each system's noise variance (L,), if it is known.

    `contradicted` is set where the products contradict the values, which were then left as they are; `dependence` is the test of a covariance
    of the noises, where the pass that led here tells. For vectors, `influences` gives what each set of a block adds to the parameters (n, L D).
    """

    theta: Floats
    cov: Floats
    basis: Basis
    variances: Floats | None = None
    contradicted: bool = False
    dependence: Dependence | None = None
    influences: Callable[[Data], Floats] | None = None


def refine(passes: Passes, found: Fit) -> Refined:
    """Improve a fit by the products of the values; where that is not possible, return it as it is."""
    L, D = found.theta.shape
    old = Refined(found.theta, found.cov, found.basis)
    if not found.converged or is_exact(found):
        return old
    if passes.like.reading_dim > 1:
        from vieta.weighted.vector_refinement import refine_vectors

        return refine_vectors(passes, found) or old
    fewest = FEWEST if L <= FEW else FEWEST_OF_MANY
    if not 1 < L <= MOST_SYSTEMS or found.n_sets < fewest * L * (D + 1):
        return old
    return _iterate(passes, found, old) or old


@dataclass(frozen=True, slots=True, eq=False)
class ProductSums(Sums):
    """What `shared_products.accumulate_products`, or its like for vectors, adds up; without what is about a covariance of the noises."""

    information: Floats
    score: Floats
    meat: Floats
    joint: Floats


class _Place(NamedTuple):
    """Parameters (L, D), variances (L,), and the shape of the noise law at which products are looked at."""

    theta: Floats
    variances: Floats
    skewness: float
    kurtosis: float


def _product_sums(passes: Passes, place: _Place, regression: SumRegression) -> tuple[ProductSums, ScoreTest]:
    """One pass: sums about parameters and variances, and, for the test, those about a covariance of the noises as well."""
    from vieta.weighted.shared_products import accumulate_products

    def work(block: Data, _: int) -> ProductSums:
        sets, rows = block.sets[:, :, 0], as_matrices(block)[:, 0]
        return ProductSums(*accumulate_products(sets, rows, *place, freeing(leverages(block, regression))))

    every = passes.total(work)
    known = ProductSums(every.information[:-1, :-1], every.score[:-1], every.meat[:-1, :-1], every.joint[:-1])
    return known, ScoreTest(every.information, every.score, every.meat)


def _influences(block: Data, place: _Place, bread: Floats, regression: SumRegression) -> Floats:
    """(n, L D) what each set of a block adds to the parameters; `bread` (L D, n)."""
    from vieta.weighted.shared_products import accumulate_products

    scores = np.empty((max(len(block), 1), bread.shape[1] + 1))
    accumulate_products(block.sets[:, :, 0], as_matrices(block)[:, 0], *place, None, scores)
    return np.asarray(scores[: len(block), :-1] * freeing(leverages(block, regression))[:, None] @ bread.T)


def _iterate(passes: Passes, found: Fit, old: Refined) -> Refined | None:
    """Scoring steps from the old estimate, until they are no longer than chance makes them; mostly one."""
    shape, regression = held(*found.regression.shape), found.regression
    theta, size = old.theta, old.theta.size
    variances = np.full(len(theta), float(np.trace(found.noise)) / len(found.noise))
    for _ in range(PASSES):
        place = _Place(theta, variances, *shape)
        sums, test = _product_sums(passes, place, regression)
        if not np.isfinite(sums.information).all():
            return None
        inverse = scaled_inverse(sums.information, rcond=1e-12)
        step = inverse @ sums.score
        damping = min(1.0, LONGEST / abs(step[size:]).max())
        theta = theta + damping * step[:size].reshape(theta.shape)
        variances = variances * np.exp(damping * step[size:])
        if sums.score @ step < 2.0 * len(step):
            bread = inverse[:size]
            cov = np.asarray(bread @ sums.meat @ bread.T)
            shared = bread @ sums.joint @ scaled_inverse(found.information)
            spread = (cov + found.plain_cov - shared - shared.T) * found.growth
            if contradict(theta - old.theta, spread, old.cov):
                return replace(old, contradicted=True)
            refined = Refined(theta, cov, old.basis, variances, dependence=test.conclusion(size))
            return _with_memory(passes, found, place, bread, refined) if found.basis.has_memory else refined
    return None


def _with_memory(passes: Passes, found: Fit, place: _Place, bread: Floats, refined: Refined) -> Refined:
    """The same parameters with the errors that memory over time makes of them."""
    regression = found.regression
    cov, basis = with_memory(refined.basis, passes, lambda block: _influences(block, place, bread, regression))
    return replace(refined, cov=cov, basis=basis)


def held(skewness: float, kurtosis: float) -> tuple[float, float]:
    """Skewness and kurtosis moved to where weights can use them: some law must have them."""
    skewness = float(np.clip(skewness, -STEEPEST, STEEPEST))
    return skewness, float(np.clip(kurtosis, 1.2 + skewness**2, HEAVIEST))


def contradict(difference: Floats, spread: Floats, scale: Floats) -> bool:
    """Whether a difference is too large for its covariance (`chance_of`)."""
    return chance_of(difference, spread, scale) < CONTRADICTION


def chance_of(difference: Floats, spread: Floats, scale: Floats) -> float:
    """The probability, by chance, of so large a difference for its covariance, looked at where that is a fair share of `scale`."""
    values, vectors = np.linalg.eigh(scale)
    keep = values > 1e-12 * values[-1]
    whiten = vectors[:, keep] / np.sqrt(values[keep])
    shares, directions = np.linalg.eigh(whiten.T @ spread @ whiten)
    seen = shares > WORTH_A_LOOK
    along = directions[:, seen].T @ (whiten.T @ difference.ravel())
    return chi_square_tail(int(seen.sum()), float(np.sum(along**2 / shares[seen]))) if seen.any() else 1.0
