"""What is to be known about sets that were left out, and about a number of systems that was counted: findings."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.files.reasons import SETS, UNCLOSED
from vieta.files.times import SPANNED, UNITS, suited_unit
from vieta.findings import Finding, Severity, finding

FEW = 0.01  # of the sets that are left out, which is good to know and no more
MANY = 0.5
UNEVEN = 1.5  # times as long as another: more than months differ, less than with one left out


@dataclass(slots=True)
class Steps:
    """Least and greatest time between sets that follow one another, sets that were left out among them counted, in microseconds."""

    least: float = np.inf
    greatest: float = 0.0
    last: tuple[float, float] | None = None

    def add(self, times: Floats, number: Floats) -> None:
        """Go on with the times (N,) of sets of these numbers (N,)."""
        if self.last is not None:
            number, times = np.insert(number, 0, self.last[0]), np.insert(times, 0, self.last[1])
        if len(times) > 1:
            steps = np.diff(times) / np.diff(number)
            self.least, self.greatest = min(self.least, float(steps.min())), max(self.greatest, float(steps.max()))
        if len(times):
            self.last = float(number[-1]), float(times[-1])

    def findings(self) -> tuple[Finding, ...]:
        """That times are unevenly spaced, more than the months of a year are."""
        if self.last is None or self.greatest <= UNEVEN * self.least:
            return ()
        unit = suited_unit(SPANNED * self.greatest)
        least, greatest = (f"{step / UNITS[unit]:.3g}" for step in (self.least, self.greatest))
        return (finding("uneven-steps", least=least, greatest=greatest, unit=unit),)


def accounts(dropped: Mapping[str, int], sizes: Counter[int], size: int, *, counted: bool) -> tuple[Finding, ...]:
    """Findings about sets of `size` readings of which some were left out, by code, of all that had `sizes`.

    >>> [one.code for one in accounts({"wrong-count": 10}, Counter({49: 7, 50: 2, 48: 3}), 50, counted=True)]
    ['sets-left-out', 'systems-counted']
    """
    found = list[Finding]()
    left, total = sum(dropped.get(code, 0) for code in SETS), sizes.total()
    if left:
        fewer, more = (sum(n for k, n in sizes.items() if is_other(k)) for is_other in (size.__gt__, size.__lt__))
        share = left / max(total, left)
        severity: Severity = "note" if share <= FEW else "caution" if share <= MANY else "serious"
        found.append(
            finding("sets-left-out", severity, left=left, n_sets=max(total, left), fewer=fewer, more=more, size=size)
        )
    usual = max(sizes, key=lambda one: (sizes[one], one), default=size)
    if counted and left and sizes[usual] > sizes[size]:
        found.append(
            finding("systems-counted", size=size, count=sizes[size], n_sets=total, usual=usual, times=sizes[usual])
        )
    if dropped.get(UNCLOSED):
        found.append(finding("quote-not-closed", lines=dropped[UNCLOSED]))
    return tuple(found)
