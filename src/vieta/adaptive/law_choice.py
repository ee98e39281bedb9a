r"""Which law of the noise, and what is common to the systems: by the Bayesian information criterion

.. math:: \log p(\text{sets}) - \tfrac12 \log N \cdot (\text{number of parameters, deviations, probabilities and weights of the law}) .

Begun with the normal law, a common deviation and a common probability of being seen. Deviations of their own look like heavy tails, and
heavy tails like deviations of their own where systems lie close: laws are tried with both. Sieves get finer until the criterion falls.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.set_ascent import GAIN, Climbed, climb
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import survey
from vieta.adaptive.sieve import NAMED, UnitLaw, begun, points
from vieta.arrays import Floats
from vieta.sums import Passes, in_memory

MANY, FEWEST = (
    20_000,
    300,
)  # sets, of which the law is chosen on so many; of many systems on fewer, whose associations take longer:
EFFORT = 4_000_000  # sets times systems to the fourth power
WIDTHS = (0.5, 0.25, 0.125)
SCALES = np.exp(np.linspace(-0.5, 1.0, 31))
OFF = 3.0  # standard errors of the mean of residuals
MARGIN = 4.0  # of the criterion
ROUGH = 0.03  # gain of log-likelihood that ends a climb of a sieve
NARROWEST = 0.02  # deviation of a system, of the common one: below, it may have taken a single reading


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A climbed model, what is free in it, its criterion, the same under the normal law, and how constant the inputs are."""

    climbed: Climbed
    free: Free
    criterion: float
    normal: Climbed
    constant: float = 1.0

    @property
    def model(self) -> SetModel:
        """The model."""
        return self.climbed.model


def criterion(found: Climbed, free: Free) -> float:
    """The criterion of a climbed model."""
    numbers = found.model.theta.size + sum(free.counts(len(found.model.theta))) + found.model.law.n_parameters
    return float(found.height - 0.5 * np.log(max(found.sums.count, 2)) * numbers)


def choose(passes: Passes, start: SetModel, free: Free, floor: float) -> Chosen:
    """The best model that is climbed to from a start."""
    free = replace(free, sd="common")
    shared = replace(start, sd=np.full(len(start.sd), np.exp(np.log(start.sd).mean())))
    if free.detection == "common":
        shared = replace(shared, detection=np.full(len(start.sd), start.detection.mean()))
    found = climb(passes, shared, free, floor)
    best = Chosen(found, free, criterion(found, free), found, constant_part(passes))
    narrowest = max(floor, NARROWEST * float(found.model.sd[0]))
    freed = _freed(passes, best, narrowest)
    ways = [replace(one, normal=freed.climbed) for one in ((freed,) if freed is best else (freed, best))]
    return _finished(passes, max((_with_law(passes, one, narrowest) for one in ways), key=_criterion), narrowest)


def _finished(passes: Passes, chosen: Chosen, floor: float) -> Chosen:
    """Climbed to the end, where a climb was given up because it would not be better than another, and then was."""
    if chosen.climbed.converged:
        return chosen
    found = climb(passes, chosen.model, chosen.free, floor)
    return replace(chosen, climbed=found, criterion=criterion(found, chosen.free))


def choose_from_some(
    passes: Passes, n_sets: int, start: SetModel, free: Free, floor: float, most: int = MANY
) -> Chosen:
    """The same, where there are more than `most` sets, or many systems: the law is chosen on some, and the model then climbs on all."""
    many = min(most, enough_sets(len(start.theta)))
    if n_sets <= many:
        return choose(passes, start, free, floor)
    chosen = choose(in_memory(passes.spread(many, n_sets)), start, free, floor)
    found = climb(passes, chosen.model, chosen.free, floor, gain=_enough(chosen.model))
    normal = (
        found
        if chosen.model.law.is_normal
        else climb(passes, chosen.normal.model, replace(chosen.free, sd="own"), floor)
    )
    return Chosen(found, chosen.free, criterion(found, chosen.free), normal, chosen.constant)


