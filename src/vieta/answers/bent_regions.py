r"""Intervals and standard errors where the likelihood of answers is no quadratic.

With the other unknowns as likely as can be, t standard errors from the estimate of a parameter the log-likelihood has fallen by d(t), which
is :math:`t^2/2` for a quadratic. Values with :math:`d(t) < \chi^2_1(\gamma)/2` are not excluded with confidence :math:`\gamma`. The interval
ends where they end on either side, :math:`t_-` and :math:`t_+`, and the standard error is multiplied by

.. math:: \max\Bigl(1, \frac{1}{1.96} \sqrt{(t_-^2 + t_+^2)/2}\Bigr)

at 95 %. All in all no interval is shorter than that of the quadratic: it moves to the side where the likelihood falls more slowly. The same
at 99 % tells how far from a quadratic the likelihood is: where it bends, it does so more and more as one goes away.
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
    """How far the lower and the upper ends of intervals at 95 and 99 % are away (L D, 2, 2), over those of the quadratic, and what is to be
    said of it.
    """

    reach: Floats
    findings: tuple[Finding, ...] = ()


class End(NamedTuple):
    """Where 95 % and 99 % confidence end, in standard errors of the curvature, and whether the likelihood has fallen so far at all."""

    near: float
    far: float
    is_closed: bool


def straight(n: int) -> Floats:
    """The ends of n quadratics."""
    return np.ones((n, 2, 2))


def shared_out(reach: Floats) -> tuple[Floats, Floats]:
    """By how much standard errors grow (n,), and the ends (n, 2, 2) over those that they make then."""
    sizes = np.sqrt(np.square(reach[:, :, 0]).mean(axis=1))
    return np.maximum(sizes, 1.0), reach / sizes[:, None, None]


def regions(passes: Passes, law: Any, best: Climb, root: Floats) -> Regions:
    """Intervals that hold what the likelihood does not exclude."""
    n = law.n_systems * law.dim
    if law.robust:
        return Regions(straight(n))
    ends = profile_ends(passes.spread(COMPARED, best.sums.count), law, best, root)
    reach = straight(n)
    for i, both in enumerate(ends):
        for side, one in enumerate(both):
            reach[i, side] = one.near / PLACES[0], one.far / PLACES[1]
    if not all(one.is_closed for both in ends for one in both):
        return Regions(reach, (finding("intervals-short", away=PLACES[-1]),))
    most, far = reach.max(axis=(0, 1))
    if max(most, far) > FAR or most > TOLD:
        severity: Severity = "caution" if max(most, far) > FAR else "note"
        return Regions(reach, (finding("intervals-widened", severity, times=float(most), far=float(far)),))
    return Regions(reach)


def profile_ends(some: Data, law: Any, best: Climb, root: Floats) -> list[tuple[End, ...]]:
    """The lower and the upper end of each parameter, by the likelihood of some sets in the place of all; none where nothing is known of it.

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
        found.append(tuple(_end(level, law, best.u, side * step, i, root) for side in (-1.0, 1.0)) if known else ())
    return found


def _end(level: Level, law: Any, u: Floats, step: Floats, i: int, root: Floats) -> End:
    """The ends of an unknown on the side of a step of one standard error."""
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
    return End(float(near), float(far), drops[-1] >= EXCLUDED[0])
