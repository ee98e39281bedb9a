"""Compilation of kernels on first use, so that importing the package stays fast."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def compile_now(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Machine code for a numeric function; kept on disk, so that a second process does not compile again."""
    from numba import njit

    return njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)


def inlined(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same for a part of kernels: its code becomes part of whatever calls it, which saves the call of a short function."""
    from numba import njit

    return njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, forceinline=True)(function)


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a numeric function so that its first call compiles it.

    >>> @kernel
    ... def double(x: float) -> float:
    ...     return 2.0 * x
    >>> double.__name__
    'double'
    """

    @functools.cache
    def machine_code() -> Callable[_P, _R]:
        return compile_now(function)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return machine_code()(*args, **kwargs)

    return call
