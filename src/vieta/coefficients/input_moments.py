r"""Even moments :math:`E\psi^2, E\psi^4, \dots` of inputs that are numbers: all that the coefficients' errors need."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats, frozen
from vieta.coefficients import input_statistics
from vieta.errors import InputError
from vieta.laws.points import Points
from vieta.laws.setting import InputsLike, as_points


@dataclass(frozen=True)
class Moments:
    r"""Inputs that are numbers, known by their even moments :math:`E\psi^2, E\psi^4, \dots` only; to give as `inputs`.

    >>> Moments([1, 3, 15]).values  # of a standard normal law
    (1.0, 3.0, 15.0)
    """

    values: ArrayLike

    def __post_init__(self) -> None:
        array = as_floats(self.values, "values")
        if array.ndim != 1 or array.size == 0:
            raise InputError(
                "moments-shape",
                "even moments of inputs must be one list, E psi^2, E psi^4, .., got shape {shape}.",
                shape=array.shape,
            )
        chain = np.concatenate([[1.0], array])
        if np.any(array <= 0.0) or np.any(chain[1:-1] ** 2 > (1.0 + 1e-9) * chain[:-2] * chain[2:]):
            raise InputError(
                "not-moments",
                "even moments of inputs, E psi^2, E psi^4, .., must be positive, with m_i^2 <= m_(i-1) m_(i+1). {given} are of no law. "
                "If they are inputs, give them as an array.",
                given=array.tolist()[:8],
            )
        object.__setattr__(self, "values", frozen(array))

    def at_least(self, needed: int) -> Floats:
        """All of them, if there are as many as needed."""
        array = np.asarray(self.values)
        if len(array) < needed:
            raise InputError(
                "moments-too-few",
                "{needed} even moments of the inputs are needed, from E psi^2 to E psi^{highest}, and {given} were given. even_moments "
                "computes those of a law or of a sample.",
                needed=needed,
                highest=2 * needed,
                given=len(array),
            )
        return array


def even_moments(inputs: InputsLike, count: int) -> Floats:
    r"""The first `count` even moments of inputs that are numbers: a law, a sample (n,), or None for Psi = I.

    >>> from vieta.laws.inputs import Gaussian
    >>> even_moments(Gaussian(), 4).round(9)  # 1, 3, 3·5, 3·5·7
    array([ 1., 3., 15., 105.])
    """
    points = as_points(inputs, 1)
    if points.psi.ndim > 1:
        raise InputError(
            "inputs-not-numbers", "`inputs` must be numbers to have even moments; rows or matrices were given."
        )
    return of_points(points, as_count(count, "count"))


def of_points(points: Points, count: int) -> Floats:
    """(count,) even moments of points that are numbers."""
    return points.weights @ points.psi[:, None] ** np.arange(2, 2 * count + 1, 2)


def as_seen(moments: Floats) -> input_statistics.State:
    """Inputs with these even moments, as a filter that has seen them remembers them."""
    lanes = np.zeros((input_statistics.LANES, len(moments)))
    lanes[0] = moments
    return input_statistics.State(count=1, counted=1, lanes=lanes, sample=np.zeros((0, 1, 1)), stride=1)


def as_sampled(psi: Floats) -> input_statistics.State:
    """Inputs that are matrices (n, p, D), as a filter that has seen them remembers them."""
    return input_statistics.State(len(psi), 0, np.zeros((input_statistics.LANES, 0)), psi, 1)
