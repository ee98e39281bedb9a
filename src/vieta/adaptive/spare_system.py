r"""A system that may be made of false readings.

Where false readings are allowed for, a system that is seen rarely, or whose noise is wide, may be one by chance: a part of the clutter that
some line goes through. Without it, and climbed again, the criterion of `vieta.adaptive.law_choice` says how much is lost; little means
that the sets do not show this system.
"""

from dataclasses import replace

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST, AdaptiveFit
from vieta.adaptive.law_choice import criterion
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.system_count import SURE
from vieta.arrays import Integers
from vieta.findings import Finding, finding
from vieta.sums import Passes
from vieta.symmetric import canonical_order

RARE = 0.5  # of the middle system's probability of being seen
WIDE = 2.0  # times the middle system's deviation
ROUNDS = 40  # iterations of a climb
MOST = 2  # systems that are tried


def suspects(model: SetModel) -> Integers:
    """Systems that are seen more rarely than others, or are wider, the rarest first; at most two."""
    rare = model.detection < RARE * np.median(model.detection)
    wide = model.sd > WIDE * np.median(model.sd)
    found = np.flatnonzero(rare | wide)
    return found[np.argsort(model.detection[found], kind="stable")][:MOST]


def without(model: SetModel, system: int) -> SetModel:
    """The model with one system less, whose readings are false ones then."""
    left = np.delete(np.arange(len(model.theta)), system)
    return replace(model.reordered(left), rate=float(model.rate + model.detection[system]))


def loss(passes: Passes, found: AdaptiveFit, system: int) -> float:
    """What the criterion loses without a system."""
    chosen = found.chosen
    floor = SMALLEST * chosen.model.clutter.extent
    there = climb(passes, without(chosen.model, system), chosen.free, floor, ROUNDS)
    return float(chosen.criterion - criterion(there, chosen.free))


def of_spare_systems(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """Systems that the sets do not show."""
    model = found.chosen.model
    if not found.chosen.free.rate or len(model.theta) < 2:
        return ()
    places = np.argsort(canonical_order(model.theta), kind="stable")
    lost = [(int(l), loss(passes, found, int(l))) for l in suspects(model)]
    return tuple(finding("system-not-shown", system=int(places[l]) + 1, margin=by) for l, by in lost if by < SURE)
