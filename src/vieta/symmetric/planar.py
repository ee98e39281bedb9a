r"""Readings in the plane as complex numbers: L complex coefficients carry everything.

With :math:`y_l = y_{l,1} + i y_{l,2}` the elementary polynomials of complex numbers separate the systems by their
distance in the plane, whatever the direction, and there are no complex pairs to explain away. Closed under inputs
that turn and scale, :math:`\Psi = [[a, -b], [b, a]]`, which multiply by :math:`c = a + ib`.
"""

from collections.abc import Callable

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.errors import NotClosedError
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.roots import roots
from vieta.symmetric.transform import Transform, square_sensitivity


def planar(n_systems: int) -> Transform:
    """The transform of sets of L points of the plane into real and imaginary parts of e_1 .. e_L.

    >>> t = planar(2)
    >>> t.transform(np.array([[1.0, 2.0], [3.0, -1.0]]))  # (1+2i) + (3-i), (1+2i)(3-i)
    array([4., 1., 5., 5.])
    """
    degree = [d for d in range(n_systems + 1) for _ in range(2)]
    terms = []
    for d in range(n_systems):
        here, above = 2 * d, 2 * d + 2
        terms += [Term(0, here, above), Term(0, here + 1, above + 1)]  # times 1
        terms += [Term(1, here, above + 1), Term(1, here + 1, above, -1.0)]  # times i
    algebra = Algebra.from_terms(n_systems, degree, [0], terms, reported=list(range(2, 2 * n_systems + 2)))
    return Transform("planar", algebra, algebra, _gains(n_systems), _solve, square_sensitivity(algebra))


def _gains(n_systems: int) -> Callable[[Floats], list[Floats]]:
    def gains(psi: Floats) -> list[Floats]:
        a, b = psi[:, 0, 0], psi[:, 1, 0]
        turn = np.stack([a, -b, b, a], axis=-1).reshape(-1, 2, 2)
        if not np.all(abs(psi - turn) <= 1e-12 * abs(psi).max(axis=(-1, -2), keepdims=True)):
            raise NotClosedError(
                "planar-not-closed",
                "the planar transform is closed under inputs that turn and scale the plane only, and another matrix was given. Use the "
                "tensor transform, or undo the inputs first (see vieta.symmetric.undo_inputs).",
            )
        return [np.linalg.matrix_power(turn, d) for d in range(1, n_systems + 1)]

    return gains


def _solve(coefficients: Floats) -> Complexes:
    found = roots(coefficients[..., 0::2] + 1j * coefficients[..., 1::2])
    return np.stack([found.real, found.imag], axis=-1).astype(np.complex128)
