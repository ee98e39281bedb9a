"""One set's share in the estimating equations, summed over sets of numbers or of vectors."""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, plain, unshared


class Equations(NamedTuple):
    """Sums over N sets, and what each set has.

    Attributes
    ----------
    information : (L D, L D)
        Sum of J'V⁻¹J.
    score : (L D,)
        Sum of J'V⁻¹r.
    meat : (L D, L D)
        Sum of the scores' outer products.
    squares : (N,)
        r'V⁻¹r / (L p) of each set.
    """

    information: Floats
    score: Floats
    meat: Floats
    squares: Floats


def accumulate(sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float = np.inf) -> Equations:
    """The equations of sets (N, L, p) with inputs (N, p, D); `cap` bounds the influence of a set."""
    return _filled(sets, psi, theta, noise, cap, *unshared((1, theta.size)))


def each_score(sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float = np.inf) -> Floats:
    """(N, L D) the score of each set."""
    return with_scores(sets, psi, theta, noise, cap)[1]


def with_scores(
    sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float = np.inf
) -> tuple[Equations, Floats]:
    """The equations, and the score of each set (N, L D)."""
    scores = np.empty((max(len(sets), 1), theta.size))
    return _filled(sets, psi, theta, noise, cap, scores), scores[: len(sets)]


def _filled(sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float, scores: Floats) -> Equations:
    N, L, p = sets.shape
    n = theta.size
    H, g, M, information, work = unshared((n, n), (n,), (n, n), (n, n), (5 + 4 * L, L))
    sums = Equations(H, g, M, np.empty(N))
    places = (*sums, scores, information)
    if p == 1:
        from vieta.weighted.number_equations import accumulate_numbers

        order, variance = work[0].view(np.int64), float(noise[0, 0])
        y, rows = plain(sets[:, :, 0]), plain(psi[:, 0])
        accumulate_numbers(y, rows, plain(theta), variance, float(cap), order, work[1:], *places)
    else:
        _vectors(sets, psi, theta, noise, float(cap), *places)
    return sums._replace(information=mirrored(sums.information), meat=mirrored(sums.meat))


def mirrored(lower: Floats) -> Floats:
    """The symmetric matrix of which a lower triangle is given."""
    return lower + np.tril(lower, -1).T


def _vectors(sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float, *places: Floats) -> None:
    """Fill the sums for vectors: input by input where many sets share one, else set by set."""
    from vieta.weighted.vector_groups import accumulate_groups, grouped
    from vieta.weighted.vector_planes import planes_for, scratch_for, whitened

    (_, L, p), D = sets.shape, theta.shape[1]
    groups = grouped(psi)
    if groups is not None:
        y, inputs = whitened(sets, groups[0], noise)
        accumulate_groups(y, inputs, groups[1], theta, cap, *places[:-1])
        return
    from vieta.weighted.vector_equations import accumulate_vectors

    y, matrices = whitened(sets, psi, noise)
    given = planes_for(L, p)
    accumulate_vectors(y, matrices, plain(theta), given, cap, scratch_for(given, L, p, D), *places)
