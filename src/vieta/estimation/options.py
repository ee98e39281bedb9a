"""Options of a filter, checked when it is made."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.symmetric.arrays import Floats


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


def as_forgetting(forgetting: float, method: str) -> float:
    """The forgetting factor of recursive least squares."""
    needed = f"forgetting={forgetting!r} must lie above 0 and at most 1; 0.999 remembers about 1,000 sets."
    number = _numbers(forgetting, needed)
    if number.ndim or not 0.0 < number <= 1.0:
        raise ValueError(needed)
    if number < 1.0 and method != "rls":
        raise ValueError(f"forgetting= belongs to 'rls'; method {method!r} takes step= instead.")
    return float(number)


def as_regularization(regularization: float | None, method: str) -> float | None:
    """The regularization of recursive least squares, or None."""
    if regularization is None:
        return None
    needed = f"regularization={regularization!r} must be a positive number, and belongs to 'rls'."
    number = _numbers(regularization, needed)
    if method != "rls" or number.ndim or not (np.isfinite(number) and number > 0.0):
        raise ValueError(needed)
    return float(number)


def _numbers(value: ArrayLike, needed: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(needed) from None
