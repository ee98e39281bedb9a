"""Where answers that are nearly measurements begin: the estimate as if they were."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.sets import Data, less_known
from vieta.sums import Passes, in_memory

SOME = 4000  # sets


class NumberStart(NamedTuple):
    """Parameters (L, D) and the deviation of the noise."""

    theta: Floats
    sd: float


def number_start(
    passes: Passes, n_sets: int, transformed: Callable[[Floats], Floats] | None = None
) -> NumberStart | None:
    """The weighted estimate of some of the sets, of readings after a transformation if one is given; None if there is none."""
    from vieta.weighted import solve

    data = passes.spread(SOME, n_sets)
    if transformed is not None:
        data = Data(transformed(data.readings), data.inputs, data.dim, known=data.known)
    try:
        found = solve.fit(in_memory(less_known(data)))
    except (VietaError, np.linalg.LinAlgError, FloatingPointError):
        return None
    sd = float(np.sqrt(max(float(found.noise[0, 0]), 1e-12)))
    return NumberStart(found.theta, sd) if np.isfinite(found.theta).all() and np.isfinite(sd) else None
