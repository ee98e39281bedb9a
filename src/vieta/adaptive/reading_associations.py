r"""Who is who in sets, at an estimate: probabilities of each reading, and the likeliest assignment of a set as a whole.

The likeliest assignment maximises :math:`\sum_{(i,l) \in M} \log r_{il}` over partial matchings M, with the odds
:math:`r_{il} = A_{il}/(A_{i0} q_l)` of a pair against a false and a missed reading: a linear assignment.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.adaptive.clutter_density import ClutterDensity, flat_density
from vieta.adaptive.set_model import LEAST, SetModel, by_set, expect, log_odds
from vieta.adaptive.set_sums import MOST_SEEN, pieces
from vieta.adaptive.sieve import UnitLaw
from vieta.arrays import Floats, Integers
from vieta.reading_model import ReadingModel
from vieta.set_requirements import MOST_READINGS
from vieta.sets import Data

NORMAL, SIEVE = "gaussian", "sieve"


@dataclass(frozen=True, slots=True, eq=False)
class ReadingAssociations:
    """Probabilities, reading by reading, in the order in which the readings were given; those that were NaN are left out.

    Attributes
    ----------
    systems : (R, L)
        Of each system, in the order of the estimate.
    clutter : (R,)
        Of being false.
    missed : (N, L)
        That a system has no reading in a set.
    best : (R,)
        The system of each reading in the likeliest assignment of its set, -1 for a false one.
    offsets : (N + 1,)
        Set k has the readings from offsets[k] to before offsets[k + 1].
    """

    systems: Floats
    clutter: Floats
    missed: Floats
    best: Integers
    offsets: Integers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, k: int) -> Floats:
        """(n, L + 1) the probabilities of the readings of set k, that of being false last."""
        own = slice(self.offsets[k], self.offsets[k + 1])
        return np.column_stack([self.systems[own], self.clutter[own]])


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """What a model of complete sets must know of all of them: how far readings reach (p,), how many there are, and in how small sets."""

    low: Floats
    high: Floats
    n_readings: int
    n_sets: int
    smallest: int

    @classmethod
    def of(cls, data: Data) -> Self:
        """That of some sets."""
        readings, _ = data.flat
        low, high = readings.min(axis=0, initial=np.inf), readings.max(axis=0, initial=-np.inf)
        return cls(low, high, len(readings), len(data), int(data.sizes.min(initial=MOST_READINGS)))

    def __add__(self, other: Self, /) -> Self:
        return type(self)(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.n_readings + other.n_readings,
            self.n_sets + other.n_sets,
            min(self.smallest, other.smallest),
        )


def associate(
    data: Data,
    theta: Floats,
    noise: Floats,
    noise_sd: Floats,
    readings: ReadingModel | None,
    extent: Extent | None = None,
) -> ReadingAssociations:
    """The associations of sets at parameters (L, D), by what was learned of readings, or else by normal noise of covariance (p, p).

    Where they are a part of all sets, `extent` is that of all.
    """
    if not data.sizes.any():
        none, missed = np.zeros((0, len(theta))), np.ones((len(data), len(theta)))
        return ReadingAssociations(none, none[:, 0], missed, np.zeros(0, dtype=np.int64), data.flat[1])
    reach = extent or Extent.of(data)
    model = assumed(reach, theta, noise, noise_sd) if readings is None else restored(theta, readings)
    parts = [_associated(piece, model) for piece in pieces(data, len(theta))]
    systems, missed, best = (np.concatenate(one) for one in zip(*parts, strict=True))
    return ReadingAssociations(systems, np.clip(1.0 - systems.sum(axis=1), 0.0, 1.0), missed, best, data.flat[1])


def _associated(piece: Data, model: SetModel) -> tuple[Floats, Floats, Integers]:
    found = expect(piece, model)
    _, offsets = piece.flat
    missed = np.clip(1.0 - by_set(found.pairs, offsets), 0.0, 1.0)
    return found.pairs, missed, best_assignments(log_odds(piece, model), offsets)


def best_assignments(odds: Floats, offsets: Integers) -> Integers:
    """(R,) the system of each reading in the likeliest assignment of its set, -1 for none, from log odds (R, L)."""
    from scipy.optimize import linear_sum_assignment

    best = np.full(len(odds), -1, dtype=np.int64)
    gain = np.maximum(odds, 0.0)
    for k in range(len(offsets) - 1):
        own = slice(offsets[k], offsets[k + 1])
        rows, columns = linear_sum_assignment(gain[own], maximize=True)
        best[own][rows] = np.where(gain[own][rows, columns] > 0.0, columns, -1)
    return best


def assumed(extent: Extent, theta: Floats, noise: Floats, noise_sd: Floats) -> SetModel:
    """A model of complete sets with normal noise."""
    L, p = len(theta), len(noise)
    size = max(float(np.trace(noise)) / p, 1e-300)
    sd = np.where(np.isfinite(noise_sd) & (noise_sd > 0.0), noise_sd, np.sqrt(size))
    clutter = flat_density(extent.low, extent.high, extent.n_readings)
    floor = 1e-9 * float((extent.high - extent.low).max()) + 1e-300
    shape = noise / size if size > floor**2 else np.eye(p)
    seen = MOST_SEEN
    if extent.smallest < L:
        seen = float(np.clip(extent.n_readings / (extent.n_sets * L), 0.01, MOST_SEEN))
    return SetModel(theta, np.maximum(sd, floor), shape, np.full(L, seen), LEAST, clutter, UnitLaw())


def restored(theta: Floats, kept: ReadingModel) -> SetModel:
    """The model of sets that was kept with an estimate."""
    clutter = ClutterDensity(kept.clutter_low, kept.clutter_width, kept.clutter_heights)
    name = "" if kept.law in (NORMAL, SIEVE) else kept.law
    law = UnitLaw(kept.law_width, kept.law_weights, "") if kept.law == SIEVE else UnitLaw(name=name)
    detection = np.clip(kept.detection, LEAST, MOST_SEEN)
    return SetModel(theta, kept.scale, kept.shape, detection, max(kept.clutter_rate, LEAST), clutter, law)


def kept(model: SetModel, detection_stderr: Floats, rate_stderr: float) -> ReadingModel:
    """What is kept of a model with an estimate."""
    law = model.law
    return ReadingModel(
        np.where(model.detection >= MOST_SEEN, 1.0, model.detection),
        detection_stderr,
        0.0 if model.rate <= LEAST else model.rate,
        rate_stderr,
        law.name or (NORMAL if law.weights is None else SIEVE),
        law.width,
        np.empty(0) if law.weights is None else law.weights,
        model.sd,
        model.shape,
        model.clutter.low,
        model.clutter.width,
        model.clutter.heights,
    )
