"""How good a method is against the bound, and how many sets it takes."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, as_number
from vieta.errors import InputError
from vieta.laws.setting import InputsLike, NoiseLike
from vieta.likelihood.cramer_rao import CramerRao, cramer_rao
from vieta.method import registry
from vieta.predictions import Prediction, Setting
from vieta.theory.labeled_errors import labeled_covariance

LABELED = "labeled"  # the analyst who has the labels: no method of ours


@dataclass(frozen=True, slots=True, eq=False)
class Efficiency:
    """The Cramér-Rao bound over a method's asymptotic variance: one at best.

    Attributes
    ----------
    per_parameter : (L, D)
    overall : float
        Of the summed variances.
    mc_error : float
        Standard error of `overall`, which the bound has from its simulation.
    """

    per_parameter: Floats
    overall: float
    mc_error: float


@dataclass(frozen=True, slots=True, eq=False)
class RecordsNeeded:
    """Sets until an estimate is near enough.

    Attributes
    ----------
    per_parameter : (L, D)
        Sets until this parameter, taken by itself, is within the tolerance with the wanted probability: whole numbers.
    largest : int
        Sets until each of them is.
    mc_error : float
        Standard error of `largest`, where it rests on simulated sets (the likelihood); zero where it is exact.
    """

    per_parameter: Floats
    largest: int
    mc_error: float


def efficiency(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    method: str | None = None,
    draws: int | None = None,
    seed: int = 0,
) -> Efficiency:
    """A method's efficiency in unlabeled sets: the Cramér-Rao bound over its asymptotic variance.

    Parameters
    ----------
    theta, noise, inputs, draws, seed
        As in `cramer_rao`.
    method
        A method of `vieta.methods()` whose error is known; the default one if absent. Filters remember all sets here. Likelihood
        methods reach the bound when they know the noise law.

    >>> round(efficiency([0, 3], 1.0, method="least-squares", draws=2000).overall, 1)
    0.9
    """
    if method == LABELED:
        raise InputError(
            "efficiency-labeled",
            "the efficiency is that of methods without labels: the bound of unlabeled sets is none for an analyst who has them. "
            "Compare labeled_covariance with the bound that cramer_rao has for labeled sets.",
        )
    found = predict(theta, noise, inputs, method=method, draws=draws, seed=seed)
    if isinstance(found, CramerRao):
        return Efficiency(np.ones(found.theta.shape), 1.0, 0.0)
    bound = cramer_rao(theta, noise, inputs, draws=draws, seed=seed)
    variance, least = np.diag(found.covariance), np.diag(bound.covariance)
    error = float(np.diag(bound.mc_error).sum() / variance.sum())  # at most: as if the entries' errors were one
    return Efficiency((least / variance).reshape(bound.theta.shape), float(least.sum() / variance.sum()), error)


def records_needed(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    tolerance: ArrayLike,
    method: str | None = None,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
) -> RecordsNeeded:
    r"""How many sets it takes until each parameter is known to plus or minus `tolerance`.

    The least n with :math:`P(|\hat\theta_{li} - \theta_{li}| \le \mathrm{tolerance}) \ge \mathrm{level}` for a normal error
    of the method's asymptotic variance, each parameter by itself and not all together. Asymptotic means that numbers
    below a few hundred are to be read as "few".

    Parameters
    ----------
    theta, noise, inputs
        As in `efficient_covariance`.
    tolerance : float, (D,) or (L, D)
        Half the width of the interval.
    method
        As in `efficiency`; or "labeled", for least squares of an analyst who has the labels.
    level
        Probability.
    draws, seed
        As in `cramer_rao`, for the likelihood.

    >>> records_needed([4, 5], 4.0, tolerance=0.1).largest
    7608
    >>> records_needed([4, 5], 4.0, tolerance=0.1, method="labeled").largest
    1537
    """
    found = predict(theta, noise, inputs, method=method, draws=draws, seed=seed)
    shape = found.theta.shape
    quantile = NormalDist().inv_cdf(0.5 + 0.5 * as_number(level, "level", above=0.0, below=1.0))
    width = _as_tolerance(tolerance, shape)
    with np.errstate(over="ignore"):
        exact = np.diag(found.covariance).reshape(shape) * (quantile / width) ** 2
    needed = np.maximum(np.ceil(exact), 1.0)
    if not np.all(np.isfinite(needed)):
        raise InputError(
            "tolerance-too-small",
            "`tolerance` is too small to count the sets that it takes: {tolerance!r}. Give a larger one.",
            tolerance=tolerance,
        )
    error = found.relative_error * needed.max() if isinstance(found, CramerRao) else 0.0
    return RecordsNeeded(needed, int(needed.max()), float(error))


def predict(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    method: str | None = None,
    draws: int | None = None,
    seed: int = 0,
) -> Prediction:
    """n times the asymptotic covariance of a method by name; `draws` and `seed` are for the likelihood."""
    if method == LABELED:
        return labeled_covariance(theta, noise, inputs)
    one = registry.get(registry.default() if method is None else method)
    with registry.blamed(one):
        return one.predict(Setting(theta, noise, inputs, draws, seed))


def _as_tolerance(tolerance: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Positive, as one number or an array that fits (L, D)."""
    width = as_floats(tolerance, "tolerance")
    fits = width.ndim <= 2 and all(m in {1, n} for m, n in zip(width.shape[::-1], shape[::-1]))
    if not fits or np.any(width <= 0.0):
        raise InputError(
            "tolerance-range",
            "`tolerance` must be positive, one number or an array that fits {shape}, got {tolerance!r}.",
            shape=shape, tolerance=tolerance,
        )  # fmt: skip
    return width
