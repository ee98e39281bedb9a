"""Best-of timing, peak memory, and a table of ratios with their targets."""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A measured figure and what it must not exceed (`most`) or fall below (`least`)."""

    name: str
    figure: float
    unit: str
    detail: str
    most: float | None = None
    least: float | None = None

    @property
    def reached(self) -> bool:
        return (self.most is None or self.figure <= self.most) and (self.least is None or self.figure >= self.least)

    def line(self) -> str:
        target = f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}"
        mark = "reached" if self.reached else "NOT REACHED"
        return f"{self.name:52} {self.figure:10.3g} {self.unit:9} (target {target:>8}: {mark})\n    {self.detail}"


def best(function: Callable[[], object], repeats: int = 20) -> float:
    """Seconds of the fastest of several runs, after one that warms up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_bytes(function: Callable[[], object]) -> int:
    """Peak of what Python and NumPy allocate during a call."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
