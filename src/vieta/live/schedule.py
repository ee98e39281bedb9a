"""When a watch reports and saves."""

import time
from dataclasses import dataclass

LONGEST_REST = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Every so many sets, and every so many seconds in which sets arrived; None for never.

    After a report by time comes a rest, `rest` times as long as the report took, but of a second at the most.
    """

    report_sets: int | None = None
    report_seconds: float | None = None
    save_sets: int | None = None
    save_seconds: float | None = None
    rest: float = 0.0

    def pauses(self, count: int, more: int) -> list[int]:
        """After how many of `more` sets a report or a save falls due, when there were `count`.

        >>> Rhythm(report_sets=4, save_sets=6).pauses(5, 10)
        [1, 3, 7]
        """
        due: set[int] = set()
        for every in (self.report_sets, self.save_sets):
            if every is not None:
                due.update(range(every - count % every, more + 1, every))
        return sorted(due)


class Timer:
    """Rings when its time is up and something has happened since it rang last."""

    def __init__(self, seconds: float | None, seen: int, rest: float = 0.0) -> None:
        """`seen` is a number that grows when something happens."""
        self._seconds, self._seen, self._rest = seconds, seen, rest
        self._rang = 0.0
        self._next = float("inf") if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """Seconds until the time is up; None if it never is."""
        return None if self._seconds is None else max(0.0, self._next - time.monotonic())

    def rings(self, seen: int) -> bool:
        """Whether the time is up and `seen` has grown; if the time is up, it begins anew."""
        now = time.monotonic()
        if self._seconds is None or now < self._next:
            return False
        self._rang, self._next = now, now + self._seconds
        grown, self._seen = seen > self._seen, seen
        return grown

    def done(self) -> None:
        """What it rang for is done, and the rest begins; if that takes longer than a second, the rest takes as long."""
        now = time.monotonic()
        took = now - self._rang
        self._next = max(self._next, now + min(self._rest * took, max(LONGEST_REST, took)))
