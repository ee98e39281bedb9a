r"""Standard errors where the likelihood of answers falls more slowly than its curvature at the estimate says.

Intervals are those of the quadratic that the information makes. With the other unknowns as likely as can be, t standard errors from the
estimate of a parameter the log-likelihood has fallen by d(t), which is :math:`t^2/2` for a quadratic. Values with
:math:`d(t) < \chi^2_1(.95)/2` are not excluded with 95 % confidence. Where such values lie outside the interval of that level, the standard
error is multiplied by

.. math:: \max(1, t^*/1.96), \qquad d(t^*) = \tfrac12 \chi^2_1(.95),

on the side where :math:`t^*` is larger, so that the interval holds them. The same at 99 % tells how far from a quadratic the likelihood is:
where it bends, it does so more and more as one goes away.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vieta.answers.answer_climb import Climb, climb_sums, held
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerSums
from vieta.arrays import Floats
from vieta.findings import Finding, Severity, finding
from vieta.sets import Data
from vieta.sums import Passes

PLACES = (
    1.96,
    2.58,
    3.3,
    4.3,
    6.0,
    8.5,
    12.0,
)  # standard errors at which it is looked at, the first two those of intervals
EXCLUDED = (1.92, 3.32)  # log-likelihood: half of the chi-square quantiles of one degree of freedom at .95 and .99
LOOKED_AT = 10.0  # the same along a straight way, below which the other unknowns follow
COMPARED = 4000  # sets
FOLLOWING, ROUGH = 8, 0.02  # iterations of the other unknowns, and the gain that ends them
FLAT = 1e6  # variance of a predictor of which nothing is known
TOLD, FAR = 1.3, 2.0  # times by which intervals grow: worth telling, and far from any quadratic

Level = Callable[[Floats], AnswerSums]


class Regions(NamedTuple):
    """By how much standard errors grow (L D,), and what is to be said of it."""

    times: Floats
    findings: tuple[Finding, ...] = ()


class End(NamedTuple):
    """Where 95 % and 99 % confidence end, in standard errors of the curvature, and whether the likelihood has fallen so far at all."""

    near: float
    far: float
    is_closed: bool


def regions(passes: Passes, law: Any, best: Climb, root: Floats) -> Regions:
    """How much wider intervals must be to hold what the likelihood does not exclude."""
    n = law.n_systems * law.dim
    if law.robust:
        return Regions(np.ones(n))
    ends = profile_ends(passes.spread(COMPARED, best.sums.count), law, best, root)
    times = np.array([max((one.near for one in both), default=PLACES[0]) / PLACES[0] for both in ends])
    every = [one for both in ends for one in both]
    if not all(one.is_closed for one in every):
        return Regions(times, (finding("intervals-short", away=PLACES[-1]),))
    most, far = float(times.max()), max((one.far for one in every), default=PLACES[1]) / PLACES[1]
    if max(most, far) > FAR or most > TOLD:
        severity: Severity = "caution" if max(most, far) > FAR else "note"
        return Regions(times, (finding("intervals-widened", severity, times=most, far=far),))
    return Regions(times)


def profile_ends(some: Data, law: Any, best: Climb, root: Floats) -> list[tuple[End, ...]]:
    """The two ends of each parameter, by the likelihood of some sets in the place of all; none where nothing is known of it.

    The slope that the likelihood of some sets has where that of all has none is taken off.
    """
    times, start = best.sums.count / len(some), law.sums(some, best.u)
    cov = inverse(best.sums.information)

    def level(place: Floats) -> AnswerSums:
        sums: AnswerSums = law.sums(some, place)
        sloped = float(start.score @ (place - best.u))
        return replace(
            sums,
            likelihood=times * (sums.likelihood - sloped - start.likelihood),
            score=times * (sums.score - start.score),
            information=times * sums.information,
            labeled=times * sums.labeled,
        )

    found: list[tuple[End, ...]] = []
    for i in range(law.n_systems * law.dim):
        known = cov[i, i] * root[i % law.dim, i % law.dim] ** 2 < FLAT
        step = cov[:, i] / np.sqrt(cov[i, i])
        found.append(tuple(_end(level, law, best.u, side * step, i, root) for side in (1.0, -1.0)) if known else ())
    return found


def _end(level: Level, law: Any, u: Floats, step: Floats, i: int, root: Floats) -> End:
    """The ends of an unknown on the side of a step of one standard error, no nearer than those of the quadratic."""
    places, drops = [0.0], [0.0]
    for place in PLACES:
        u = u + (place - places[-1]) * step
        drop = -level(u).likelihood
        if drop < LOOKED_AT:
            there = climb_sums(lambda at: held(level(at), i), law, u, root, iterations=FOLLOWING, gain=ROUGH)
            u, drop = there.u, -there.height
        places.append(place)
        drops.append(max(drop, drops[-1]))
        if drop >= EXCLUDED[-1]:
            break
    near, far = np.interp(np.sqrt(EXCLUDED), np.sqrt(drops), places)
    return End(max(near, PLACES[0]), max(far, PLACES[1]), drops[-1] >= EXCLUDED[0])
