r"""Climbing the likelihood of incomplete sets: scoring with a ridge, and the way back.

Each iteration is one pass. A step of all parameters (`vieta.adaptive.set_sums`) that lowers the likelihood is taken back, the ridge
:math:`\varepsilon` grows thirtyfold, and the next step moves the scored parameters alone; after a step that rises, it shrinks to a fifth.
Without the ridge and the way back, rows that are superfluous or nearly coincide run away.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from vieta.adaptive.set_model import EXACT, SetModel
from vieta.adaptive.set_sums import Free, SetSums, learned, scored, set_sums
from vieta.sums import Passes

FIRST_RIDGE, GROWTH, DECAY, LARGEST = 0.3, 30.0, 0.2, 1e7
GAIN = 1e-3  # log-likelihood: iterations that gain less count as none
PATIENCE = 3  # of them in a row
ITERATIONS = 150
HOPE = 25.0  # times the last gain, that may be left to gain
SLOW = 1.0  # gain from which on that is believed
ROUNDING = 1e-9  # of a likelihood, and at least so much


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """A model, the sums there, and whether the climb has converged."""

    model: SetModel
    sums: SetSums
    converged: bool

    @property
    def height(self) -> float:
        """The likelihood with the prior of the density of false readings."""
        return height(self.model, self.sums)


def height(model: SetModel, sums: SetSums) -> float:
    """The logarithm of the likelihood with the prior; minus infinity where it is not a number."""
    value = sums.likelihood + model.clutter.log_prior
    return value if np.isfinite(value) else -inf


def climb(
    passes: Passes,
    model: SetModel,
    free: Free,
    floor: float,
    iterations: int = ITERATIONS,
    gain: float = GAIN,
    kept: int = EXACT,
    goal: float = -inf,
) -> Climbed:
    """Scoring from a model on; deviations stay above `floor`. Sets with more than `kept` states are approximated.

    It ends where it will clearly not reach the height `goal`.
    """
    now, sums = model, set_sums(passes, model, free, kept)
    ridge, calm, alone = FIRST_RIDGE, 0, False
    for _ in range(iterations):
        there = scored(now, sums, free, ridge)
        there = there if alone else _together(there, learned(now, sums, free))
        there = replace(there, sd=np.maximum(there.sd, floor))
        found = set_sums(passes, there, free, kept)
        gained = height(there, found) - height(now, sums)
        if gained < -ROUNDING * max(abs(sums.likelihood), 1.0) or not np.isfinite(gained):
            if ridge > LARGEST:
                return Climbed(now, sums, True)
            ridge, alone = ridge * GROWTH, not alone
            continue
        now, sums, ridge, alone = there, found, max(ridge * DECAY, 1e-9), False
        calm = calm + 1 if gained < gain else 0
        if calm >= PATIENCE:
            return Climbed(now, sums, True)
        if gained < SLOW and height(now, sums) + HOPE * gained < goal:
            break
    return Climbed(now, sums, False)


def _together(moved: SetModel, learned: SetModel) -> SetModel:
    """The scored parameters of one model with the law, the shape and the density of another."""
    return replace(moved, law=learned.law, clutter=learned.clutter, shape=learned.shape)
