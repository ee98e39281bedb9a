r"""The paper's counter-example: the scalar transform applied to each coordinate on its own.

:math:`\bar z_{d,j} = e_d(y_{1,j}, \dots, y_{L,j})`. It forgets which coordinates belong together, so that what comes
back is every coordinate's values in sorted order: "ghost" systems. Kept for comparison; not a method to use.
"""

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.roots import roots
from vieta.symmetric.transform import Transform, square_sensitivity


def naive(n_systems: int, dim: int) -> Transform:
    """The element-wise transform, with the element-wise powers of Psi as its (in general wrong) regressors.

    For Psi = c I the regressors c^d are right. For a general Psi the true model of a coordinate has the cross terms
    psi_ji psi_jk as well; leaving them out is what makes the ghosts of the paper's Example 3.

    >>> naive(2, 2).inverse(naive(2, 2).transform(np.array([[-2.0, 6.0], [4.0, 5.0]]))).theta.round(12)
    array([[-2.,  5.],
           [ 4.,  6.]])
    """
    index = {(d, j): d * dim + j for d in range(n_systems + 1) for j in range(dim)}
    terms = [Term(j, index[d, j], index[d + 1, j]) for d in range(n_systems) for j in range(dim)]
    algebra = Algebra.from_terms(
        n_systems,
        [d for d, _ in index],
        [index[0, j] for j in range(dim)],
        terms,
        reported=[r for (d, _), r in index.items() if d > 0],
    )

    def gains(psi: Floats) -> list[Floats]:
        return [psi**d for d in range(1, n_systems + 1)]

    def solve(coefficients: Floats) -> Complexes:
        by_coordinate = np.swapaxes(coefficients.reshape(-1, n_systems, dim), -1, -2)
        return np.swapaxes(np.sort_complex(roots(by_coordinate)), -1, -2)

    return Transform("naive", algebra, algebra, gains, solve, square_sensitivity(algebra))
