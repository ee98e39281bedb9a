from typing import Any

from stonesoup.base import Base
from stonesoup.types.detection import Detection
from stonesoup.types.numeric import Probability

class SingleProbabilityHypothesis(Base):
    prediction: Any
    measurement: Detection
    measurement_prediction: Any
    probability: Probability
    def __bool__(self) -> bool: ...
