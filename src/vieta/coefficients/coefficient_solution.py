r"""From coefficients to parameters: the inverse, the delta method :math:`\mathrm{Cov}\,\theta = G\,\mathrm{Cov}\,\lambda\,G'`, findings."""

from collections.abc import Callable

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients import coefficient_sums
from vieta.coefficients.asymptotics import WORK
from vieta.coefficients.choice import choose_design
from vieta.coefficients.design import Design
from vieta.errors import ComputationError
from vieta.findings import Finding, finding
from vieta.solution import Solution, coincident, unknown_noise
from vieta.sums import Passes
from vieta.symmetric import Inverse

LARGEST_COVARIANCE = 400  # coefficients up to which their covariance is computed; fewer for many systems


def least_squares_solution(passes: Passes, transform: str) -> Solution:
    """Least squares on the coefficients of a transform, in two passes."""
    design = choose_design(transform, passes.like)
    with np.errstate(over="ignore", invalid="ignore"):
        found = coefficient_sums.fit(design, passes)
    return solution(design, found.coefficients, found.noise, lambda _: found.covariance, n_sets=found.n_sets)


def solution(
    design: Design,
    coefficients: Floats,
    noise: Floats,
    covariance: Callable[[Floats], Floats],
    *,
    n_sets: int,
    findings: tuple[Finding, ...] = (),
) -> Solution:
    """A solution from coefficients (M,), noise covariance (p, p), and the coefficients' covariance given theta."""
    inverse = design.transform.inverse(coefficients)
    if not np.isfinite(inverse.theta).all():
        raise ComputationError(
            "no-finite-parameters",
            "the coefficients have no finite parameters: two systems coincide in every direction that was tried. The data cannot tell "
            "them apart; estimate fewer systems.",
        )
    cov, about_cov = _covariance(design, inverse, covariance)
    unknown = unknown_noise(n_sets, len(noise), inverse.theta.shape[1])
    few = unknown or _few_sets(design, n_sets)
    cov = np.full_like(cov, np.nan) if unknown else cov
    close = () if inverse.is_complex.any() else coincident(inverse.theta, cov)
    return Solution(
        theta=inverse.theta,
        cov=cov,
        noise=noise,
        n_sets=n_sets,
        findings=(*findings, *few, *_complex_pairs(inverse), *close, *about_cov),
        transform=design.transform.name,
        imaginary=inverse.imaginary,
        condition=float(inverse.condition),
    )


def _covariance(
    design: Design, inverse: Inverse, covariance: Callable[[Floats], Floats]
) -> tuple[Floats, tuple[Finding, ...]]:
    """Delta method: cov(theta) = G cov(lambda) G' with G = d theta / d lambda."""
    unknown = np.full((inverse.theta.size,) * 2, np.nan)
    M = design.transform.parameters.size
    if inverse.is_complex.any():
        return unknown, ()
    most = min(LARGEST_COVARIANCE, int(np.cbrt(WORK / design.n_systems**2)))
    if most < M:
        return unknown, (finding("covariance-not-computed", coefficients=M, most=most),)
    try:
        G = design.transform.sensitivity(inverse.theta)
        cov = G @ covariance(inverse.theta) @ G.T
    except np.linalg.LinAlgError:
        cov = unknown
    if not np.isfinite(cov).all():
        return unknown, (finding("covariance-singular"),)
    return 0.5 * (cov + cov.T), ()


def _few_sets(design: Design, n_sets: int) -> tuple[Finding, ...]:
    unknowns = design.transform.parameters.size
    if n_sets * design.transform.readings.size >= 5 * unknowns and n_sets >= 5:
        return ()
    return (finding("few-sets-for-coefficients", n_sets=n_sets, unknowns=unknowns),)


def _complex_pairs(inverse: Inverse) -> tuple[Finding, ...]:
    rows = np.flatnonzero(inverse.is_complex)
    return (finding("complex-pair", systems=", ".join(str(int(r) + 1) for r in rows)),) if len(rows) else ()
