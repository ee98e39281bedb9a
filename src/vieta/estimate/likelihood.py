"""The likelihood methods on all sets as the facade drives them: "one-step" and "em"."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.estimate import findings
from vieta.estimate.build import assemble
from vieta.estimate.result import Estimate
from vieta.estimation.data import Data
from vieta.estimation.efficient import batch
from vieta.estimation.options import as_start
from vieta.likelihood.em import fit as fit_em
from vieta.likelihood.em import parted
from vieta.likelihood.laws import Assumed, assume
from vieta.likelihood.one_step import OneStep, conclude
from vieta.likelihood.one_step import fit as fit_step
from vieta.simulation.noise import Scaled
from vieta.symmetric.arrays import Floats


def fit(
    data: Data,
    method: str,
    *,
    law: str | Scaled = "gaussian",
    noise_var: ArrayLike | str | None = None,
    start: ArrayLike | None = None,
) -> Estimate:
    """The estimate of a likelihood method from all sets at once."""
    noise = assume(law, noise_var)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are refused in words
        if method == "one-step":
            return from_step(data, fit_step(data, noise), method)
        return _by_em(data, noise, as_start(start, data.n_systems, data.dim))


def _by_em(data: Data, noise: Assumed, start: Floats | None) -> Estimate:
    symmetric = batch.fit(data)
    found = fit_em(data, noise, parted(data, symmetric) if start is None else start)
    theta = matched(found.theta, symmetric.theta)
    words = findings.of_iterations(len(found.log_likelihood) - 1, found.converged, found.halted)
    return from_step(data, conclude(data, symmetric, theta, found.law, noise.known), "em", words)


def from_step(data: Data, found: OneStep, method: str, words: tuple[str, ...] = ()) -> Estimate:
    """An Estimate from a likelihood estimate, with what the symmetric one beside it tells."""
    told = (*words, *findings.of_law(found.contrast, found.law), *findings.of_fit(data, found.symmetric, robust=False))
    return assemble(
        found.theta,
        found.cov,
        covariance(found.law, data.reading_dim),
        len(data.sets),
        told,
        method=method,
        transform="likelihood",
    )


def covariance(law: Scaled, p: int) -> Floats:
    """(p, p) covariance of a law's noise."""
    variance = np.asarray(law.variance)
    return variance if variance.ndim == 2 else np.asarray(variance * np.eye(p))


def matched(theta: Floats, like: Floats) -> Floats:
    """Rows of parameters in the order in which they are nearest to those of others."""
    from scipy.optimize import linear_sum_assignment

    distance = ((like[:, None] - theta[None, :]) ** 2).sum(axis=-1)
    return theta[linear_sum_assignment(distance)[1]]
