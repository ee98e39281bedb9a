"""What is to be known about sets that were left out, and about a number of systems that was counted: findings."""

from collections import Counter
from collections.abc import Mapping

from vieta.files.reasons import SETS, UNCLOSED
from vieta.findings import Finding, Severity, finding

FEW = 0.01  # of the sets that are left out, which is good to know and no more
MANY = 0.5


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
