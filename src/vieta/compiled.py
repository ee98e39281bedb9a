"""Compilation of kernels on first use, so that importing the package stays fast."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

_known: dict[str, Callable[..., Any]] = {}
_listeners: list[Callable[[str], object]] = []
_compiling: list[str] = []  # a kernel, and the one that it calls, which is compiled first


def compile_now(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Machine code for a numeric function; kept on disk, so that a second process does not compile again."""
    return _compiled(function, inline=False)


def inlined(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same for a part of kernels: its machine code becomes part of whatever calls it, which spares short functions the call."""
    return _compiled(function, inline=True)


def _compiled(function: Callable[_P, _R], *, inline: bool) -> Callable[_P, _R]:
    from numba import njit

    from vieta.kernel_cache import KernelCache

    _note(function)
    dispatcher: Any = njit(nogil=True, error_model="numpy", forceinline=inline, no_cfunc_wrapper=True)(function)
    dispatcher._cache = KernelCache(function, lambda: _begin(function.__name__), _end)
    return dispatcher  # type: ignore[no-any-return]


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a numeric function so that its first call compiles it.

    >>> @kernel
    ... def double(x: float) -> float:
    ...     return 2.0 * x
    >>> double.__name__
    'double'
    """
    _note(function)

    @functools.cache
    def machine_code() -> Callable[_P, _R]:
        return compile_now(function)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return machine_code()(*args, **kwargs)

    return call


@contextmanager
def telling(listener: Callable[[str], object]) -> Iterator[None]:
    """Call `listener` with the name of what is being compiled, and with an empty text when nothing is any more."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _begin(name: str) -> None:
    _compiling.append(name)
    _tell()


def _end() -> None:
    _compiling.pop()
    _tell()


def _tell() -> None:
    for listener in _listeners:
        listener(_compiling[-1] if _compiling else "")


def known_kernels() -> dict[str, Callable[..., Any]]:
    """The kernels of all modules that are imported, by their names."""
    return dict(_known)


def _note(function: Callable[..., Any]) -> None:
    if "<locals>" not in function.__qualname__:
        _known[f"{function.__module__}.{function.__qualname__}"] = function
