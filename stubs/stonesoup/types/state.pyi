from datetime import datetime
from typing import Any

from stonesoup.base import Base

class State(Base):
    state_vector: Any
    timestamp: datetime

class GaussianState(State):
    covar: Any
