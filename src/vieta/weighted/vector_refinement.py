"""The last step of the weighted estimator in batch on vectors: products of the values join in, with a noise covariance a system.

As `refinement` does for numbers, for sets that all have the same input: then weights are found once for all of them.
"""

from dataclasses import replace
from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.refinement import ProductSums, Refined, contradict, held
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.score_errors import freeing, leverages, with_memory
from vieta.weighted.solve import Fit
from vieta.weighted.sum_regression import SumRegression, as_matrices
from vieta.weighted.vector_products import Law, accumulate_vector_products

MOST_VALUES = 40  # of a basis; beyond, the products become many and what they add becomes little
FEWEST = 20  # sets for each unknown: below, the weights are not known well enough
PASSES = 10
SMALLEST = 0.3  # of a variance, that may be left of it after a step


def is_refined(L: int, p: int) -> bool:
    """Whether products join in for L systems and readings in R^p that share an input."""
    return L > 1 and comb(L + p, L) - 1 <= MOST_VALUES


def refine_vectors(passes: Passes, found: Fit) -> Refined | None:
    """Improve a fit of vectors by the products of the values; None where that is not possible."""
    L, D = found.theta.shape
    p = passes.like.reading_dim
    unknowns = L * (D + p * (p + 1) // 2)
    if not is_refined(L, p) or found.n_sets < FEWEST * unknowns or not _share_an_input(passes):
        return None
    return _iterate(passes, found)


def _share_an_input(passes: Passes) -> bool:
    first = passes.head(1).inputs[0]
    return passes.total(lambda block, _: int((block.inputs != first).sum())) == 0


class _Place(NamedTuple):
    """Whitening (p, p), whitened input (p, D), parameters (L, D) and law at which products are looked at."""

    root: Floats
    psi: Floats
    theta: Floats
    law: Law


def _iterate(passes: Passes, found: Fit) -> Refined | None:
    """Scoring steps from the values' estimate, until they are no longer than chance makes them; mostly one or two."""
    (L, D), p, size = found.theta.shape, len(found.noise), found.theta.size
    root = np.linalg.inv(np.linalg.cholesky(found.noise))
    psi = root @ as_matrices(passes.head(1))[0]
    kappa = held(*found.regression.shape)[1] / 3.0
    theta, covariances = found.theta, np.repeat(np.eye(p)[None], L, axis=0)
    for _ in range(PASSES):
        place = _Place(root, psi, theta, Law(covariances, kappa))
        sums = _product_sums(passes, place, found.regression)
        if not np.isfinite(sums.information).all():
            return None
        inverse = scaled_inverse(sums.information, rcond=1e-12)
        step = inverse @ sums.score
        change = symmetric(step[size:].reshape(L, -1), p)
        damping = longest(covariances, change)
        theta = theta + damping * step[:size].reshape(L, D)
        covariances = covariances + damping * change
        if sums.score @ step < 2.0 * len(step):
            bread = inverse[:size]
            cov = np.asarray(bread @ sums.meat @ bread.T)
            shared = bread @ sums.joint @ scaled_inverse(found.information)
            spread = (cov + found.plain_cov - shared - shared.T) * found.growth
            if contradict(theta - found.theta, spread, found.cov):
                return Refined(found.theta, found.cov, found.basis, contradicted=True)
            unwhite = np.linalg.inv(root)
            variances = np.einsum("ab,lbc,ac->l", unwhite, covariances, unwhite) / p
            refined = Refined(theta, cov, found.basis, variances, influences=partial(_influences, place, bread, found))
            return _with_memory(passes, refined) if found.basis.has_memory else refined
    return None


def _product_sums(passes: Passes, place: _Place, regression: SumRegression) -> ProductSums:
    root, psi, theta, law = place

    def work(block: Data, _: int) -> ProductSums:
        free = freeing(leverages(block, regression))
        return ProductSums(*accumulate_vector_products(block.sets @ root.T, psi, theta, law, free))

    return passes.total(work)


def _influences(place: _Place, bread: Floats, found: Fit, block: Data) -> Floats:
    """(n, L D) what each set of a block adds to the parameters."""
    root, psi, theta, law = place
    scores = np.empty((len(block), bread.shape[1]))
    accumulate_vector_products(block.sets @ root.T, psi, theta, law, None, scores)
    return np.asarray(scores * freeing(leverages(block, found.regression))[:, None] @ bread.T)


def _with_memory(passes: Passes, refined: Refined) -> Refined:
    """The same parameters with the errors that memory over time makes of them."""
    assert refined.influences is not None
    cov, basis = with_memory(refined.basis, passes, refined.influences)
    return replace(refined, cov=cov, basis=basis)


def symmetric(entries: Floats, p: int) -> Floats:
    """(L, p, p) symmetric matrices from their upper triangles (L, p (p + 1) / 2).

    >>> symmetric(np.array([[1.0, 2.0, 3.0]]), 2)
    array([[[1., 2.],
            [2., 3.]]])
    """
    full = np.zeros((len(entries), p, p))
    row, column = np.triu_indices(p)
    full[:, row, column] = entries
    full[:, column, row] = entries
    return full


def longest(covariances: Floats, change: Floats) -> float:
    """The longest part of a step, of 1, 1/2, 1/4 .., that leaves of every variance a fair share."""
    part = 1.0
    while part > 1e-3 and np.linalg.eigvalsh(covariances * (1.0 - SMALLEST) + part * change).min() < 0.0:
        part /= 2.0
    return part
