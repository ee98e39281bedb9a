r"""Innovations of a stream: how far the latest readings are from what the estimate before them gives.

For reading y of set k that is system l's in the best assignment at the estimate :math:`\hat\theta` of the report before,

.. math:: r = (y - \Psi(k)\,\hat\theta_l) / \sigma_l

with the standard deviation :math:`\sigma_l` of the noise; number by number, where readings are vectors. The best assignment of a complete
set has the smallest sum of squares; where readings may be missed or false it is the likeliest, and a false reading counts from the
nearest system. Where systems overlap, the assignment picks the nearer one, and r is smaller than the noise would have it.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.estimators import Estimate


@dataclass(slots=True, eq=False)
class Innovations:
    """The latest sets since a report, at most `most`, and the estimate of that report."""

    most: int
    sets: deque[tuple[int, Floats, Any]] = field(default_factory=deque)
    before: Estimate | None = None

    def take(self, sets: "Floats | list[Floats]", inputs: Floats, n_sets: int) -> None:
        """Keep the last of some sets that were absorbed; with them, there were `n_sets`."""
        first = max(len(sets) - self.most, 0)
        for k in range(first, len(sets)):
            self.sets.append((n_sets - len(sets) + k + 1, np.array(sets[k]), inputs[k]))
        while len(self.sets) > self.most:
            self.sets.popleft()

    def report(self, now: Estimate | None) -> list[list[float]]:
        """Number of the set, system from 1 on (0: false), and r, for each reading; from then on they are taken against `now`."""
        kept, before = list(self.sets), self.before
        self.sets.clear()
        self.before = now
        if before is None or before.answers is not None or not kept:  # answers are not measurements
            return []
        return _against(before, kept)


def _against(estimate: Estimate, kept: list[tuple[int, Floats, Any]]) -> list[list[float]]:
    there = [one[np.isfinite(one).all(axis=1)] for _, one, _ in kept]
    apart = [_distances(y, psi, estimate) for y, (*_, psi) in zip(there, kept, strict=True)]
    systems = [_nearest(r) for r in apart] if estimate.readings is None else _likeliest(estimate, kept)
    return [
        [number, int(l) + 1, *(float(f"{v:.4g}") for v in r[l if l >= 0 else (r**2).sum(axis=1).argmin()])]
        for (number, *_), of_set, best in zip(kept, apart, systems, strict=True)
        for r, l in zip(of_set, best, strict=True)
    ]


def _distances(readings: Floats, psi: Any, estimate: Estimate) -> Floats:
    """(n, L, p) r of each reading (n, p) and each system."""
    given = np.array([_given(psi, row) for row in estimate.theta])
    return np.asarray((readings[:, None, :] - given) / _deviations(estimate))


def _nearest(r: Floats) -> Integers:
    """(n,) the assignment of a complete set with the smallest sum of squares."""
    from scipy.optimize import linear_sum_assignment

    best = np.full(len(r), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment((r**2).sum(axis=2))
    best[rows] = columns
    return best


def _likeliest(estimate: Estimate, kept: list[tuple[int, Floats, Any]]) -> list[Integers]:
    """For each set, the system of each reading, -1 for a false one, where readings may be missed and false."""
    found = estimate.associations([one for _, one, _ in kept], np.array([psi for *_, psi in kept]))
    return np.split(found.best, found.offsets[1:-1])


def _given(psi: Any, theta: Floats) -> Floats:
    """What a system gives: psi is a number or (p, D)."""
    return np.asarray(psi * theta if np.ndim(psi) == 0 else np.asarray(psi) @ theta)


def _deviations(estimate: Estimate) -> Floats:
    """(L, p) of the noise; that of all systems together where a system's own is not known, or readings are vectors."""
    whole = np.sqrt(np.maximum(np.diag(np.atleast_2d(estimate.noise_var)), np.finfo(float).tiny))
    common = np.tile(whole, (len(estimate.theta), 1))
    own = estimate.noise_sd[:, None]
    return common if len(whole) > 1 else np.where(np.isfinite(own) & (own > 0.0), own, common)
