"""The likelihood methods on all sets as the facade drives them: "one-step" and "em"."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.estimators import fit_findings
from vieta.estimators.build import assemble
from vieta.estimators.estimate import Estimate
from vieta.findings import sentences
from vieta.laws.noise import Scaled
from vieta.likelihood.assumed import Assumed, assume
from vieta.likelihood.expectation import fit as fit_em
from vieta.likelihood.expectation import parted
from vieta.likelihood.scoring import OneStep, conclude
from vieta.likelihood.scoring import fit as fit_step
from vieta.options import as_start
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted import solve, weighted_findings


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
            return from_step(data, fit_step(data, noise), noise, method)
        return _by_em(data, noise, as_start(start, data.n_systems, data.dim))


def _by_em(data: Data, noise: Assumed, start: Floats | None) -> Estimate:
    symmetric = solve.fit(in_memory(data))
    found = fit_em(data, noise, parted(data, symmetric) if start is None else start)
    theta = matched(found.theta, symmetric.theta)
    words = fit_findings.of_iterations(len(found.log_likelihood) - 1, found.converged, found.halted)
    return from_step(data, conclude(data, symmetric, theta, found.law, noise.known), noise, "em", words)


def from_step(
    data: Data, found: OneStep, noise: Assumed, method: str, words: tuple[str, ...] = (), prior: bool = False
) -> Estimate:
    """An Estimate from a likelihood estimate, with what the symmetric one beside it tells; `prior`: it rests on one."""
    told = (
        *words,
        *_doubts(data, found, noise, prior),
        *sentences(weighted_findings.of_fit(in_memory(data), found.symmetric, robust=False)),
    )
    return assemble(
        found.theta,
        found.cov,
        covariance(found.law, data.reading_dim),
        len(data.sets),
        told,
        method=method,
        transform="likelihood",
    )


def _doubts(data: Data, found: OneStep, noise: Assumed, prior: bool) -> tuple[str, ...]:
    """What speaks against the law, the variance that was given, and the prior; very few sets cannot tell."""
    N = len(data.sets)
    if fit_findings.of_few_sets(found.theta.size, N):
        return ()
    size = fit_findings.of_size(found.law, found.symmetric.noise, N) if noise.known else ()
    about_prior = fit_findings.of_prior(found.contrast) if prior else ()
    return (*fit_findings.of_law(found.contrast, found.law), *size, *about_prior)


def covariance(law: Scaled, p: int) -> Floats:
    """(p, p) covariance of a law's noise."""
    variance = np.asarray(law.variance)
    return variance if variance.ndim == 2 else np.asarray(variance * np.eye(p))


def matched(theta: Floats, like: Floats) -> Floats:
    """Rows of parameters in the order in which they are nearest to those of others."""
    from scipy.optimize import linear_sum_assignment

    distance = ((like[:, None] - theta[None, :]) ** 2).sum(axis=-1)
    return theta[linear_sum_assignment(distance)[1]]