def enough_sets(n_systems: int) -> int:
    """How many sets a law is chosen on.

    >>> [enough_sets(L) for L in (3, 5, 8, 12, 20)]
    [20000, 6400, 976, 300, 300]
    """
    return int(np.clip(EFFORT // n_systems**4, FEWEST, MANY))


def _with_law(passes: Passes, normal: Chosen, floor: float) -> Chosen:
    """With the law that the criterion prefers, and then what is common under it."""
    best = _learned(passes, _named(passes, normal, floor), floor)
    return best if best is normal else _freed(passes, best, floor)


def _freed(passes: Passes, now: Chosen, floor: float) -> Chosen:
    """With deviations and probabilities of their own, or common ones, where the criterion prefers it.

    A sieve goes on learning while that is tried, so that it must be better by a margin.
    """
    margin = 0.0 if now.model.law.weights is None else MARGIN
    flipped = {"common": "own", "own": "common", "none": "none"}
    for name in ("sd", "detection"):
        sd, detection = now.free.sd, now.free.detection
        other = replace(now.free, sd=flipped[sd]) if name == "sd" else replace(now.free, detection=flipped[detection])
        if other != now.free and len(now.model.theta) > 1:
            found = _climbed(passes, _suited(now.model, other), other, floor, now)
            now = found if found.criterion > now.criterion + margin else now
    return now


def _suited(model: SetModel, free: Free) -> SetModel:
    """The model with one deviation and one probability for all systems, where they are common."""
    L = len(model.sd)
    sd = np.full(L, np.exp(np.log(model.sd).mean())) if free.sd == "common" else model.sd
    detection = np.full(L, model.detection.mean()) if free.detection == "common" else model.detection
    return replace(model, sd=sd, detection=detection)


def _named(passes: Passes, now: Chosen, floor: float) -> Chosen:
    """With a law by name, if the criterion prefers one."""
    best = now
    for name in NAMED:
        scale = fitted_scale(name, now.climbed.sums.residuals)
        start = replace(now.model, law=UnitLaw(name=name), sd=now.model.sd * scale)
        best = max(best, _climbed(passes, start, now.free, floor, best), key=_criterion)
    return best


def fitted_scale(name: str, histogram: Floats) -> float:
    """The scale at which residuals in a histogram (G,) are likeliest under a law by name."""
    law, x = UnitLaw(name=name), points()
    return float(max(SCALES, key=lambda s: histogram @ (law.evaluate(x / s)[0] - np.log(s))))


def _learned(passes: Passes, now: Chosen, floor: float) -> Chosen:
    """With a sieve as the law, if the criterion prefers one; one whose mean is off may be too wide for the law, and finer ones are tried."""
    best = before = now
    for width in WIDTHS:
        law = begun(before.model.law, width, before.climbed.sums.residuals)
        before = _climbed(passes, replace(before.model, law=law), now.free, floor, best)
        if before.criterion > best.criterion:
            best = before
        elif np.isfinite(before.criterion):
            break
    return best


def _climbed(passes: Passes, model: SetModel, free: Free, floor: float, before: Chosen) -> Chosen:
    """A climbed model, or where the climb was given up because it would not be better than one before."""
    numbers = model.theta.size + sum(free.counts(len(model.theta))) + model.law.n_parameters
    goal = before.criterion + 0.5 * np.log(max(before.climbed.sums.count, 2)) * numbers
    found = climb(passes, model, free, floor, gain=_enough(model), goal=goal)
    if model.law.weights is not None and is_off(found, before.constant):
        found = climb(passes, found.model, free, floor, goal=goal)
    value = criterion(found, free) if model.law.is_normal or not is_off(found, before.constant) else -np.inf
    return Chosen(found, free, value, before.normal, before.constant)


def _enough(model: SetModel) -> float:
    """The gain of log-likelihood that ends a climb: a sieve goes on learning for very long, and moves nothing else then."""
    return GAIN if model.law.weights is None else ROUGH


def is_off(found: Climbed, constant: float = 1.0) -> bool:
    r"""Whether residuals have a mean that moves the parameters: :math:`c\,|\sum h u| > 3 \sqrt{\sum h u^2}`, h their histogram.

    A law of the wrong shape moves the parameters so that its own centre fits, and not its mean, where the inputs have a constant part c
    (`constant_part`). Where they have none, a mean moves nothing, and may come from tails that cannot be told from false readings.
    """
    h, u = found.sums.residuals, points()
    return bool(constant * abs(h @ u) > OFF * np.sqrt(h @ u**2))


def constant_part(passes: Passes) -> float:
    r"""How far inputs can make a constant, from 0 to 1: the multiple correlation :math:`c^2 = t'G^{-1}t / (Np)` with t the sum of the rows of
    :math:`\Psi`, and :math:`G = \sum \Psi'\Psi`.
    """
    known = survey(passes)
    total = known.total.sum(axis=0)
    share = total @ np.linalg.pinv(known.gram, hermitian=True) @ total / max(known.n_sets * len(known.total), 1)
    return float(np.sqrt(np.clip(share, 0.0, 1.0)))


def _criterion(one: Chosen) -> float:
    return one.criterion
