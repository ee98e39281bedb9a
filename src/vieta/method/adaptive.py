r"""`adaptive`: maximum likelihood over partial assignments, for sets with missed and false readings, and a noise law that is learned.

.. math:: \max \sum_k \log \sum_M \prod_{(i,l) \in M} p_l f\bigl((y_i - \Psi\theta_l)/\sigma_l\bigr)/\sigma_l
    \prod_{i \notin M} \Lambda c(y_i) \prod_{l \notin M} (1 - p_l) \; e^{-\Lambda}

over parameters, deviations, the probability of being seen, the rate and density of false readings, and the law f (`vieta.adaptive`).
"""

from dataclasses import dataclass
from typing import Any

from vieta.method.base import BatchMethod
from vieta.method.one_step import METHOD as ONE_STEP
from vieta.options import Options, as_decision, option
from vieta.predictions import Prediction, Setting
from vieta.sets import require_affordable
from vieta.solution import Solution
from vieta.sums import Passes


@dataclass(frozen=True, eq=False)
class AdaptiveOptions(Options):
    """Options of the likelihood over partial assignments."""

    misses: bool | str = option(
        "auto",
        "Whether systems may have no reading in a set; auto: where some set has fewer readings than there are systems, or some are false.",
        "decision",
    )
    clutter: bool | str = option(
        "auto",
        "Whether readings may be false; auto: where some set has more readings than there are systems.",
        "decision",
    )


class Adaptive(BatchMethod):
    """Likelihood over partial assignments."""

    name = "adaptive"
    line = "Likelihood for sets with missed and false readings, with a noise law that is learned (batch only)."
    Options = AdaptiveOptions
    takes_incomplete = True
    for_incomplete = True
    counts_systems = True
    thorough = True

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets."""
        from vieta.adaptive.adaptive_solution import solution

        require_affordable(passes.like)
        misses, clutter = as_decision(options.misses, "misses"), as_decision(options.clutter, "clutter")
        return solution(passes, misses=misses, clutter=clutter)

    def predict(self, setting: Setting) -> Prediction:
        """The Cramér-Rao bound of complete sets under the law, which it need not be told."""
        return ONE_STEP.predict(setting)


METHOD = Adaptive()
