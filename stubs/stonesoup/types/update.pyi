from typing import Any

from stonesoup.types.state import GaussianState

class GaussianStateUpdate(GaussianState):
    hypothesis: Any
