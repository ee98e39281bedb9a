r"""The minimal transform for vectors: first-order terms along a direction.

Along a direction u, with :math:`a_l = u'y_l`,

.. math:: z_{d,j} = \sum_l y_{l,j}\, e_{d-1}(a \text{ without } l), \qquad d = 1..L,\; j = 1..D:

L·D numbers for L·D unknowns. They are the gradients in u of :math:`e_d(a)`, and so
:math:`e_d(a) = \sum_j u_j z_{d,j} / d`. With :math:`F(s, u) = \prod_l (s + u'\theta_l)` the parameters come back from
the roots :math:`s_l = -u'\theta_l` and one gradient each:

.. math:: \theta_l = \nabla_u F / \partial_s F \quad\text{at } (s_l, u).

No coordinate has a special role. Systems that share their value along one direction are told apart along another,
so the transform takes several directions and its inverse uses the one that separates best.
"""

import numpy as np

from vieta.arrays import Complexes, Floats, Integers
from vieta.errors import InputError
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.roots import roots
from vieta.symmetric.transform import Transform, scalar_gains


def generic_directions(dim: int, count: int) -> Floats:
    """Unit vectors (count, dim) in general position, the same on every machine.

    >>> generic_directions(2, 3).round(3)
    array([[ 0.966,  0.259],
           [ 0.259,  0.966],
           [-0.707,  0.707]])
    """
    if dim == 2:
        angles = np.pi * (np.arange(count) + 0.25) / count
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    turns = np.outer(np.arange(1.0, count + 1), 2.0 ** (np.arange(1, dim + 1) / (dim + 1)))  # independent irrationals
    directions = np.cos(2.0 * np.pi * turns)
    return np.asarray(directions / np.linalg.norm(directions, axis=-1, keepdims=True))


def polarized(n_systems: int, dim: int, directions: Floats | None = None) -> Transform:
    """The polarized transform along each of `directions` (K, D); by default three in general position.

    >>> t = polarized(2, 2, np.array([[1.0, 0.0]]))
    >>> t.transform(np.array([[-2.0, 6.0], [4.0, 5.0]]))  # sums, then the gradient of the product
    array([  2.,  11., -16.,  14.])
    """
    u = generic_directions(dim, 3 if dim > 1 else 1) if directions is None else np.asarray(directions, dtype=np.float64)
    algebra = _algebra(n_systems, u)

    def solve(coefficients: Floats) -> Complexes:
        return solve_polarized(coefficients.reshape(-1, n_systems, *u.shape), u)

    def sensitivity(theta: Floats) -> Floats:
        best = int(best_direction(theta @ u.T))
        chosen = np.arange(algebra.size).reshape(n_systems, *u.shape)[:, best].ravel()
        result = np.zeros((theta.size, algebra.size))
        result[:, chosen] = np.linalg.inv(algebra.jacobian(theta)[chosen].reshape(theta.size, theta.size))
        return result

    return Transform("polarized", algebra, algebra, scalar_gains(algebra), solve, sensitivity)


def _algebra(n_systems: int, u: Floats) -> Algebra:
    """1, a, a², .. for each direction (helpers), and beside them the first-order terms: a^(d-1) tau_j, tau² = 0."""
    K, D = u.shape
    power = {(d, k): d * K + k for d in range(n_systems) for k in range(K)}
    first = {
        (d, k, j): len(power) + ((d - 1) * K + k) * D + j
        for d in range(1, n_systems + 1)
        for k in range(K)
        for j in range(D)
    }
    degree = [d for d, _ in power] + [d for d, _, _ in first]
    terms = []
    for (d, k), here in power.items():
        for i in range(D):
            if d + 1 < n_systems:
                terms.append(Term(i, here, power[d + 1, k], u[k, i]))
            terms.append(Term(i, here, first[d + 1, k, i]))
    for (d, k, j), here in first.items():
        if d < n_systems:
            terms += [Term(i, here, first[d + 1, k, j], u[k, i]) for i in range(D)]
    return Algebra.from_terms(n_systems, degree, [power[0, k] for k in range(K)], terms, list(first.values()))


def best_direction(projections: Floats | Complexes) -> Integers:
    """Which direction has the largest smallest gap, from projections (..., L, K) of the parameters.

    Gaps are taken between real parts: a complex pair counts as not separated.
    """
    ordered = np.sort(projections.real, axis=-2)
    if ordered.shape[-2] == 1:
        return np.zeros(ordered.shape[:-2], dtype=np.int64)
    return np.asarray(np.diff(ordered, axis=-2).min(axis=-2).argmax(axis=-1))


def solve_polarized(coefficients: Floats, u: Floats) -> Complexes:
    """Parameters (N, L, D) of polarized coefficients (N, L, K, D), each read along its best direction."""
    L = coefficients.shape[1]
    e = np.einsum("ndkj,kj,d->nkd", coefficients, u, 1.0 / np.arange(1, L + 1))
    a = roots(e)
    best = best_direction(np.swapaxes(a, -1, -2))
    rows = np.arange(len(a))
    e, a, z = e[rows, best], a[rows, best], coefficients[rows, :, best]
    powers = (-a)[:, :, None] ** np.arange(L - 1, -1, -1)  # s^(L-d), d = 1..L
    slope = L * powers[:, :, 0] + np.einsum("nld,nd->nl", powers[:, :, 1:] * np.arange(L - 1, 0, -1), e[:, :-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        theta: Complexes = np.einsum("nld,ndj->nlj", powers, z) / slope[:, :, None]
    return theta


def undo_inputs(sets: Floats, psi: Floats) -> tuple[Floats, Floats]:
    r"""Turn square inputs into scalar ones: :math:`c\Psi^{-1}y` with :math:`c = 1/\|\Psi^{-1}\|`, and c.

    The factor keeps the noise bounded, and the result is exactly unbiased with regressors c^d; plain
    :math:`\Psi^{-1}y` has infinite variance already for Gaussian inputs.

    Parameters
    ----------
    sets : (N, L, D)
    psi : (N, D, D)
    """
    c: Floats = np.linalg.svd(psi, compute_uv=False)[:, -1].astype(np.float64)
    singular = np.flatnonzero(c <= 1e-12 * abs(psi).max(axis=(-1, -2)))
    if len(singular):
        raise InputError(
            "singular-input",
            "inputs[{index}] is a singular matrix, which cannot be undone ({count} such in all). Drop those sets, or use "
            "{option.transform:{tensor}}, which needs no inverse.",
            index=int(singular[0]),
            count=len(singular),
            tensor=repr("tensor"),
        )
    undone = np.linalg.solve(psi, np.swapaxes(sets, -1, -2)).astype(np.float64, copy=False)
    return np.ascontiguousarray(c[:, None, None] * np.swapaxes(undone, -1, -2)), c
