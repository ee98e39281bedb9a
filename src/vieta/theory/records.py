"""How good a method is against the bound, and how many sets it takes."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from vieta.simulation.checks import as_floats, as_number
from vieta.symmetric.arrays import Floats, Integers
from vieta.theory.bound import CramerRao, cramer_rao
from vieta.theory.coefficients import least_squares_covariance
from vieta.theory.efficient import efficient_covariance
from vieta.theory.labeled import labeled_covariance
from vieta.theory.moments import even_moments
from vieta.theory.prediction import PerSet
from vieta.theory.setting import InputsLike, NoiseLike


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
        Sets until this parameter, taken by itself, is within the tolerance with the probability asked for.
    largest : int
        Sets until each of them is.
    """

    per_parameter: Integers
    largest: int


def efficiency(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    method: str = "efficient",
    *,
    draws: int = 100_000,
    seed: int = 0,
) -> Efficiency:
    """A method's efficiency in unlabeled sets: the Cramér-Rao bound over its asymptotic variance.

    Parameters
    ----------
    theta, noise, inputs, draws, seed
        As in `cramer_rao`.
    method
        "efficient", "least-squares", "averaged" or "rls" (without forgetting).

    >>> round(efficiency([0, 3], 1.0, method="least-squares", draws=2000).overall, 1)
    0.9
    """
    found = predict(method, theta, noise, inputs)
    bound = cramer_rao(theta, noise, inputs, draws=draws, seed=seed)
    variance, least = np.diag(found.covariance), np.diag(bound.covariance)
    error = float(np.diag(bound.stderr).sum() / variance.sum())  # at most: as if the entries' errors were one
    return Efficiency((least / variance).reshape(bound.theta.shape), float(least.sum() / variance.sum()), error)


def records_needed(
    theta: ArrayLike,
    noise: NoiseLike,
    tolerance: ArrayLike,
    method: str = "efficient",
    inputs: InputsLike = None,
    *,
    level: float = 0.95,
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
        "efficient", "least-squares", "averaged", "rls", "likelihood" (the bound, which maximum likelihood reaches when it
        is told the noise law), or "labeled".
    level
        Probability.

    >>> records_needed([4, 5], 4.0, 0.1).largest
    7608
    >>> records_needed([4, 5], 4.0, 0.1, "labeled").largest
    1537
    """
    found = predict(method, theta, noise, inputs)
    variance = np.diag(found.covariance).reshape(found.theta.shape)
    width = as_floats(tolerance, "tolerance")
    if width.ndim > 2 or np.any(width <= 0.0) or np.broadcast_shapes(width.shape, variance.shape) != variance.shape:
        raise ValueError(
            f"`tolerance` must be positive, one number or an array that fits {variance.shape}, got {tolerance!r}."
        )
    quantile = NormalDist().inv_cdf(0.5 + 0.5 * as_number(level, "level", above=0.0, below=1.0))
    needed = np.maximum(np.ceil(variance * (quantile / width) ** 2), 1.0).astype(np.int64)
    return RecordsNeeded(needed, int(needed.max()))


def predict(method: str, theta: ArrayLike, noise: NoiseLike, inputs: InputsLike) -> PerSet | CramerRao:
    """The asymptotic covariance of a method by name, n times."""
    if method in {"least-squares", "averaged", "rls"}:
        numbers = inputs is not None and not hasattr(inputs, "draw") and np.ndim(inputs) == 1
        moments = even_moments(inputs, 2 * np.shape(theta)[0] - 1) if numbers else inputs
        return least_squares_covariance(theta, noise, moments)
    methods: dict[str, Callable[[ArrayLike, NoiseLike, InputsLike], PerSet | CramerRao]] = {
        "efficient": efficient_covariance,
        "likelihood": cramer_rao,
        "labeled": labeled_covariance,
    }
    if method == "lms":
        raise ValueError(
            "an LMS filter of constant step is no better after more sets: its error is that of its step, and it has neither "
            "an efficiency nor a number of sets. See lms_covariance; method='averaged' averages it out."
        )
    if method not in methods:
        raise ValueError(
            f"method={method!r} is not known here. Choose one of: efficient, least-squares, averaged, rls, likelihood, labeled."
        )
    return methods[method](theta, noise, inputs)
