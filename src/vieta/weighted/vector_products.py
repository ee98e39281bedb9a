r"""Scores of sets of vectors from the values at planes *and their products*, for sets that all have the same input.

As for numbers (`products`): the covariance of the values :math:`v_a = \prod_j (u_a'y_j - x_a)` depends on the means, so that their products
tell about them as well. With :math:`A_{aj} = u_a'm_j - x_a` and :math:`C^j_{ab} = u_a'\Sigma_j u_b`,

.. math:: E v_a v_b = \prod_j F^j_{ab}, \qquad F^j_{ab} = A_{aj} A_{bj} + C^j_{ab} ,

for every noise law with independent noise of mean zero, with a covariance :math:`\Sigma_j` a system to estimate beside the parameters.
Weights need third and fourth moments; they take those of a law without skewness,

.. math:: E v_i v_a v_b = \prod_j (A_i F_{ab} + C_{ia} A_b + C_{ib} A_a), \qquad
    E v_a v_b v_c v_d = \prod_j \bigl(F_{ab} F_{cd} + A_a A_c C_{bd} + A_a A_d C_{bc} + A_b A_c C_{ad} + A_b A_d C_{ac}
    + \kappa (C_{ac} C_{bd} + C_{ad} C_{bc}) + (\kappa - 1) C_{ab} C_{cd}\bigr) ,

kappa a third of the kurtosis; a wrong law costs accuracy only. The weights are the same for all sets, and so are found once a pass.
Everything is in units in which the noise of all systems together has covariance I.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.weighted.vector_planes import basis_planes, spread_directions

MOST = 300  # products; of more, some are taken at random
AT_ONCE = 2048  # sets


class Law(NamedTuple):
    """Covariances (L, p, p) of the systems' noises, and a third of their kurtosis."""

    covariances: Floats
    kappa: float


@dataclass(frozen=True, slots=True, eq=False)
class ProductWeights:
    """Planes, pairs of them, and the weights by which values and products enter the score.

    Attributes
    ----------
    directions, nodes, scale : (S, p), (S,), (S,)
        The planes, and the reciprocal of the size of a factor.
    pairs : (Q, 2)
        Which values are multiplied.
    expected : (S + Q,)
    weights : (S + Q, n)
        V⁻¹J, about the means (L p) and then the covariances, symmetric entries together (L p (p + 1) / 2).
    first : (S, L p)
        The same from the values alone.
    information : (n, n)
    """

    directions: Floats
    nodes: Floats
    scale: Floats
    pairs: Integers
    expected: Floats
    weights: Floats
    first: Floats
    information: Floats

    def scores(self, sets: Floats) -> tuple[Floats, Floats]:
        """(N, n) the score of each of the sets (N, L, p), and (N, L p) that from the values alone."""
        values = np.ones((len(sets), len(self.nodes)))
        for l in range(sets.shape[1]):
            values *= (sets[:, l] @ self.directions.T - self.nodes) * self.scale
        products = values[:, self.pairs[:, 0]] * values[:, self.pairs[:, 1]]
        r = np.concatenate([values, products], axis=1) - self.expected
        return r @ self.weights, r[:, : len(self.nodes)] @ self.first


def node_pairs(S: int) -> Integers:
    """(Q, 2): every two values, and each with itself; some of them where they are many.

    >>> node_pairs(2)
    array([[0, 0],
           [1, 0],
           [1, 1]])
    """
    pairs = np.stack(np.tril_indices(S), axis=1)
    if len(pairs) <= MOST:
        return pairs
    return pairs[np.sort(np.random.default_rng(0).permutation(len(pairs))[:MOST])]


def weigh_products(means: Floats, law: Law) -> ProductWeights:
    """The weights for means (L, p)."""
    from vieta.weighted.vector import eliminate

    L, p = means.shape
    directions, nodes, scale = _planes(means)
    pairs = node_pairs(len(nodes))
    A = plain(((means @ directions.T - nodes) * scale).T)  # (S, L)
    u = directions * scale[:, None]
    C = np.einsum("ap,lpq,bq->lab", u, law.covariances, u, optimize=True)
    expected, J = expectations(A, u, C, pairs)
    V = covariance(A, C, law.kappa, pairs)
    S, n = len(nodes), J.shape[1]
    both = np.concatenate([J, np.eye(len(J))], axis=1)
    values = np.ascontiguousarray(both[:S, : n + S])
    values[:, L * p :] = np.eye(S, n + S - L * p)
    eliminate(V.copy(), both, np.empty(len(V)))
    eliminate(V[:S, :S].copy(), values, np.empty(S))
    slope, first = both[:, :n], values[:, : L * p]
    weights, alone = both[:, n:].T @ slope, values[:, L * p : L * p + S].T @ first
    return ProductWeights(directions, nodes, scale, pairs, expected, weights, alone, slope.T @ slope)


