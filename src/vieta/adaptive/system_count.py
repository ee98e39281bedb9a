r"""How many systems there are: the number whose model has the highest information criterion (`vieta.adaptive.law_choice`).

Each number is fitted from starts of its own and from the solution with one system less, to which the best hypothesis among the readings
that it takes for false is added. Numbers are tried one after another, upwards, until two in a row are worse than the best.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.first_systems import Sample, first_systems
from vieta.adaptive.set_model import LEAST, SetModel, expect
from vieta.adaptive.set_start import KEPT, SEEN, SETS
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import Survey
from vieta.sets import Data
from vieta.sums import Passes

WORSE = 2  # numbers in a row, after which no larger one is tried
SURE = 6.0  # of the criterion, by which the chosen number must lead


@dataclass(frozen=True, slots=True)
class Counted:
    """The criterion of each number of systems that was tried."""

    criteria: dict[int, float]

    @property
    def best(self) -> int:
        """The number with the highest criterion."""
        return max(self.criteria, key=lambda L: self.criteria[L])

    @property
    def second(self) -> int:
        """The next best number; zero if there is none."""
        others = {L: value for L, value in self.criteria.items() if self.best != L}
        return max(others, key=lambda L: others[L]) if others else 0

    @property
    def margin(self) -> float:
        """By how much the best leads."""
        return self.criteria[self.best] - self.criteria[self.second] if self.second else float("inf")

    @property
    def is_done(self) -> bool:
        """Whether the last numbers that were tried were all worse than the best."""
        return max(self.criteria) >= self.best + WORSE


def of_size(passes: Passes, n_systems: int) -> Passes:
    """The same sets, of a number of systems."""
    return passes.changed(replace(passes.like, size=n_systems), lambda block: replace(block, size=n_systems))


def grown(passes: Passes, known: Survey, model: SetModel, free: Free) -> SetModel:
    """A model with one system more: the best hypothesis among the readings that are rather false."""
    data = passes.spread(SETS, known.n_sets)
    readings, offsets = data.flat
    false = expect(data, model, KEPT).false > 0.5
    if false.sum() < 2 * model.theta.shape[1]:
        false[:] = True
    ends = np.concatenate([[0], np.cumsum(false)])[offsets].astype(np.int64)
    left = Data(readings[false], data.inputs, data.dim, ends, 1)
    seen = float(model.detection.mean()) if free.detection != "none" else SEEN
    first = first_systems(Sample.of(left), 1, min(seen, SEEN), np.random.default_rng(0))
    sd = np.exp(np.log(model.sd).mean())
    return replace(
        model,
        theta=np.vstack([model.theta, first.theta]),
        sd=np.append(model.sd, sd),
        detection=np.append(model.detection, seen),
        rate=max(model.rate - seen, 0.1 * model.rate, LEAST) if free.rate else model.rate,
    )
