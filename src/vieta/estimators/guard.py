"""What a method returns is checked before it is believed: methods of other packages may misbehave."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from vieta.errors import ComputationError, MethodError
from vieta.method.base import Method
from vieta.solution import Solution


def checked_solution(solution: object, method: Method, n_systems: int, dim: int) -> Solution:
    """The solution, if it is one of the right shapes; an error that names the method otherwise."""
    if not isinstance(solution, Solution):
        raise _wrong(method, f"a {type(solution).__name__} where a vieta.solution.Solution is needed")
    n = n_systems * dim
    shapes = {
        "theta": (np.shape(solution.theta), (n_systems, dim)),
        "cov": (np.shape(solution.cov), (n, n)),
    }
    for name, (given, needed) in shapes.items():
        if given != needed:
            raise _wrong(method, f"{name} of shape {given} where {needed} is needed")
    if np.ndim(solution.noise) != 2:
        raise _wrong(method, f"noise of shape {np.shape(solution.noise)} where (p, p) is needed")
    if not np.isfinite(solution.theta).all():
        raise _wrong(method, "parameters that are not finite")
    return solution


@contextmanager
def solvable() -> Iterator[None]:
    """Say in our words that equations have no solution in floating point: numbers are too large, or too far apart, for it."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise ComputationError(
            "not-solvable",
            "the equations of the filter cannot be solved: {reason}. Scale readings and inputs to the order of one, or begin with another "
            "filter.",
            reason=str(error).rstrip("."),
        ) from None


def _wrong(method: Method, what: str) -> MethodError:
    return MethodError("method-result", "method {method!r} returned {what}.", method=method.name, what=what)
