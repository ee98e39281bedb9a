"""Shares of sets of vectors in the estimating equations where many sets have the same input: what does not depend on the readings is done once.

The weights of the sets that share an input are the same: with T = C⁻¹, V = CC', a set's score is (TJ)'Tr. All that is left for each
set is its values, and two products of matrices.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.weighted.vector_planes import Planes, Scratch, planes_for, scratch_for

FEWEST = 16  # sets for each input, on average, for which groups are made
LOOKED_AT = 256  # sets that tell whether there will be any
AT_ONCE = 4096  # sets


def grouped(psi: Floats) -> tuple[Floats, Integers] | None:
    """The different inputs (n, p, D) among N, and which of them each set has; None if there are too many."""
    N = len(psi)
    if N >= FEWEST and (psi == psi[0]).all():
        return psi[:1], np.zeros(N, dtype=np.int64)
    if N < FEWEST * 2 or len(_different(psi[:LOOKED_AT])[0]) > min(N, LOOKED_AT) // 4:
        return None
    first, which = _different(psi)
    return (psi[first], which) if len(first) * FEWEST <= N else None


def _different(psi: Floats) -> tuple[Integers, Integers]:
    _, first, which = np.unique(psi.reshape(len(psi), -1), axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()


def accumulate_groups(
    sets: Floats, inputs: Floats, which: Integers, theta: Floats, cap: float, H: Floats, g: Floats, M: Floats,
    squares: Floats, scores: Floats,
) -> None:  # fmt: skip
    """Add the shares of sets (N, L, p), each with one of a few inputs (n, p, D), to H, g and M; the noise has covariance I.

    Fills `squares` and, if it has as many rows as there are sets, `scores`, as `vector_equations.accumulate_vectors` does.
    """
    for i, psi in enumerate(inputs):
        weights = weigh(psi, theta)
        members = np.flatnonzero(which == i)
        for at in range(0, len(members), AT_ONCE):
            part = members[at : at + AT_ONCE]
            size, score = weights.apply(sets[part])
            influence = np.minimum(1.0, cap / np.sqrt(np.maximum(size, 1e-300)))
            score *= influence[:, None]
            squares[part] = size
            H += np.tril(influence.sum() * weights.information)
            g += score.sum(axis=0)
            M += np.tril(score.T @ score)
            if len(scores) == len(sets):
                scores[part] = score


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Statistics of one kind: values, or those of lower degree.

    Attributes
    ----------
    directions, nodes, scale : (S, q), (S,), (S,)
        Their planes, and the reciprocal of the size of a factor.
    expected : (S,)
        E v.
    root, slope : (S, S), (S, n)
        The transpose of C⁻¹, and C⁻¹J.
    rank : int
    """

    directions: Floats
    nodes: Floats
    scale: Floats
    expected: Floats
    root: Floats
    slope: Floats
    rank: int

    def factors(self, z: Floats) -> list[Floats]:
        """(N, S) for each reading of sets (N, L, q): its distances to the planes."""
        return [(z[:, l] @ self.directions.T - self.nodes) * self.scale for l in range(z.shape[1])]

    def values(self, z: Floats) -> Floats:
        """(N, S) C⁻¹r of the values."""
        product = np.ones((len(z), len(self.nodes)))
        for factor in self.factors(z):
            product *= factor
        return np.asarray((product - self.expected) @ self.root)

    def lower(self, z: Floats, w: Floats) -> Floats:
        """(N, c, S) C⁻¹t for each of c further coordinates w (N, L, c)."""
        factors = self.factors(z)
        t = np.zeros((len(z), w.shape[2], len(self.nodes)))
        for l in range(z.shape[1]):
            rest = np.ones((len(z), len(self.nodes)))
            for j, factor in enumerate(factors):
                if j != l:
                    rest *= factor
            t += w[:, l, :, None] * rest[:, None]
        return np.asarray(t @ self.root)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What all sets with one input have in common: planes and weights, turned means (L, p) and inputs (D, p), information (L D, L D)."""

    upper: Side
    under: Side | None
    frame: Floats
    means: Floats
    inputs: Floats
    information: Floats

    def apply(self, sets: Floats) -> tuple[Floats, Floats]:
        """r'V⁻¹r over its expectation (N,), and the score (N, L D), of sets (N, L, p)."""
        (N, L, p), q = sets.shape, self.upper.directions.shape[1]
        turned = sets @ self.frame
        z, score = turned[:, :, :q], np.empty((N, L, p))
        white = self.upper.values(z)
        score[:, :, :q] = (white @ self.upper.slope).reshape(N, L, q)
        squares, rank = (white**2).sum(axis=1), self.upper.rank
        if self.under is not None:
            white = self.under.lower(z, turned[:, :, q:] - self.means[:, q:])
            score[:, :, q:] = np.swapaxes(white @ self.under.slope, 1, 2)
            squares, rank = squares + (white**2).sum(axis=(1, 2)), rank + (p - q) * self.under.rank
        return squares / rank, (score @ self.inputs.T).reshape(N, -1)


def weigh(psi: Floats, theta: Floats) -> Weights:
    """The weights for an input (p, D), at parameters (L, D)."""
    from vieta.weighted import vector

    (L, D), p = theta.shape, len(psi)
    given = planes_for(L, p)
    work, q = scratch_for(given, L, p, D), given.directions.shape[1]
    vector.turn_means(plain(psi), plain(theta), q, work)
    vector.place_planes(given, work)
    work.seen[:], work.readings[:] = work.projected, work.means  # no residuals
    vector.fill_factors(given.values, work)
    vector.fill_columns(given, work)
    vector.fill_covariance(given.gram, given.values, 0.0, work)
    upper, under = _side(given, work, given.values, work.columns[:, : L * q]), None
    if q < p:
        vector.fill_factors(given.lower, work)
        vector.fill_lower_columns(given, work)
        vector.fill_covariance(given.gram, given.lower, 1.0, work)
        under = _side(given, work, given.lower, work.lower_columns[:, :L])
    return Weights(upper, under, work.frame, work.means, work.inputs, _information(upper, under, work.inputs, L))


def _side(given: Planes, work: Scratch, planes: Integers, slope: Floats) -> Side:
    from vieta.weighted.vector import eliminate

    (S, n), k = slope.shape, planes[:, 0]
    both = np.concatenate([slope, np.eye(S)], axis=1)
    rank = eliminate(work.covariance, both, work.scale[2])
    scale, expected = work.scale[:2, :S].copy()
    root = plain(both[:, n:].T)
    return Side(given.directions[k], work.nodes[k, planes[:, 1]], scale, expected, root, plain(both[:, :n]), rank)


def _information(upper: Side, under: Side | None, inputs: Floats, L: int) -> Floats:
    """(L D, L D) about the parameters, from that about the means in turned coordinates."""
    (D, p), q = inputs.shape, upper.directions.shape[1]
    about = np.zeros((L, p, L, p))
    about[:, :q, :, :q] = (upper.slope.T @ upper.slope).reshape(L, q, L, q)
    if under is not None:
        for a in range(q, p):
            about[:, a, :, a] = under.slope.T @ under.slope
    half = np.tensordot(about, inputs, axes=(3, 1))
    return np.asarray(np.einsum("da,lake->ldke", inputs, half).reshape(L * D, L * D))
