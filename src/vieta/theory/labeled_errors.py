r"""Errors of the analyst who has the labels, for comparison: a system alone is a set of one, whose label is known."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_theta
from vieta.coefficients import asymptotics
from vieta.coefficients.coefficient_errors import per_unit_step, require_identified
from vieta.coefficients.design import Design
from vieta.coefficients.input_moments import as_sampled, as_seen, of_points
from vieta.laws.setting import InputsLike, NoiseLike, as_noise, as_points
from vieta.predictions import PerSet, PerStep
from vieta.symmetric import tensor


def labeled_covariance(theta: ArrayLike, noise: NoiseLike, inputs: InputsLike = None) -> PerSet:
    r"""Error of labeled least squares: :math:`G^{-1} E[\Psi' C_l \Psi]\, G^{-1}` for system l, :math:`G = E\Psi'\Psi`.

    Parameters are those of `efficient_covariance`, and the noise may differ from system to system.

    >>> labeled_covariance([4, 5], 4.0).covariance
    array([[4., 0.], [0., 4.]])
    """
    parameters, _, Q, scores = _one_by_one(theta, noise, inputs)
    return PerSet(parameters, _block_diagonal([asymptotics.least_squares_covariance(Q, R, 1.0) for R in scores]))


def labeled_lms_covariance(theta: ArrayLike, noise: NoiseLike, inputs: InputsLike = None) -> PerStep:
    r"""Error of labeled LMS per unit of its step: :math:`\sigma^2/2` for each parameter when inputs are numbers.

    >>> labeled_lms_covariance([4, 5], 4.0).covariance
    array([[2., 0.], [0., 2.]])
    """
    parameters, design, Q, scores = _one_by_one(theta, noise, inputs)
    blocks = [per_unit_step(design, Q, R, np.ones(1)) for R in scores]
    return PerStep(parameters, _block_diagonal(blocks))


def _one_by_one(theta: ArrayLike, noise: NoiseLike, inputs: InputsLike) -> tuple[Floats, Design, Floats, list[Floats]]:
    """Parameters, and for sets of one: the design, Q, and R of each system."""
    parameters = as_theta(theta)
    L, D = parameters.shape
    points = as_points(inputs, D)
    p = points.reading_dim(D)
    design = Design(tensor(1, p, D), "scalar" if points.psi.ndim == 1 else "matrix")
    seen = as_seen(of_points(points, 1)) if points.psi.ndim == 1 else as_sampled(points.psi)
    Q = asymptotics.normal_matrix(design, seen)
    require_identified(Q)
    covariances = as_noise(noise, L, p)
    scores = [asymptotics.score_covariance(design, seen, parameters[[l]], C) for l, C in enumerate(covariances)]
    return parameters, design, Q, scores


def _block_diagonal(blocks: list[Floats]) -> Floats:
    L, D = len(blocks), len(blocks[0])
    full = np.zeros((L, D, L, D))
    full[np.arange(L), :, np.arange(L)] = blocks
    return full.reshape(L * D, L * D)
