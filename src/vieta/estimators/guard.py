"""What a method returns is checked before it is believed: methods of other packages may misbehave."""

import numpy as np

from vieta.errors import MethodError
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


def _wrong(method: Method, what: str) -> MethodError:
    return MethodError("method-result", "method {method!r} returned {what}.", method=method.name, what=what)
