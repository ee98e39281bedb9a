r"""Sets of vectors seen along a direction: sets of numbers, for what is known for numbers alone.

.. math:: u'y_l(k) = (\Psi(k)'u)'\theta_l + u'v_l(k) .

Where the rows :math:`\Psi(k)'u` do not fill :math:`R^D`, as under constant inputs, parameters are seen in a basis B of what they fill:
:math:`\theta_l \to B'\theta_l`.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.sum_regression import SumRegression, as_matrices, regress
from vieta.weighted.vector_planes import spread_directions

SPANNED = 1e-9  # of the largest second moment of the rows, that counts as none
EXTRA = 2  # times as many directions as a symmetric matrix has entries


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Sets along a direction u (p,), with a basis B (D, d) of their rows, and the regression of their sums."""

    passes: Passes
    direction: Floats
    basis: Floats
    regression: SumRegression

    def parameters(self, theta: Floats) -> Floats:
        """(L, d) parameters (L, D) as they are seen."""
        return plain(theta @ self.basis)

    def block(self, data: Data) -> Data:
        """A block as it is seen."""
        return _projected(data, self.direction, self.basis)


def view(passes: Passes, direction: Floats) -> View:
    """The sets along a direction (p,)."""

    def moments(block: Data, _: int) -> Floats:
        rows = np.einsum("p,npd->nd", direction, as_matrices(block))
        return np.asarray(rows.T @ rows)

    values, vectors = np.linalg.eigh(passes.total(moments))
    basis = plain(vectors[:, values > SPANNED * values[-1]])
    like = _projected(passes.like, direction, basis)
    seen = passes.changed(like, lambda block: _projected(block, direction, basis))
    return View(seen, direction, basis, regress(seen))


def _projected(data: Data, u: Floats, basis: Floats) -> Data:
    readings = np.sort(data.sets @ u, axis=1)
    rows = np.einsum("p,npd->nd", u, as_matrices(data)) @ basis
    return Data(plain(readings[:, :, None]), plain(rows[:, None, :]), basis.shape[1])


def many_directions(p: int) -> Floats:
    """(n, p) unit vectors, more than a symmetric matrix (p, p) has entries.

    >>> many_directions(2).shape
    (6, 2)
    """
    return spread_directions(p, EXTRA * comb(p + 1, 2))


def squares(u: Floats) -> Floats:
    """(n, p (p + 1) / 2) what multiplies the entries of a symmetric matrix S, upper triangle, in u'Su.

    >>> squares(np.array([[1.0, 2.0]]))
    array([[1., 4., 4.]])
    """
    row, column = np.triu_indices(u.shape[1])
    return np.asarray(u[:, row] * u[:, column] * np.where(row == column, 1.0, 2.0))
