r"""Where to begin: systems one after another, each the hypothesis that explains most readings that no other has claimed.

A hypothesis is the parameter vector through a few random readings of random sets, as many as determine it. The best of many by the score of
`vieta.association.nearest` is polished by two regressions on the nearest readings with Cauchy weights, claims what lies within 2.5 deviations,
and the next system is looked for among the rest. The deviation is the one that puts the share :math:`p/2` of the distances below
:math:`.6745\,\sigma`, for the probability p of being seen that the sizes of the sets suggest.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Booleans, Floats, Integers
from vieta.sets import Data
from vieta.weighted.sum_regression import as_matrices

HYPOTHESES, MOST_HYPOTHESES = 200, 1200  # tried for each system; more where several readings make one
NEAREST = 1e-4  # of the range: distances below count as this
ALIKE = 1e-6  # of their size: readings that are all within this have this as their range
CLAIM = 2.5  # deviations
POLISHES = 2
SHARE = 0.6745  # quantile of half of the normal law


@dataclass(frozen=True, slots=True, eq=False)
class First:
    """Parameters (L, D) and deviations (L,) to begin from."""

    theta: Floats
    sd: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Sets in memory: readings (R, p) in units of their range, where sets begin (N + 1,), inputs (N, p, D) in the same units, the unit (p,)."""

    readings: Floats
    offsets: Integers
    psi: Floats
    unit: Floats

    @classmethod
    def of(cls, data: Data) -> "Sample":
        """Some sets."""
        readings, offsets = data.flat
        unit = np.maximum(readings.std(axis=0), np.maximum(ALIKE * abs(readings).max(axis=0), 1e-150))
        return cls(readings / unit, offsets, np.ascontiguousarray(as_matrices(data) / unit[:, None]), unit)

    @property
    def dim(self) -> int:
        """D."""
        return int(self.psi.shape[2])


def first_systems(sample: Sample, n_systems: int, detection: float, rng: np.random.Generator) -> First:
    """Systems by the greedy search, for a rough probability of being seen."""
    free = np.ones(len(sample.readings), dtype=bool)
    found, deviations = [], []
    for _ in range(n_systems):
        theta = _polished(sample, free, _best(sample, free, rng), detection)
        place, distance = _nearest(sample, free, theta)
        sd = _deviation(distance, detection)
        near = (place >= 0) & (distance < CLAIM * sd)
        free[place[near]] = False
        found.append(theta)
        deviations.append(sd)
    root = np.sqrt(np.mean(sample.unit**2) / sample.readings.shape[1])
    return First(np.array(found), np.array(deviations) * root)


def _best(sample: Sample, free: Booleans, rng: np.random.Generator) -> Floats:
    """(D,) the best of many hypotheses."""
    from vieta.association.nearest import score_hypotheses

    hypotheses = _hypotheses(sample, free, rng)
    scores = np.empty(len(hypotheses))
    extent = float(np.ptp(sample.readings, axis=0).max())
    score_hypotheses(
        sample.readings, sample.offsets, sample.psi, free, hypotheses, NEAREST * extent, max(extent, 1e-300), scores
    )
    return np.asarray(hypotheses[int(scores.argmin())])


def _hypotheses(sample: Sample, free: Booleans, rng: np.random.Generator) -> Floats:
    """(H, D) parameters through random readings that are free."""
    p, D = sample.psi.shape[1:]
    each = -(-D // p)
    count = min(HYPOTHESES * each**2, MOST_HYPOTHESES)
    places = np.flatnonzero(free)
    places = places if len(places) >= each else np.arange(len(free))
    owner = np.repeat(np.arange(len(sample.psi)), np.diff(sample.offsets))
    chosen = rng.choice(places, size=(count, each))
    rows = sample.psi[owner[chosen]].reshape(count, each * p, D)
    right = sample.readings[chosen].reshape(count, each * p)
    return np.ascontiguousarray(np.einsum("hdp,hp->hd", np.linalg.pinv(rows, rcond=1e-6), right))


def _nearest(sample: Sample, free: Booleans, theta: Floats) -> tuple[Integers, Floats]:
    from vieta.association.nearest import nearest_readings

    place, distance = np.empty(len(sample.psi), np.int64), np.empty(len(sample.psi))
    nearest_readings(sample.readings, sample.offsets, sample.psi, free, theta, place, distance)
    return place, distance


def _deviation(distance: Floats, detection: float) -> float:
    """The deviation that distances tell, if a share `detection` of them are of the system's own readings."""
    return float(max(np.quantile(distance, 0.5 * detection, method="lower") / SHARE, 1e-6))


def _polished(sample: Sample, free: Booleans, theta: Floats, detection: float) -> Floats:
    """Parameters after some regressions on the nearest readings, those far away counting little."""
    for _ in range(POLISHES):
        place, distance = _nearest(sample, free, theta)
        sd = _deviation(distance, detection)
        at = place >= 0
        weights = 1.0 / (1.0 + (distance[at] / sd) ** 2)
        rows, right = sample.psi[at], sample.readings[place[at]]
        D = rows.shape[2]
        weighted = (rows * weights[:, None, None]).reshape(-1, D).T
        theta = np.asarray(
            np.linalg.lstsq(weighted @ rows.reshape(-1, D), weighted @ right.ravel(), rcond=1e-10)[0], dtype=np.float64
        )
    return np.ascontiguousarray(theta)
