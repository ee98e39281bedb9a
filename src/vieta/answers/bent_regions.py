r"""Whether the likelihood of answers falls as fast as its curvature at the estimate says, so that intervals are as wide as they should be.

Intervals are those of the quadratic that the information makes. At `AWAY` standard errors t of a parameter, along the way on which the
quadratic is highest and with the other unknowns as likely as can be, it has fallen by :math:`t^2/2`. Where the likelihood itself has fallen by
less than half of :math:`\chi^2_1(.95)`, that value is not excluded with 95 % confidence, and lies outside the interval of that level. Where the
information is the sum of the squares of scores, which varies by chance, :math:`\chi^2_1(.9)` stands in its place: with the other a tenth of the
estimates from 2000 sets of ratings were doubted, whose intervals hold the truth as often as they should.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from vieta.answers.answer_climb import Climb, climb_sums, held
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerSums
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes

AWAY = 2.5  # standard errors
EXCLUDED, DOUBTED = (
    1.92,
    1.35,
)  # log-likelihood: half of the chi-square quantiles of one degree of freedom at .95 and .9
LOOKED_AT = 2.8  # the same along a straight way, below which the other unknowns follow
COMPARED = 2000  # sets
FOLLOWING, ROUGH = 5, 0.02  # iterations of the other unknowns, and the gain that ends them
FLAT = 1e6  # variance of a predictor of which nothing is known


def of_regions(passes: Passes, law: Any, best: Climb, root: Floats) -> tuple[Finding, ...]:
    """A finding if an interval is too short."""
    if law.robust:
        return ()
    some = passes.spread(COMPARED, best.sums.count)
    lowest = min(profile_drops(some, law, best, root), default=np.inf)
    least = EXCLUDED if law.has_mean_information else DOUBTED
    return (finding("intervals-short", drop=max(lowest, 0.0), expected=0.5 * AWAY**2),) if lowest < least else ()


def profile_drops(some: Data, law: Any, best: Climb, root: Floats) -> Iterator[float]:
    """How far the likelihood of all sets falls, by that of some, on either side of each parameter, where it seems to fall slowly.

    The slope that the likelihood of some sets has where that of all has none is taken off.
    """
    times, start = best.sums.count / len(some), law.sums(some, best.u)
    cov = inverse(best.sums.information)

    def level(place: Floats) -> AnswerSums:
        sums: AnswerSums = law.sums(some, place)
        sloped = float(start.score @ (place - best.u))
        return replace(sums, likelihood=sums.likelihood - sloped, score=sums.score - start.score)

    for i in range(law.n_systems * law.dim):
        if not cov[i, i] * root[i % law.dim, i % law.dim] ** 2 < FLAT:
            continue
        for side in (1.0, -1.0):
            u = best.u + side * AWAY * cov[:, i] / np.sqrt(cov[i, i])
            drop = times * (start.likelihood - level(u).likelihood)
            yield drop if drop > LOOKED_AT else times * (start.likelihood - _followed(level, law, u, i, root))


def _followed(level: Callable[[Floats], AnswerSums], law: Any, u: Floats, i: int, root: Floats) -> float:
    """The likelihood where an unknown is held and the others follow."""
    return climb_sums(lambda place: held(level(place), i), law, u, root, iterations=FOLLOWING, gain=ROUGH).height
