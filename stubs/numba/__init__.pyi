from collections.abc import Callable
from typing import TypeVar

_F = TypeVar("_F", bound=Callable[..., object])

__version__: str

def njit(*, nogil: bool = ..., error_model: str = ..., inline: str = ...) -> Callable[[_F], _F]: ...
