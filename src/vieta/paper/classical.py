r"""Classical least mean squares, one filter a system: the recursion under `labeled_lms` and `unordered_lms`.

.. math:: \theta_l(k+1) = \theta_l(k) + \epsilon\, \Psi'(k) \bigl(y_l(k) - \Psi(k)\,\theta_l(k)\bigr).

Eq. LMSclassical of the paper, which prints :math:`\Psi` where :math:`\Psi'` belongs: as printed it is no gradient
unless :math:`\Psi` is symmetric, and with a skew :math:`\Psi` it runs away from the parameters.
"""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients.lms_recursion import recur
from vieta.paper.path import Guard, Path, follow
from vieta.paper.regression import from_columns, one_step, regression, start_or_zeros, to_columns
from vieta.sets import Data


def classical_lms(data: Data, step: float, start: ArrayLike | None, record_every: int | None) -> Path:
    """Run L filters side by side on rows that are taken to be in the same order at all times."""
    epsilon = one_step(step)
    theta = start_or_zeros(start, data)
    guard = Guard.of(data, theta, _advice(data))
    gains, readings = regression(data)

    def advance(columns: Floats, piece: slice) -> Floats:
        columns = columns.copy()
        recur(columns, np.zeros_like(columns), gains[piece], readings[piece], epsilon)
        guard.check(from_columns(data, columns), piece.stop)
        return columns

    index, columns = follow(advance, to_columns(data, theta), len(data.sets), record_every)
    return Path(index, from_columns(data, columns))


def _advice(data: Data) -> str:
    """A step that cannot diverge: each update is then a contraction, whatever the inputs do next."""
    largest = float(np.square(data.inputs).reshape(len(data.inputs), -1).sum(axis=1).max())
    return f"Use a smaller step; below 2 / max |Psi|² = {2.0 / max(largest, 1e-300):.3g} it cannot diverge."
