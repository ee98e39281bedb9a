r"""Even moments :math:`E\psi^2, E\psi^4, \dots` of inputs that are numbers: all that the coefficients' errors need."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats
from vieta.coefficients import input_statistics
from vieta.laws.points import Points
from vieta.laws.setting import InputsLike, as_points


def even_moments(inputs: InputsLike, count: int) -> Floats:
    r"""The first `count` even moments of inputs that are numbers: a law, a sample (n,), or None for Psi = I.

    >>> from vieta.laws.inputs import Gaussian
    >>> even_moments(Gaussian(), 4).round(9)  # 1, 3, 3·5, 3·5·7
    array([ 1., 3., 15., 105.])
    """
    points = as_points(inputs, 1)
    if points.psi.ndim > 1:
        raise ValueError("`inputs` must be numbers to have even moments; rows or matrices came.")
    return of_points(points, as_count(count, "count"))


def of_points(points: Points, count: int) -> Floats:
    """(count,) even moments of points that are numbers."""
    return points.weights @ points.psi[:, None] ** np.arange(2, 2 * count + 1, 2)


def as_moments(moments: ArrayLike, needed: int) -> Floats:
    """Even moments that some law can have, at least as many as needed."""
    array = as_floats(moments, "input_moments")
    if array.ndim != 1 or len(array) < needed:
        raise ValueError(
            f"`input_moments` must hold {needed} even moments, from E psi^2 to E psi^{2 * needed}, got shape "
            f"{array.shape}. even_moments(law, {needed}) gives those of a law or of a sample."
        )
    chain = np.concatenate([[1.0], array])
    if np.any(array <= 0.0) or np.any(chain[1:-1] ** 2 > (1.0 + 1e-9) * chain[:-2] * chain[2:]):
        raise ValueError(
            f"`input_moments` must be even moments, E psi^2, E psi^4, ..: positive, with m_i^2 <= m_(i-1) m_(i+1). "
            f"{array.tolist()[:8]} are of no law. If they are inputs, give even_moments(inputs, {needed})."
        )
    return array


def as_seen(moments: Floats) -> input_statistics.State:
    """Inputs with these even moments, as a filter that has seen them remembers them."""
    lanes = np.zeros((input_statistics.LANES, len(moments)))
    lanes[0] = moments
    return input_statistics.State(count=1, counted=1, lanes=lanes, sample=np.zeros((0, 1, 1)), stride=1)


def as_sampled(psi: Floats) -> input_statistics.State:
    """Inputs that are matrices (n, p, D), as a filter that has seen them remembers them."""
    return input_statistics.State(len(psi), 0, np.zeros((input_statistics.LANES, 0)), psi, 1)
