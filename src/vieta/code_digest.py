"""A digest of all the code that goes into a kernel: its own, that of every kernel that it calls, and the constants of both.

Machine code holds what a kernel calls and the constants that it names, of whatever file they are. So compiled code is that of a kernel if
the digests agree, and not if the file of the kernel is unchanged.
"""

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def code_digest(function: Callable[..., Any]) -> str:
    """The digest of a function.

    >>> def double(x: float) -> float:
    ...     return 2.0 * x
    >>> def triple(x: float) -> float:
    ...     return 3.0 * x
    >>> code_digest(double) == code_digest(double), code_digest(double) == code_digest(triple)
    (True, False)
    """
    digest = hashlib.sha256()
    for piece in _pieces(function, set()):
        digest.update(repr(piece).encode())
    return digest.hexdigest()[:16]


def _pieces(value: Any, seen: set[int]) -> Iterator[object]:
    """What a value tells a compiler."""
    function = getattr(value, "py_func", value)  # of a kernel
    if isinstance(function, FunctionType):
        if id(function) in seen:
            return
        seen.add(id(function))
        yield function.__qualname__
        yield from _code_pieces(function.__code__)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        for inner in [*(function.__defaults__ or ()), *cells, *_named(function)]:
            yield from _pieces(inner, seen)
    elif isinstance(value, PLAIN):
        yield value
    elif isinstance(value, tuple | list):
        yield len(value)
        for inner in value:
            yield from _pieces(inner, seen)
    elif hasattr(value, "tobytes"):  # an array or one of its numbers
        yield str(value.dtype), value.shape, value.tobytes()
    else:  # modules, classes, functions of others: they come with versions of their own
        yield getattr(value, "__name__", type(value).__qualname__)


def _code_pieces(code: CodeType) -> Iterator[object]:
    yield code.co_code, code.co_names, code.co_varnames
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_pieces(constant)
        else:
            yield sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _named(function: FunctionType) -> Iterator[object]:
    """The globals that a function names, and what it may name in modules of its own package."""
    names = sorted(set(_names(function.__code__)))
    package = function.__module__.partition(".")[0]
    for name in names:
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield value
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == package:
            yield from (vars(value)[inner] for inner in names if inner in vars(value))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
