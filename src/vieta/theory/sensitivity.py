"""How parameters move with the coefficients, and how large a step the inputs allow."""

import numpy as np
from numpy.typing import ArrayLike

from vieta import symmetric
from vieta.arrays import Floats
from vieta.checks import as_count
from vieta.coefficients import asymptotics
from vieta.coefficients.coefficient_errors import as_design
from vieta.coefficients.input_moments import Moments
from vieta.errors import InputError
from vieta.laws.setting import InputsLike, as_parameters


def root_sensitivity(theta: ArrayLike) -> Floats:
    r"""Derivative of each parameter by each coefficient, (L, L), for systems of one parameter:

    .. math:: \partial\theta_i / \partial\lambda_m = (-\theta_i)^{L-m} / \prod_{j \ne i}(\theta_j - \theta_i), \quad m = 1..L.

    Theorem 6 of the paper, corrected: read as printed it has the wrong sign for odd L, and Eq. senspol is off by
    :math:`(-1)^m`. Rows are in the order given.

    >>> root_sensitivity([1, 4])
    array([[-0.33333333, 0.33333333],
           [ 1.33333333, -0.33333333]])
    """
    parameters = as_parameters(theta)
    if parameters.shape[1] != 1:
        raise InputError(
            "one-parameter-each",
            "`theta` must have one parameter a system, got shape {shape}. For vectors the derivative is that of the transform: "
            "vieta.symmetric.polarized(L, D).sensitivity(theta).",
            shape=parameters.shape,
        )
    return symmetric.root_sensitivity(parameters[:, 0])


def step_bounds(
    inputs: InputsLike | Moments = None, *, n_systems: int, dim: int = 1, transform: str = "auto"
) -> Floats:
    r"""Largest step (L,) of LMS for which the mean square of each degree's error contracts.

    For inputs that are numbers this is exact, :math:`E(1 - \epsilon\psi^{2d})^2 < 1`, that is
    :math:`\epsilon < 2 E\psi^{2d} / E\psi^{4d}`. The paper names no bound.

    Parameters
    ----------
    inputs
        As in `lms_covariance`; of moments there must be 2 L, E psi^2, .., E psi^(4L).
    n_systems, dim
        L and D.

    >>> from vieta.laws.inputs import Gaussian
    >>> step_bounds(Gaussian(), n_systems=3)
    array([0.66666667, 0.05714286, 0.002886 ])
    """
    L, D = as_count(n_systems, "n_systems"), as_count(dim, "dim")
    design, seen = as_design(inputs, L, D, transform, moments=2 * L)
    return np.asarray(asymptotics.step_bounds(design, seen))
