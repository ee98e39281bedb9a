"""What pictures share: columns ready for JSON, and which sets they are of."""

import numpy as np

from vieta.arrays import Floats


def listed(column: Floats) -> list[float | None]:
    """Numbers with ten digits, None for those that JSON does not have.

    >>> listed(np.array([1.0, np.nan, 1 / 3]))
    [1.0, None, 0.3333333333]
    """
    return [float(f"{value:.10g}") if np.isfinite(value) else None for value in column.tolist()]


def shown_of(count: int, n_sets: int, which: str = "") -> str:
    """Which sets a picture shows, if they are not all.

    >>> shown_of(1000, 1_000_000), shown_of(10, 10), shown_of(100, 200, "the first of them")
    ('1,000 of the 1,000,000 sets are shown, evenly spread.', '', '100 of the 200 sets are shown, the first of them.')
    """
    return "" if count >= n_sets else f"{count:,} of the {n_sets:,} sets are shown, {which or 'evenly spread'}."


def names_of(values: list[str], p: int) -> list[str]:
    """What the numbers of a reading are called, by columns that hold them, or by their places.

    >>> names_of(["north", "east"], 2), names_of(["y"], 1), names_of(["a1", "a2", "b1", "b2"], 2)
    (['north', 'east'], ['y'], ['number 1', 'number 2'])
    """
    return values if len(values) == p else [f"number {i + 1}" for i in range(p)]
