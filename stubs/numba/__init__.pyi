from collections.abc import Callable
from typing import TypeVar

_F = TypeVar("_F", bound=Callable[..., object])

__version__: str

def njit(
    *,
    nogil: bool = ...,
    error_model: str = ...,
    forceinline: bool = ...,
    no_cfunc_wrapper: bool = ...,
) -> Callable[[_F], _F]: ...
