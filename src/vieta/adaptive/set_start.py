"""Models to begin from: greedy searches with several seeds, each climbing a little on some of the sets; the likeliest first.

Where systems have more parameters than a reading has numbers, the search for complete sets gives another one, of the sets with as many readings
as systems; where inputs repeat, the means under each of them give more (`vieta.adaptive.level_means`); and the best one is then improved by
pair moves: two systems are looked for again among the readings that are theirs.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.first_systems import First, Sample, first_systems
from vieta.adaptive.level_means import level_starts
from vieta.adaptive.set_ascent import Climbed, climb
from vieta.adaptive.set_model import LEAST, SetModel, expect
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import Survey
from vieta.adaptive.sieve import UnitLaw
from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.matching import match_rows
from vieta.sets import Data
from vieta.sums import Passes, in_memory
from vieta.weighted import solve
from vieta.weighted.sum_regression import regress

SETS, FEWEST_SETS = 600, 120  # that serve; of many systems fewer do, whose associations take longer:
EFFORT = 24_000  # sets times squared systems
SEEDS = 4
ITERATIONS, GAIN, KEPT = 25, 0.05, 64  # of a climb
MOST_PAIRS = 15
BETTER = 0.5  # log-likelihood that a move must gain
DIFFERENT = 0.3  # deviations between solutions that count as two
LEVELS = 3  # solutions by averages, where inputs repeat
FEWEST_FULL = 30  # sets with a reading for each system, for a search among them
SEEN = 0.7  # probability of being seen to begin with, where false readings hide it


def starts(passes: Passes, known: Survey, n_systems: int, free: Free, floor: float) -> list[Climbed]:
    """Different models on some of the sets, the likeliest first."""
    data = passes.spread(serving(n_systems), known.n_sets)
    sample, part = Sample.of(data), in_memory(data)
    detection = guess(known, n_systems, free)
    own = replace(free, sd="own")

    def climbed(model: SetModel) -> Climbed:
        return climb(part, model, own, floor, ITERATIONS, GAIN, KEPT)

    def best_first(found: list[Climbed]) -> list[Climbed]:
        return sorted(found, key=lambda one: -one.height)

    firsts = [first_systems(sample, n_systems, detection, np.random.default_rng(seed)) for seed in range(SEEDS)]
    found = [climbed(first_model(known, one, sample.unit, detection, free)) for one in firsts]
    sd = np.full(n_systems, np.median(found[0].model.sd))
    full = [First(theta, sd) for theta in _of_full_sets(data)]
    found = best_first([*found, *(climbed(first_model(known, one, sample.unit, detection, free)) for one in full)])
    best = found[0].model
    levels = level_starts(data, best, free, floor)[:LEVELS]
    found = best_first([*found, *(climbed(replace(best, theta=theta)) for theta in levels)])
    if passes.like.dim > passes.like.reading_dim and n_systems > 2:
        found = best_first([*found, *rearranged(data, found[0], own, floor, detection)])
    return different(found, known.gram / known.n_sets)


def serving(n_systems: int) -> int:
    """How many sets a search looks at.

    >>> [serving(L) for L in (3, 6, 8, 12, 20)]
    [600, 600, 375, 166, 120]
    """
    return int(np.clip(EFFORT // n_systems**2, FEWEST_SETS, SETS))


def _of_full_sets(data: Data) -> list[Floats]:
    """Parameters (L, D) by the search for complete sets, of those with as many readings as systems; none where values need no pairing."""
    if data.reading_dim > 1 or data.dim == 1 or data.n_systems < 2:
        return []
    full = data.at(np.flatnonzero(data.sizes == data.n_systems))
    if len(full) < max(FEWEST_FULL, 4 * data.dim):
        return []
    passes = in_memory(Data(full.readings.reshape(len(full), data.n_systems, -1), full.inputs, data.dim))
    try:
        start = solve.find_start(passes, regress(passes))
    except (NotIdentifiableError, np.linalg.LinAlgError):
        return []
    rival = [] if start.rival is None else [start.rival.theta]
    return [start.theta, *rival]


def guess(known: Survey, n_systems: int, free: Free) -> float:
    """A rough probability of being seen."""
    if free.detection == "none":
        return 1.0 - LEAST
    return SEEN if free.rate else float(np.clip(known.mean_size / n_systems, 0.05, 0.98))


def first_model(known: Survey, first: First, unit: Floats, detection: float, free: Free) -> SetModel:
    """The model of first systems: normal noise, readings of a rough probability, false ones anywhere."""
    L = len(first.theta)
    shape = np.diag(unit**2) / np.mean(unit**2)
    rate = max(known.mean_size - L * detection, 0.1 * known.mean_size, LEAST) if free.rate else LEAST
    clutter = flat_density(known.low, known.high, known.n_readings)
    return SetModel(first.theta, np.maximum(first.sd, 1e-300), shape, np.full(L, detection), rate, clutter, UnitLaw())


def different(found: list[Climbed], gram: Floats) -> list[Climbed]:
    """Those that differ from all before them; `gram` (D, D) is the mean of Psi'Psi."""
    kept: list[Climbed] = []
    for one in found:
        if all(distance(one.model, other.model, gram) > DIFFERENT for other in kept):
            kept.append(one)
    return kept


def distance(model: SetModel, other: SetModel, gram: Floats) -> float:
    """How far the means of two models are apart, root mean square over the sets, in deviations, for the system that differs most."""
    root = np.linalg.cholesky(gram + 1e-12 * np.trace(gram) * np.eye(len(gram))).T
    a, b = model.theta @ root.T, other.theta @ root.T
    order = match_rows(a, b, unit=1.0)
    gap = np.linalg.norm(a[order] - b, axis=1) / np.maximum(model.sd[order], 1e-300)
    return float(gap.max() / np.sqrt(len(model.shape)))


def rearranged(data: Data, now: Climbed, free: Free, floor: float, detection: float) -> list[Climbed]:
    """All that looking again for two systems at a time leads to, each time from the best so far."""
    part, rng, met = in_memory(data), np.random.default_rng(0), []
    pairs = list(combinations(range(len(now.model.theta)), 2))
    for place in rng.permutation(len(pairs))[:MOST_PAIRS]:
        chosen = list(pairs[place])
        own = _theirs(data, now.model, chosen)
        if own is None:
            continue
        first = first_systems(Sample.of(own), 2, detection, rng)
        theta = now.model.theta.copy()
        theta[chosen] = first.theta
        there = climb(part, replace(now.model, theta=theta), free, floor, ITERATIONS, GAIN, KEPT)
        met.append(there)
        if there.height > now.height + BETTER:
            now = there
    return met


def _theirs(data: Data, model: SetModel, chosen: list[int]) -> Data | None:
    """The readings that are rather those of the chosen systems than of others; None if they are too few."""
    readings, offsets = data.flat
    own = expect(data, model, KEPT).pairs[:, chosen].sum(axis=1) > 0.5
    if own.sum() < 4 * model.theta.shape[1]:
        return None
    ends = np.concatenate([[0], np.cumsum(own)])[offsets]
    return Data(readings[own], data.inputs, data.dim, ends.astype(np.int64), 2)
