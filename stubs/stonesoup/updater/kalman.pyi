from typing import Any

from stonesoup.base import Base
from stonesoup.types.update import GaussianStateUpdate

class KalmanUpdater(Base):
    def update(self, hypothesis: Any, **kwargs: Any) -> GaussianStateUpdate: ...
