from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from stonesoup.base import Base
from stonesoup.types.detection import Detection
from stonesoup.types.multihypothesis import MultipleHypothesis
from stonesoup.types.track import Track

class DataAssociator(Base):
    hypothesiser: Any
    def generate_hypotheses(
        self, tracks: Collection[Track], detections: Collection[Detection], timestamp: datetime, **kwargs: Any
    ) -> dict[Track, MultipleHypothesis]: ...
    def associate(
        self, tracks: Collection[Track], detections: Collection[Detection], timestamp: datetime, **kwargs: Any
    ) -> Mapping[Track, Any]: ...
