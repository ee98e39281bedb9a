from typing import Any

from stonesoup.base import Base
from stonesoup.types.state import State

class Track(Base):
    states: list[Any]
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Any: ...
    def append(self, value: State) -> None: ...
