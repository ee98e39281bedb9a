from collections.abc import Callable
from typing import Any

class Base:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def Property(*, default: Any = ..., default_factory: Callable[[], Any] = ..., doc: str = ...) -> Any: ...
