"""How good a method is against the bound, and how many sets it takes."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, as_number
from vieta.coefficients.coefficient_errors import least_squares_covariance
from vieta.coefficients.input_moments import even_moments
from vieta.laws.setting import InputsLike, NoiseLike, as_parameters
from vieta.likelihood.cramer_rao import CramerRao, cramer_rao
from vieta.predictions import PerSet
from vieta.theory.labeled_errors import labeled_covariance
from vieta.weighted.weighted_errors import efficient_covariance

LIKELIHOOD = ("likelihood", "one-step", "em", "recursive-em")
COEFFICIENTS = ("least-squares", "averaged", "rls")


@dataclass(frozen=True, slots=True, eq=False)
class Efficiency:
    """The Cramér-Rao bound over a method's asymptotic variance: one at best.

    Attributes
    ----------
    per_parameter : (L, D)
    overall : float
        Of the summed variances.
    stderr : float
        Standard error of `overall`, which the bound has from its simulation.
    """

    per_parameter: Floats
    overall: float
    stderr: float


@dataclass(frozen=True, slots=True, eq=False)
class RecordsNeeded:
    """Sets until an estimate is near enough.

    Attributes
    ----------
    per_parameter : (L, D)
        Sets until this parameter, taken by itself, is within the tolerance with the probability asked for: whole numbers.
    largest : int
        Sets until each of them is.
    stderr : float
        Standard error of `largest`, where it rests on simulated sets (the likelihood); zero where it is exact.
    """

    per_parameter: Floats
    largest: int
    stderr: float


def efficiency(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    method: str = "efficient",
    *,
    draws: int | None = None,
    seed: int = 0,
) -> Efficiency:
    """A method's efficiency in unlabeled sets: the Cramér-Rao bound over its asymptotic variance.

    Parameters
    ----------
    theta, noise, inputs, draws, seed
        As in `cramer_rao`.
    method
        "efficient", "least-squares", "averaged" or "rls" (without forgetting). "one-step", "em" and "recursive-em", or
        "likelihood" for all three, reach the bound when they are told the noise law.

    >>> round(efficiency([0, 3], 1.0, method="least-squares", draws=2000).overall, 1)
    0.9
    """
    if method == "labeled":
        raise ValueError(
            "the efficiency is that of methods without labels: the bound of unlabeled sets is none for an analyst who has "
            "them. Compare labeled_covariance with cramer_rao(..., labeled=True)."
        )
    bound = cramer_rao(theta, noise, inputs, draws=draws, seed=seed)
    if method in LIKELIHOOD:
        return Efficiency(np.ones(bound.theta.shape), 1.0, 0.0)
    variance, least = np.diag(predict(method, theta, noise, inputs).covariance), np.diag(bound.covariance)
    error = float(np.diag(bound.mc_error).sum() / variance.sum())  # at most: as if the entries' errors were one
    return Efficiency((least / variance).reshape(bound.theta.shape), float(least.sum() / variance.sum()), error)


def records_needed(
    theta: ArrayLike,
    noise: NoiseLike,
    tolerance: ArrayLike,
    method: str = "efficient",
    inputs: InputsLike = None,
    *,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
) -> RecordsNeeded:
    r"""How many sets it takes until each parameter is known to plus or minus `tolerance`.

    The least n with :math:`P(|\hat\theta_{li} - \theta_{li}| \le \mathrm{tolerance}) \ge \mathrm{level}` for a normal error
    of the method's asymptotic variance, each parameter by itself and not all at once. Asymptotic means that numbers
    below a few hundred are to be read as "few".

    Parameters
    ----------
    theta, noise, inputs
        As in `efficient_covariance`.
    tolerance : float, (D,) or (L, D)
        Half the width of the interval.
    method
        "efficient", "least-squares", "averaged", "rls" (without forgetting), "labeled"; "one-step", "em", "recursive-em",
        or "likelihood" for all three: they reach the Cramér-Rao bound when they are told the noise law.
    level
        Probability.
    draws, seed
        As in `cramer_rao`, for the likelihood.

    >>> records_needed([4, 5], 4.0, 0.1).largest
    7608
    >>> records_needed([4, 5], 4.0, 0.1, "labeled").largest
    1537
    """
    found = predict(method, theta, noise, inputs, draws=draws, seed=seed)
    shape = found.theta.shape
    quantile = NormalDist().inv_cdf(0.5 + 0.5 * as_number(level, "level", above=0.0, below=1.0))
    width = _as_tolerance(tolerance, shape)
    with np.errstate(over="ignore"):
        exact = np.diag(found.covariance).reshape(shape) * (quantile / width) ** 2
    needed = np.maximum(np.ceil(exact), 1.0)
    if not np.all(np.isfinite(needed)):
        raise ValueError(f"`tolerance` is too small to count the sets that it takes: {tolerance!r}. Give a larger one.")
    error = found.relative_error * needed.max() if isinstance(found, CramerRao) else 0.0
    return RecordsNeeded(needed, int(needed.max()), float(error))


def _as_tolerance(tolerance: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Positive, as one number or an array that fits (L, D)."""
    width = as_floats(tolerance, "tolerance")
    fits = width.ndim <= 2 and all(m in {1, n} for m, n in zip(width.shape[::-1], shape[::-1]))
    if not fits or np.any(width <= 0.0):
        raise ValueError(f"`tolerance` must be positive, one number or an array that fits {shape}, got {tolerance!r}.")
    return width


def predict(
    method: str,
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike,
    *,
    draws: int | None = None,
    seed: int = 0,
) -> PerSet | CramerRao:
    """The asymptotic covariance of a method by name, n times; `draws` and `seed` are for the likelihood."""
    if method in LIKELIHOOD:
        return cramer_rao(theta, noise, inputs, draws=draws, seed=seed)
    if method == "efficient":
        return efficient_covariance(theta, noise, inputs)
    if method == "labeled":
        return labeled_covariance(theta, noise, inputs)
    if method in COEFFICIENTS:
        numbers = inputs is not None and not hasattr(inputs, "draw") and np.ndim(inputs) == 1
        moments = even_moments(inputs, 2 * len(as_parameters(theta)) - 1) if numbers else inputs
        return least_squares_covariance(theta, noise, moments)
    if method == "lms":
        raise ValueError(
            "an LMS filter of constant step is no better after more sets: its error is that of its step, and it has neither "
            "an efficiency nor a number of sets. See lms_covariance; method='averaged' averages it out."
        )
    known = ("efficient", *COEFFICIENTS, *LIKELIHOOD, "labeled")
    raise ValueError(f"method={method!r} is not known here. Choose one of: {', '.join(known)}.")
