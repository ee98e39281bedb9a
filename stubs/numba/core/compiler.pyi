from typing import Any, Self

class CompileResult:
    @classmethod
    def _rebuild(cls, target_context: Any, *args: Any) -> Self: ...
