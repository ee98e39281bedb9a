r"""Standard errors of an estimate from incomplete sets, nuisance included.

With the scores g of *all* parameters, those of the law's weights and of the density of false readings among them,

.. math:: \mathrm{Cov} = \Bigl(\sum_k g_k g_k'\Bigr)^{-1}, \qquad a_k = \mathrm{Cov}\,g_k

are the covariance and the influences of the sets, of which the rows of :math:`\theta` are used. Weights that sum to one, and whose mean is
zero, have scores in the directions that keep this. With memory over time the covariance is that of the sum of the influences in the long run
(`vieta.long_run`).
"""

from dataclasses import dataclass

import numpy as np

from vieta.adaptive.set_model import Expectation, SetModel, by_set, expect
from vieta.adaptive.set_sums import Free, pieces, set_scores
from vieta.adaptive.sieve import components
from vieta.arrays import Floats
from vieta.long_run import Persistence
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.score_errors import Basis, with_memory
from vieta.weighted.sum_regression import as_matrices

LEARNED = 1e-4  # weight of a normal of the law from which on it is one of the parameters: tails decide what the mean is
ENOUGH = 3.0  # false readings in a bin, from which on its density is one of the parameters
EXACT = 1e-3  # of the information of labeled readings: where scores have less, there are no residuals
TIMES = 1.5  # degrees of freedom for each set that carries information


@dataclass(frozen=True, slots=True, eq=False)
class ErrorSums(Sums):
    """Sums over sets: of g g' (m, m), of squared leverages, and what tells memory."""

    products: Floats
    concentration: float
    persistence: Persistence


@dataclass(frozen=True, slots=True, eq=False)
class SetErrors:
    """The covariance (m, m) of all parameters, of which those of theta come first; that of theta (L D, L D); and what it rests on."""

    everything: Floats
    cov: Floats
    basis: Basis


def law_directions(model: SetModel) -> tuple["np.ndarray[tuple[int, ...], np.dtype[np.int64]]", Floats]:
    """Which weights of the law count, and directions (J, r) among them that keep their sum and their mean."""
    if model.law.weights is None:
        return np.empty(0, np.int64), np.empty((0, 0))
    support = np.flatnonzero(model.law.weights > LEARNED)
    centres, _ = components(model.law.width)
    fixed = np.stack([np.ones(len(support)), centres[support]])
    return support, _null(fixed)


def _null(rows: Floats) -> Floats:
    """(n, n - rank) an orthonormal basis of what rows (r, n) do not see."""
    _, values, vectors = np.linalg.svd(rows)
    rank = int((values > 1e-10 * values.max(initial=1e-300)).sum())
    return np.asarray(vectors[rank:].T)


def all_scores(data: Data, model: SetModel, found: Expectation, free: Free, counts: Floats) -> Floats:
    """(N, m) scores of all parameters; `counts` (p, B) are the false readings in the bins."""
    readings, offsets = data.flat
    parts = [set_scores(data, model, found, free)]
    support, directions = law_directions(model)
    if directions.size:
        ratios = model.law.ratios(found.residuals)[..., support]
        mean = np.einsum("rl,rlpj->rj", found.pairs, ratios, optimize=True)
        parts.append(by_set(mean, offsets) @ directions)
    if free.rate:
        bins = model.clutter.bins(readings)
        for q in range(readings.shape[1]):
            used = np.flatnonzero(counts[q] > ENOUGH)
            if len(used) < 2:
                continue
            share = model.clutter.heights[q, used] * model.clutter.width[q]
            here = (bins[:, q, None] == used) * (found.false[:, None] / share)
            parts.append(by_set(here, offsets) @ _null(np.ones((1, len(used)))))
    return np.concatenate(parts, axis=1)


def set_errors(passes: Passes, model: SetModel, free: Free, counts: Floats, gram: Floats) -> SetErrors:
    """Covariances of the estimate that the model is, in one pass, or two where there is memory. `gram` (D, D) is the sum of Psi'Psi."""
    (L, D), p = model.theta.shape, passes.like.reading_dim
    inverse = np.linalg.pinv(gram, hermitian=True)
    J = 1 if model.law.weights is None else len(model.law.weights)
    cut = passes.cut(lambda block: pieces(block, L, J))

    def scores(piece: Data) -> Floats:
        return all_scores(piece, model, expect(piece, model), free, counts)

    def work(piece: Data, _: int) -> ErrorSums:
        g = scores(piece)
        rows = as_matrices(piece)
        h = np.einsum("npd,de,npe->n", rows, inverse, rows, optimize=True) / min(p, D)
        return ErrorSums(g.T @ g, float(h @ h), Persistence.of(g[:, : L * D].reshape(len(piece), L, D)))

    sums = cut.total(work)
    everything = inverted(_informed(sums.products, model, gram))
    N, seen = sums.persistence.count, float(model.detection.min())
    carrying = (D / min(p, D)) ** 2 / max(sums.concentration, 1e-300)
    basis = Basis(max(min(N * seen - D / p, TIMES * carrying * seen), 1.0), carrying, float(N))
    cov = everything[: L * D, : L * D]
    if sums.persistence.found and not _without_residuals(sums.products, model, gram).all():
        by_theta = everything[:, : L * D]
        cov, basis = with_memory(basis, cut, lambda piece: scores(piece) @ by_theta)
    return SetErrors(everything, cov, basis)


def _informed(products: Floats, model: SetModel, gram: Floats) -> Floats:
    """Sums of g g' in which systems without residuals have the information of labeled readings, at the smallest deviation that there is."""
    D, found = len(gram), products.copy()
    for l in np.flatnonzero(_without_residuals(products, model, gram)):
        own = slice(l * D, (l + 1) * D)
        found[own, own] += _labeled(model, gram, int(l))
    return found


def _labeled(model: SetModel, gram: Floats, system: int) -> Floats:
    """(D, D) the information of labeled readings of a system, at the largest variance of a direction."""
    largest = float(np.linalg.eigvalsh(model.shape)[-1])
    return np.asarray(model.detection[system] * gram / (model.sd[system] ** 2 * largest))


def _without_residuals(
    products: Floats, model: SetModel, gram: Floats
) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """(L,) which systems have scores that are no more than rounding."""
    L, D = model.theta.shape
    own = np.diag(products)[: L * D].reshape(L, D)
    labeled = np.array([np.diag(_labeled(model, gram, l)) for l in range(L)])
    return np.asarray((own < EXACT * labeled).all(axis=1))


def inverted(products: Floats) -> Floats:
    """The inverse of a sum of g g', in units of its diagonal; directions without information are left out."""
    scale = np.sqrt(np.maximum(np.diag(products), 1e-300))
    unit = np.linalg.pinv(products / (scale[:, None] * scale), rcond=1e-9, hermitian=True)
    return np.asarray(unit / (scale[:, None] * scale))
