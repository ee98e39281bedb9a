from collections.abc import Iterator
from datetime import datetime

from stonesoup.tracker import Tracker
from stonesoup.types.track import Track

class _SimpleTracker(Tracker):
    tracks: set[Track]
    def __iter__(self) -> Iterator[tuple[datetime, set[Track]]]: ...

class MultiTargetTracker(_SimpleTracker): ...
class MultiTargetMixtureTracker(_SimpleTracker): ...
