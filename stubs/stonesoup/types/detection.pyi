from typing import Any

from stonesoup.types.state import State

class Detection(State):
    measurement_model: Any
    metadata: dict[str, Any]

class MissedDetection(Detection): ...
