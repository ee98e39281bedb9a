"""Around a method: what it raises is one of our errors, and what it returns is checked before it is believed."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from vieta.errors import ComputationError, MethodError
from vieta.method import registry
from vieta.method.base import Method
from vieta.solution import Solution


@contextmanager
def computing(method: Method) -> Iterator[None]:
    """Run a method; what a method of another package raises is reported by its name."""
    with safely(f"method {method.name!r}"), registry.blamed(method):
        yield


@contextmanager
def safely(what: str) -> Iterator[None]:
    """No floating-point warning escapes, whatever the caller's settings are, nor an error of linear algebra or of memory.

    Results are looked at where they are made: what overflowed is not finite, and is refused or reported.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except np.linalg.LinAlgError as error:
        raise ComputationError(
            "not-computable",
            "{what} met a matrix that cannot be factorized ({reason}). Scale readings and inputs to the order of one, and look for sets "
            "that are far from all others.",
            what=what,
            reason=str(error).rstrip("."),
        ) from None
    except SystemError as error:
        raise _interruption(error) from None
    except MemoryError as error:
        raise ComputationError(
            "out-of-memory",
            "{what} needs more memory than there is ({reason}). Estimate fewer systems or parameters, or give fewer sets at once.",
            what=what,
            reason=str(error).rstrip(".") or "none is left",
        ) from None


def _interruption(error: BaseException) -> BaseException:
    """What a signal raised while a kernel was entered or left, which numba hides behind errors of the interpreter."""
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error


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
