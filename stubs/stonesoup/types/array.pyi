from typing import Any

class StateVectors:
    def __init__(self, states: Any) -> None: ...
