"""Options of a filter, checked when it is made."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats


def positive_integer(value: int, name: str) -> int:
    """A whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number, 1 or more.")
    return int(value)


def as_steps(step: ArrayLike, count: int) -> Floats:
    """One positive step for each of `count` degrees; a single number serves all."""
    many = f", or {count} of them, one for each degree" if count > 1 else ""
    needed = f"step={step!r} must be a positive finite number{many}. Try 1e-3 and go down from there."
    steps = _numbers(step, needed)
    if steps.shape not in ((), (count,)) or not (np.isfinite(steps).all() and (steps > 0.0).all()):
        raise ValueError(needed)
    return np.array(np.broadcast_to(steps, count))


def as_start(start: ArrayLike | None, n_systems: int, dim: int) -> Floats | None:
    """Parameters (L, D) to start from, or None."""
    if start is None:
        return None
    needed = f"start must be finite parameters of shape ({n_systems}, {dim}); got"
    theta = _numbers(start, f"{needed} {start!r}.")
    if theta.shape == (n_systems,) and dim == 1:
        theta = theta[:, None]
    if theta.shape != (n_systems, dim) or not np.isfinite(theta).all():
        raise ValueError(f"{needed} {np.shape(start)}.")
    return theta


BELONGS = {
    "efficient": {"memory", "drift", "robust"},
    "rls": {"transform", "memory", "start", "regularization"},
    "lms": {"transform", "step", "start"},
    "averaged": {"transform", "step", "start"},
    "recursive-em": {"law", "noise_var", "prior", "step", "start"},
    "em": {"law", "noise_var", "start"},
    "one-step": {"law", "noise_var"},
}


def require_belongs(method: str, given: set[str]) -> None:
    """Raise for options that a method does not have."""
    for name in sorted(given - BELONGS[method]):
        owners = " and ".join(repr(other) for other, names in BELONGS.items() if name in names)
        raise ValueError(
            f"{name}= belongs to {owners}; method {method!r} takes {', '.join(f'{n}=' for n in sorted(BELONGS[method]))}."
        )


def as_forgetting(memory: float | None) -> float:
    """The factor by which old sets lose weight, 1 - 1/memory; 1 to remember all."""
    if memory is None:
        return 1.0
    needed = f"memory={memory!r} must be a number of sets above 1; 1000 remembers about the last thousand."
    number = _numbers(memory, needed)
    if number.ndim or not (np.isfinite(number) and number > 1.0):
        raise ValueError(needed)
    return float(1.0 - 1.0 / number)


def as_drift(drift: ArrayLike | None, n_systems: int, dim: int) -> Floats:
    """Covariance (L D, L D) that a random walk adds at each set; empty for none."""
    if drift is None:
        return np.empty((0, 0))
    needed = f"drift={drift!r} must be a positive variance a set, or {dim} of them, one for each parameter."
    variances = _numbers(drift, needed)
    if variances.shape not in ((), (dim,)) or not (np.isfinite(variances).all() and (variances > 0.0).all()):
        raise ValueError(needed)
    return np.diag(np.tile(np.broadcast_to(variances, dim), n_systems))


def as_cap(robust: bool) -> float:
    """Bound on a set's influence, in units of its expected size."""
    return 2.0 if robust else float("inf")


def as_regularization(regularization: float | None) -> float | None:
    """The regularization of recursive least squares, or None."""
    if regularization is None:
        return None
    needed = f"regularization={regularization!r} must be a positive number."
    number = _numbers(regularization, needed)
    if number.ndim or not (np.isfinite(number) and number > 0.0):
        raise ValueError(needed)
    return float(number)


def _numbers(value: ArrayLike, needed: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(needed) from None
