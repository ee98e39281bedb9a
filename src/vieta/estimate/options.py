"""Options of a filter, checked when it is made."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.symmetric.arrays import Floats


def positive_integer(value: int, name: str) -> int:
    """A whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number, 1 or more.")
    return int(value)


def as_steps(step: float | ArrayLike | None, n_systems: int, method: str) -> Floats | None:
    """Steps (L,), or None to have them chosen."""
    if step is None:
        return None
    if method == "rls":
        raise ValueError("step= belongs to 'lms' and 'averaged'; method 'rls' takes forgetting= instead.")
    steps = np.asarray(step, dtype=np.float64)
    if steps.shape not in ((), (n_systems,)) or not (np.isfinite(steps).all() and (steps > 0.0).all()):
        raise ValueError(f"step={step!r} must be a positive number, or {n_systems} of them, one for each degree.")
    return np.array(np.broadcast_to(steps, n_systems))


def as_start(start: ArrayLike | None, n_systems: int, dim: int) -> Floats | None:
    """Parameters (L, D) to start from, or None."""
    if start is None:
        return None
    theta = np.asarray(start, dtype=np.float64)
    if theta.shape == (n_systems,) and dim == 1:
        theta = theta[:, None]
    if theta.shape != (n_systems, dim) or not np.isfinite(theta).all():
        raise ValueError(f"start must be finite parameters of shape ({n_systems}, {dim}); got {np.shape(start)}.")
    return theta


def as_forgetting(forgetting: float, method: str) -> float:
    """The forgetting factor of recursive least squares."""
    if not 0.0 < forgetting <= 1.0:
        raise ValueError(f"forgetting={forgetting!r} must lie above 0 and at most 1; 0.999 remembers about 1,000 sets.")
    if forgetting < 1.0 and method != "rls":
        raise ValueError(f"forgetting= belongs to 'rls'; method {method!r} takes step= instead.")
    return float(forgetting)


def as_regularization(regularization: float | None, method: str) -> float | None:
    """The regularization of recursive least squares, or None."""
    if regularization is None:
        return None
    if method != "rls" or not (np.isfinite(regularization) and regularization > 0.0):
        raise ValueError(f"regularization={regularization!r} must be a positive number, and belongs to 'rls'.")
    return float(regularization)
