r"""Where inputs repeat: do the systems' means under each input follow the inputs?

With R different inputs, means of their own under each have L (R - D) numbers more than parameters do. Under the normal law, one deviation and
one probability of being seen,

.. math:: 2\,\bigl(\log p(\text{sets} \mid m_{rl}) - \log p(\text{sets} \mid \psi_r'\theta_l)\bigr) \sim \chi^2_{L(R-D)}

where the solution is right (`vieta.adaptive.level_means`). It is larger where the search has missed it, and where readings do not follow the
inputs as they are given.
"""

from dataclasses import replace

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST, AdaptiveFit
from vieta.adaptive.assumed_scores import Outcome
from vieta.adaptive.level_means import MANY, Levels
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_start import serving
from vieta.adaptive.set_sums import Free
from vieta.findings import Finding, finding
from vieta.sums import Passes, in_memory
from vieta.tails import chi_square_tail

EACH = 8.0  # sets for each different input, from which on the test has the level that it says
LEVEL = 1e-4  # probability of a false alarm
TIMES = 2.0  # its mean, that the statistic of many systems, which is approximated, must exceed


def against_levels(passes: Passes, found: AdaptiveFit) -> Outcome | None:
    """The test on some of the sets; None where inputs do not repeat often enough."""
    model, given = found.chosen.normal.model, found.chosen.free
    data, L = passes.spread(serving(len(model.theta)), found.known.n_sets), len(model.theta)
    levels = Levels.of(data, EACH)
    if levels is None or len(levels.rows) <= data.dim:
        return None
    free = Free("common", "none" if given.detection == "none" else "common", given.rate)
    shared = replace(model, sd=np.full(L, np.sqrt(np.mean(model.sd**2))), detection=np.full(L, model.detection.mean()))
    floor = SMALLEST * model.clutter.extent
    lines = climb(in_memory(data), shared, free, floor, kept=levels.kept)
    statistic = max(2.0 * (levels.height(levels.means(lines.model, free, floor)) - lines.height), 0.0)
    degrees = L * (len(levels.rows) - data.dim)
    return Outcome(statistic, degrees, chi_square_tail(degrees, statistic))


def of_levels(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """A finding where the means under each input do not follow the inputs."""
    told = against_levels(passes, found)
    many = len(found.chosen.model.theta) > MANY
    if told is None or told.p_value > LEVEL or (many and told.statistic < TIMES * told.df):
        return ()
    return (finding("means-misfit", n_systems=len(found.chosen.model.theta), p=told.p_value),)