def _planes(means: Floats) -> tuple[Floats, Floats, Floats]:
    """Directions (S, p), nodes (S,) and reciprocal sizes of factors (S,) of a basis of values."""
    from vieta.weighted.scalar import SEPARATION, place_nodes

    L, p = means.shape
    planes = basis_planes(L, p)
    u = spread_directions(p, 1 + int(planes[:, 0].max()))
    nodes, order = np.empty((len(u), L)), np.empty(L, np.int64)
    for k, projected in enumerate(u @ means.T):
        place_nodes(projected, SEPARATION, order, nodes[k])
    directions, x = u[planes[:, 0]], nodes[planes[:, 0], planes[:, 1]]
    size = ((means @ directions.T - x) ** 2).mean(axis=0) + 1.0
    return directions, x, 1.0 / np.sqrt(size)


def expectations(A: Floats, u: Floats, C: Floats, pairs: Integers) -> tuple[Floats, Floats]:
    """(S + Q,) E of values and products, and (S + Q, n) its derivative by means and covariances; A (S, L), u (S, p), C (L, S, S)."""
    (S, L), p, Q = A.shape, u.shape[1], len(pairs)
    a, b = pairs.T
    row, column = np.triu_indices(p)
    F = A[a] * A[b] + C[:, a, b].T  # (Q, L)
    J = np.zeros((S + Q, L * p + L * len(row)))
    by_covariance = (u[a][:, row] * u[b][:, column] + u[a][:, column] * u[b][:, row]) / np.where(
        row == column, 2.0, 1.0
    )
    for l in range(L):
        mean, own = slice(l * p, (l + 1) * p), slice(L * p + l * len(row), L * p + (l + 1) * len(row))
        J[:S, mean] = np.delete(A, l, axis=1).prod(axis=1)[:, None] * u
        rest = np.delete(F, l, axis=1).prod(axis=1)[:, None]
        J[S:, mean] = rest * (A[a, l, None] * u[b] + A[b, l, None] * u[a])
        J[S:, own] = rest * by_covariance
    return np.concatenate([A.prod(axis=1), F.prod(axis=1)]), J


def covariance(A: Floats, C: Floats, kappa: float, pairs: Integers) -> Floats:
    """V (S + Q, S + Q) of values and products: E of a product less the product of E, without cancellation."""
    (S, L), Q = A.shape, len(pairs)
    a, b = pairs.T
    spread, product = np.zeros((S + Q, S + Q)), np.ones((S + Q, S + Q))
    for l in range(L):
        x, c = A[:, l], C[l]
        f = np.concatenate([x, x[a] * x[b] + c[a, b]])
        extra = np.empty((S + Q, S + Q))
        extra[:S, :S] = c
        extra[S:, :S] = c[a] * x[b, None] + c[b] * x[a, None]
        extra[:S, S:] = extra[S:, :S].T
        ac, ad, bc, bd = c[np.ix_(a, a)], c[np.ix_(a, b)], c[np.ix_(b, a)], c[np.ix_(b, b)]
        xa, xb = x[a], x[b]
        extra[S:, S:] = np.outer(xa, xa) * bd + np.outer(xa, xb) * bc + np.outer(xb, xa) * ad + np.outer(xb, xb) * ac
        extra[S:, S:] += kappa * (ac * bd + ad * bc) + (kappa - 1.0) * np.outer(c[a, b], c[a, b])
        g = np.outer(f, f)
        spread = spread * (g + extra) + product * extra
        product *= g
    return spread


def accumulate_vector_products(
    sets: Floats, psi: Floats, theta: Floats, law: Law
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums over sets (N, L, p) that share an input (p, D), for parameters and then covariances.

    Returns information (n, n), score (n,), score outer products (n, n), and the outer products of these scores with those that the
    values alone would give (n, L D).
    """
    L, D = theta.shape
    weights = weigh_products(theta @ psi.T, law)
    G = np.kron(np.eye(L), psi)  # (L p, L D)
    extra = weights.information.shape[0] - len(G)
    chain = np.block([[G, np.zeros((len(G), extra))], [np.zeros((extra, L * D)), np.eye(extra)]])
    n = chain.shape[1]
    g, M, joint = np.zeros(n), np.zeros((n, n)), np.zeros((n, L * D))
    for at in range(0, len(sets), AT_ONCE):
        scores, first = weights.scores(sets[at : at + AT_ONCE])
        scores, first = scores @ chain, first @ G
        g += scores.sum(axis=0)
        M += scores.T @ scores
        joint += scores.T @ first
    return len(sets) * chain.T @ weights.information @ chain, g, M, joint
