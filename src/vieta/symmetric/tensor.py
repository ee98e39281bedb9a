r"""The full symmetric tensor: closed under every input, square or not.

The coefficients of :math:`e_d(u'\theta_1, \dots, u'\theta_L) = \sum_{|\alpha| = d} \Lambda_\alpha u^\alpha` for all
directions u at once: C(D+d-1, d) numbers of degree d. For :math:`y_l = \Psi\theta_l` with any p x D input,
:math:`e_d(w'y) = e_d((\Psi'w)'\theta)`, an exact linear map :math:`A_d = \mathrm{Sym}^d(\Psi)`. With p = 1 it is an
ordinary regression of :math:`e_d(y)` on all monomials of degree d of the regressor row.
"""

from itertools import combinations_with_replacement
from math import comb

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.polarized import best_direction, generic_directions, polarized, solve_polarized
from vieta.symmetric.transform import Transform

Monomial = tuple[int, ...]  # its variables, ascending: (0, 0, 2) is x_0² x_2


def tensor(n_systems: int, reading_dim: int, dim: int) -> Transform:
    """The full symmetric tensor transform of sets in R^p with parameters in R^D.

    >>> t = tensor(2, 1, 2)  # readings y = psi' theta of two systems in the plane
    >>> [A.tolist() for A in t.gains(np.array([[[3.0, 5.0]]]))]
    [[[[3.0, 5.0]]], [[[9.0, 15.0, 25.0]]]]
    """
    readings = _algebra(n_systems, reading_dim)
    parameters = readings if reading_dim == dim else _algebra(n_systems, dim)
    u = np.concatenate([np.eye(dim), generic_directions(dim, 2 * dim)])
    polarize = _polarization(n_systems, dim, u)

    def gains(psi: Floats) -> list[Floats]:
        return [_symmetric_power(psi, d) for d in range(1, n_systems + 1)]

    def solve(coefficients: Floats) -> Complexes:
        z = np.stack([coefficients @ P.T for P in polarize], axis=-2)  # (N, K, L * D)
        return solve_polarized(np.moveaxis(z.reshape(*z.shape[:-1], n_systems, dim), -3, -2), u)

    def sensitivity(theta: Floats) -> Floats:
        best = int(best_direction(theta @ u.T))
        return np.asarray(polarized(n_systems, dim, u[[best]]).sensitivity(theta) @ polarize[best])

    return Transform("tensor", readings, parameters, gains, solve, sensitivity)


def tensor_size(n_systems: int, dim: int) -> int:
    """How many coefficients the tensor of L systems in R^D has: C(D + L, L) - 1.

    >>> tensor_size(4, 10)
    1000
    """
    return comb(dim + n_systems, n_systems) - 1


def _monomials(dim: int, degree: int) -> list[Monomial]:
    return list(combinations_with_replacement(range(dim), degree))


def _algebra(n_systems: int, dim: int) -> Algebra:
    basis = [m for d in range(n_systems + 1) for m in _monomials(dim, d)]
    index = {m: r for r, m in enumerate(basis)}
    terms = [
        Term(i, r, index[tuple(sorted((*m, i)))]) for m, r in index.items() if len(m) < n_systems for i in range(dim)
    ]
    return Algebra.from_terms(n_systems, [len(m) for m in basis], [0], terms, list(range(1, len(basis))))


def _symmetric_power(psi: Floats, degree: int) -> Floats:
    r"""A_d (N, m_d, q_d): the coefficient of w^β in (Ψ'w)^α, built one factor at a time."""
    N, p, D = psi.shape
    power = np.ones((N, 1, 1))
    for d in range(1, degree + 1):
        rows, columns = _monomials(p, d), _monomials(D, d)
        row_of = {m: r for r, m in enumerate(rows)}
        column_below = {m: r for r, m in enumerate(_monomials(D, d - 1))}
        below = np.array([column_below[m[1:]] for m in columns])
        factor = np.array([m[0] for m in columns])
        raised = np.zeros((N, len(rows), len(columns)))
        for r, m in enumerate(_monomials(p, d - 1)):
            for i in range(p):
                raised[:, row_of[tuple(sorted((*m, i)))]] += power[:, r, below] * psi[:, i, factor]
        power = raised
    return power


def _polarization(n_systems: int, dim: int, u: Floats) -> Floats:
    """(K, L * D, M) gradients of sum_α Λ_α u^α at each direction: tensor to polarized coefficients."""
    basis = [m for d in range(1, n_systems + 1) for m in _monomials(dim, d)]
    result = np.zeros((len(u), n_systems, dim, len(basis)))
    for column, m in enumerate(basis):
        for j in set(m):
            rest = list(m)
            rest.remove(j)
            result[:, len(m) - 1, j, column] = m.count(j) * u[:, rest].prod(axis=-1)
    return result.reshape(len(u), n_systems * dim, len(basis))
