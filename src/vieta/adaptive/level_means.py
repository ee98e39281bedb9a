r"""Starts where inputs repeat: each different input has its systems' means for itself, and what is left is to say which belong together.

Under each of R different inputs :math:`\psi_r` the sets are those of constants :math:`m_{rl}`, found by the greedy search and by EM over
partial assignments, with one deviation, one probability of being seen and one density of false readings for all inputs,

.. math:: m_{rl} = \frac{\sum_{k: \psi(k) = \psi_r} \sum_i P_{il}\,y_i}{\sum_{k: \psi(k) = \psi_r} \sum_i P_{il}} .

No set needs to be full for that. Parameters with :math:`\psi_r'\theta_l` near these means, in any order, are a problem of R complete sets
(`vieta.search.levels`).
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.first_systems import Sample, first_systems
from vieta.adaptive.set_model import EXACT, LEAST, Expectation, SetModel, by_set, expect
from vieta.adaptive.set_sums import MOST_SEEN, Free
from vieta.arrays import Floats, Integers
from vieta.search.exchanges import different_rows
from vieta.search.levels import OFTEN, small_solutions
from vieta.search.pair_signs import MOST_SETS
from vieta.search.problem import alternate, problem
from vieta.sets import Data
from vieta.tails import chi_square_tail
from vieta.weighted.sum_regression import as_matrices

SEEDS = 3  # of the greedy search under each input
STEPS = 8  # of EM
KEPT = 64  # states of partial assignments of many systems
MANY = 8  # systems, beyond which likelihoods are approximated, and there is one search:
TRIES = (
    5  # searches for parameters that make the means, until chance makes as large a difference with this probability:
)
CHANCE = 1e-3
MOST_MOVED = 6  # systems that are looked for elsewhere
HALF = 0.5  # probability of being false, from which on a reading is looked at again
FEWEST = 1e-3  # readings of a system under an input, below which its mean stays


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Sets whose inputs (N, 1, R) are a one for the different input that they have, which that is (N,), and the different inputs (R, D)."""

    data: Data
    group: Integers
    rows: Floats

    @classmethod
    def of(cls, data: Data, each: float = OFTEN) -> "Levels | None":
        """None where there are fewer sets than `each` for a different input, too many of these, or where a reading determines a system."""
        if data.reading_dim > 1 or data.dim == 1 or data.n_systems < 2:
            return None
        rows, (readings, offsets) = as_matrices(data)[:, 0], data.flat
        first, group = different_rows(rows)
        R = len(first)
        if R * each > len(data) or R > MOST_SETS:
            return None
        alone = Data(readings, np.eye(R)[group][:, None, :], R, offsets, data.n_systems)
        return cls(alone, group, rows[first])

    @property
    def kept(self) -> int:
        """States of partial assignments, beyond which likelihoods are approximated."""
        return EXACT if self.data.n_systems <= MANY else KEPT

    def expected(self, model: SetModel) -> Expectation:
        """What the readings are under means (L, R)."""
        return expect(self.data, model, self.kept)

    def height(self, model: SetModel) -> float:
        """The likelihood of means (L, R), with the prior of the density of false readings."""
        return float(self.expected(model).log_likelihood.sum()) + model.clutter.log_prior

    def means(self, model: SetModel, free: Free, floor: float) -> SetModel:
        """The likeliest means (L, R), from where a model's parameters (L, D) have them, from greedy searches, and from the best of these with
        one system of each input somewhere else.
        """
        rng, L = np.random.default_rng(0), len(model.theta)
        model = replace(model, theta=model.theta @ self.rows.T)

        def best_of(starts: list[SetModel]) -> SetModel:
            return self._iterated(self._together([self._iterated(one, free, floor) for one in starts]), free, floor)

        now = best_of([model, *(self._greedy(self.data, model, rng) for _ in range(SEEDS))])
        missed = self._greedy(self._unclaimed(now), now.reordered(np.arange(1)), rng).theta
        moved = [np.where(np.arange(L)[:, None] == l, missed, now.theta) for l in rng.permutation(L)[:MOST_MOVED]]
        return best_of([now, *(replace(now, theta=one) for one in moved)])

    def solutions(self, means: SetModel) -> list[Floats]:
        """Parameters (L, D) that make the means, in any order under each input; the best first."""
        R = len(self.rows)
        weight = np.sqrt(np.bincount(self.group) * R / len(self.data))[:, None]
        noise = np.array([[float(np.mean(means.sd**2))]])
        small = problem((means.theta.T * weight)[:, :, None], (self.rows * weight)[:, None, :], noise)
        found: list[Floats] = []
        for seed in range(TRIES if len(means.theta) <= MANY else 1):
            found += small_solutions(small, small, np.random.default_rng(seed))
            found.sort(key=lambda theta: alternate(small, theta, 1).cost)
            left = alternate(small, found[0], 1).cost * len(self.data) / R * float(means.detection.mean())
            if chi_square_tail(max(means.theta.size - found[0].size, 1), left) > CHANCE:
                break
        return found

    def _together(self, ends: list[SetModel]) -> SetModel:
        """The likeliest model, with the likeliest means of all models under each input."""
        rates = max(ends, key=self.height)
        heights = [
            np.bincount(self.group, self.expected(replace(rates, theta=one.theta)).log_likelihood) for one in ends
        ]
        best = np.argmax(heights, axis=0)
        means = np.stack([one.theta for one in ends])[best, :, np.arange(len(best))].T
        return replace(rates, theta=np.ascontiguousarray(means))

    def _greedy(self, data: Data, model: SetModel, rng: np.random.Generator) -> SetModel:
        """Systems under each input by the greedy search, with their deviation; where an input has no readings, as in the model."""
        theta, deviations = model.theta.copy(), [float(model.sd.mean())]
        for r in range(data.dim):
            part = data.at(np.flatnonzero(self.group == r))
            readings, offsets = part.flat
            if len(readings):
                alone = Sample.of(Data(readings, np.ones(len(part)), 1, offsets, len(theta)))
                found = first_systems(alone, len(theta), float(model.detection.mean()), rng)
                theta[:, r] = found.theta[:, 0]
                deviations += found.sd.tolist()
        return replace(model, theta=theta, sd=np.full(len(theta), np.median(deviations)))

    def _unclaimed(self, model: SetModel) -> Data:
        """The readings that are rather false than of a system."""
        data, (readings, offsets) = self.data, self.data.flat
        false = self.expected(model).false > HALF
        ends = np.concatenate([[0], np.cumsum(false)])[offsets].astype(np.int64)
        return Data(readings[false], data.inputs, data.dim, ends, data.n_systems)

    def _iterated(self, model: SetModel, free: Free, floor: float) -> SetModel:
        """After some steps of EM of means, deviation and rates."""
        for _ in range(STEPS):
            model = _step(self.data, self.group, model, self.expected(model), free, floor)
        return model


