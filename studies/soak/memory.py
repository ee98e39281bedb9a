"""The memory of a process, and whether it grows."""

from pathlib import Path

import numpy as np

PAGE = 4096 / 2**20  # megabytes


def resident(process: int | str = "self") -> float | None:
    """Megabytes in memory of a process that is its own; None where there is no /proc."""
    file = Path(f"/proc/{process}/statm")
    if not file.exists():
        return None
    _, pages, shared = (int(word) for word in file.read_text().split()[:3])
    return (pages - shared) * PAGE


def growth(samples: list[float]) -> float | None:
    """From the second tenth of the samples to the last, medians, in megabytes; None of fewer than twenty.

    >>> growth([0.0] * 10 + [5.0] * 80 + [6.0] * 10), growth([1.0] * 19)
    (1.0, None)
    """
    if len(samples) < 20:
        return None
    tenth = len(samples) // 10
    return float(np.median(samples[-tenth:]) - np.median(samples[tenth : 2 * tenth]))
