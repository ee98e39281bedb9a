"""What may be done to records before they are released: readings are rounded, or some are left out. The audit then looks at what is left."""

from typing import Any

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError

MOST_DROPPED = 0.9
SEED = 0  # the same readings are left out whenever the same is asked


def altered(sets: Floats | list[Floats], step: float, share: float) -> Any:
    """Sets with readings rounded to multiples of `step`, and a `share` of them left out at random; as `vieta.fit` takes them.

    >>> altered(np.array([[[1.26], [2.0]]]), 0.5, 0.0)
    array([[[1.5], [2. ]]])
    """
    if not (step >= 0.0 and np.isfinite(step)):
        raise InputError("rounding-range", "readings are rounded to a step that is zero or more.")
    if not 0.0 <= share <= MOST_DROPPED:
        raise InputError(
            "dropping-range", "the share of readings that are left out is from 0 to {most:g}.", most=MOST_DROPPED
        )
    given = [_rounded(one, step) for one in sets] if isinstance(sets, list) else _rounded(sets, step)
    return given if share == 0.0 else _thinned(given, share)


def _rounded(readings: Floats, step: float) -> Floats:
    return readings if step == 0.0 else np.asarray(np.round(readings / step) * step)


def _thinned(sets: Any, share: float) -> list[Floats]:
    """Lists of the readings that are left; a set may end up empty."""
    rng = np.random.default_rng(SEED)
    return [one[rng.random(len(one)) >= share] for one in sets]