def level_starts(data: Data, model: SetModel, free: Free, floor: float) -> list[Floats]:
    """Parameters (L, D), the best first, where inputs repeat; `model` has the deviation and the rates to begin with."""
    levels = Levels.of(data)
    return [] if levels is None else levels.solutions(levels.means(model, free, floor))


def _step(data: Data, group: Integers, model: SetModel, found: Expectation, free: Free, floor: float) -> SetModel:
    """The model after a step of EM."""
    readings, offsets = data.flat
    P, N, (L, R) = found.pairs, len(data), model.theta.shape
    seen, first, second = (by_set(P * readings**power, offsets) for power in range(3))
    count, total = (np.stack([np.bincount(group, one[:, l], R) for l in range(L)]) for one in (seen, first))
    theta = np.where(count > FEWEST, total / np.maximum(count, FEWEST), model.theta)
    squares = second.sum() - 2.0 * (theta * total).sum() + (theta**2 * count).sum()
    sd = np.full(L, max(float(np.sqrt(max(squares, 0.0) / max(count.sum(), 1.0))), floor))
    detection, rate, clutter = model.detection, model.rate, model.clutter
    if free.detection != "none":
        detection = np.full(L, np.clip(count.sum() / (N * L), LEAST, MOST_SEEN))
    if free.rate:
        rate, clutter = (
            max(float(found.false.sum()) / N, LEAST),
            clutter.learned(clutter.counted(readings, found.false)),
        )
    return replace(model, theta=theta, sd=sd, detection=detection, rate=rate, clutter=clutter)
