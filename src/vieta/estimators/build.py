"""From coefficients, or from parameters, to an Estimate: the inverse, the delta method, and the findings."""

from collections.abc import Callable

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Design
from vieta.estimators import fit_findings as words
from vieta.estimators.estimate import Estimate
from vieta.findings import sentences
from vieta.solution import Solution
from vieta.symmetric import Inverse, canonical_order

LARGEST_COVARIANCE = 400  # coefficients up to which their covariance is worked out


def build(
    design: Design,
    coefficients: Floats,
    noise: Floats,
    covariance: Callable[[Floats], Floats],
    *,
    method: str,
    n_sets: int,
    findings: tuple[str, ...] = (),
) -> Estimate:
    """An Estimate from coefficients (M,), noise covariance (p, p), and the coefficients' covariance given theta."""
    inverse = design.transform.inverse(coefficients)
    if not np.isfinite(inverse.theta).all():
        raise ArithmeticError(
            "the coefficients have no finite parameters: two systems coincide in every direction that was tried. The "
            "data cannot tell them apart; estimate fewer systems."
        )
    cov, told = _covariance(design, inverse, covariance)
    unknown = words.of_unknown_noise(n_sets, len(noise), inverse.theta.shape[1])
    few = unknown or _few_sets(design, n_sets)
    cov = np.full_like(cov, np.nan) if unknown else cov
    noise_var = float(noise[0, 0]) if noise.shape == (1, 1) else noise
    close = () if inverse.is_complex.any() else words.of_close_pairs(inverse.theta, cov)
    return Estimate(
        theta=inverse.theta,
        cov=cov,
        noise_var=noise_var,
        n_sets=n_sets,
        method=method,
        transform=design.transform.name,
        imaginary=inverse.imaginary,
        condition=float(inverse.condition),
        warnings=(*findings, *few, *_complex_pairs(inverse), *close, *told),
    )


def assemble(
    theta: Floats, cov: Floats, noise: Floats, n_sets: int, findings: tuple[str, ...], *, method: str, transform: str
) -> Estimate:
    """An Estimate from parameters (L, D) in any order, their covariance (L D, L D) and that of the noise (p, p)."""
    order = canonical_order(theta)
    D = theta.shape[1]
    index = (order[:, None] * D + np.arange(D)).ravel()
    theta, cov = theta[order], cov[np.ix_(index, index)]
    unknown = words.of_unknown_noise(n_sets, len(noise), D)
    few = unknown or words.of_few_sets(theta.size, n_sets)
    condition = float(np.linalg.cond(cov))
    cov = np.full_like(cov, np.nan) if unknown else cov
    return Estimate(
        theta=theta,
        cov=cov,
        noise_var=float(noise[0, 0]) if noise.shape == (1, 1) else noise,
        n_sets=n_sets,
        method=method,
        transform=transform,
        imaginary=np.zeros_like(theta),
        condition=condition,
        warnings=(*few, *words.of_close_pairs(theta, cov), *findings),
    )


def from_solution(found: Solution, method: str) -> Estimate:
    """An Estimate from what a method returns."""
    noise = found.noise
    return Estimate(
        theta=found.theta,
        cov=found.cov,
        noise_var=float(noise[0, 0]) if noise.shape == (1, 1) else noise,
        n_sets=found.n_sets,
        method=method,
        transform=found.transform,
        imaginary=np.zeros_like(found.theta) if found.imaginary is None else found.imaginary,
        condition=found.condition,
        warnings=sentences(found.findings),
    )


def _covariance(
    design: Design, inverse: Inverse, covariance: Callable[[Floats], Floats]
) -> tuple[Floats, tuple[str, ...]]:
    """Delta method: cov(theta) = G cov(lambda) G' with G = d theta / d lambda."""
    unknown = np.full((inverse.theta.size,) * 2, np.nan)
    if inverse.is_complex.any():
        return unknown, ()
    if design.transform.parameters.size > LARGEST_COVARIANCE:
        return unknown, (
            f"Standard errors were not worked out: the transform has {design.transform.parameters.size:,} "
            f"coefficients, more than {LARGEST_COVARIANCE}.",
        )
    try:
        G = design.transform.sensitivity(inverse.theta)
        cov = G @ covariance(inverse.theta) @ G.T
    except np.linalg.LinAlgError:
        cov = unknown
    if not np.isfinite(cov).all():
        return unknown, ("Standard errors cannot be told: two systems coincide, where the parameters are not smooth.",)
    return 0.5 * (cov + cov.T), ()


def _few_sets(design: Design, n_sets: int) -> tuple[str, ...]:
    unknowns = design.transform.parameters.size
    if n_sets * design.transform.readings.size >= 5 * unknowns and n_sets >= 5:
        return ()
    return (
        f"Very few sets: {n_sets} for {unknowns} coefficients. Standard errors rest on large numbers of sets; "
        "do not rely on them here.",
    )


def _complex_pairs(inverse: Inverse) -> tuple[str, ...]:
    rows = np.flatnonzero(inverse.is_complex)
    if not len(rows):
        return ()
    return (
        f"Systems {_listing(rows)} come out as complex pairs: the noise does not let the data tell them apart yet. "
        "Their real parts are shown, without standard errors. More sets, larger inputs, or fewer systems help.",
    )


def _listing(rows: np.ndarray) -> str:
    return ", ".join(str(int(r) + 1) for r in rows)
