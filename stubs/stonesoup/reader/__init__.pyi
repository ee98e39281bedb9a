from collections.abc import Collection, Iterator
from datetime import datetime

from stonesoup.base import Base
from stonesoup.types.detection import Detection

class DetectionReader(Base):
    def __iter__(self) -> Iterator[tuple[datetime, Collection[Detection]]]: ...
