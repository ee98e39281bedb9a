r"""`adaptive`: maximum likelihood over partial assignments, for sets with missed and false readings, and a noise law that is learned.

.. math:: \max \sum_k \log \sum_M \prod_{(i,l) \in M} p_l f\bigl((y_i - \Psi\theta_l)/\sigma_l\bigr)/\sigma_l
    \prod_{i \notin M} \Lambda c(y_i) \prod_{l \notin M} (1 - p_l) \; e^{-\Lambda}

over parameters, deviations, the probability of being seen, the rate and density of false readings, and the law f (`vieta.adaptive`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.method.base import Method
from vieta.method.one_step import METHOD as ONE_STEP
from vieta.options import Options, as_decision, as_drift, as_forgetting, is_auto, option
from vieta.predictions import Prediction, Setting
from vieta.set_requirements import require_affordable
from vieta.sets import Data
from vieta.solution import Solution
from vieta.sums import Passes

if TYPE_CHECKING:
    from vieta.adaptive.stream_scoring import Settings

FEWEST, SETS, SYSTEMS = 200, 20_000, 12  # complete sets that the law of their noise is learned from by default
EFFORT = 100_000_000  # of them times L² 2^L


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
    memory: float | None = option(
        None, "Old sets lose weight, so that about so many are remembered; all of them by default.", "number", "SETS"
    )
    drift: ArrayLike | str | None = option(
        None,
        "Variance that each parameter's random walk adds with every set, one or D of them; 'auto' to estimate it when the parameters move.",
        "numbers-or-auto",
        "VAR",
    )

    def settings(self, n_systems: int, dim: int) -> "Settings":
        """Checked, for L systems with D parameters each."""
        from vieta.adaptive.stream_scoring import Settings

        misses, clutter = as_decision(self.misses, "misses"), as_decision(self.clutter, "clutter")
        return Settings(
            as_forgetting(self.memory), as_drift(self.drift, n_systems, dim), misses, clutter, is_auto(self.drift)
        )


class Adaptive(Method):
    """Likelihood over partial assignments."""

    name = "adaptive"
    line = "Likelihood with a noise law that is learned, also for missed and false readings (the default for up to 20,000 sets)."
    Options = AdaptiveOptions
    takes_incomplete = True
    for_incomplete = True
    counts_systems = True
    thorough = True

    def suits(self, passes: Passes) -> bool:
        """Where learning a law takes a second or a few: it is more precise than the default, and takes longer for each set."""
        if not passes.like.is_complete or passes.like.n_systems > SYSTEMS:
            return False
        L = passes.like.n_systems
        most = min(SETS, EFFORT // (L * L << L))
        return FEWEST <= len(passes.head(most + 1)) <= most

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets; with a memory or a drift, that of the filter after the last set."""
        from vieta.adaptive.adaptive_solution import solution

        require_affordable(passes.like)
        settings = options.settings(passes.like.n_systems, passes.like.dim)
        if settings.tracks or settings.wanders:
            return super().fit(passes, options)
        return solution(passes, misses=settings.misses, clutter=settings.clutter)

    def engine(self, like: Data, options: Any) -> Engine:
        """The filter."""
        from vieta.adaptive.adaptive_engine import AdaptiveEngine

        require_affordable(like)
        return AdaptiveEngine(like, options.settings(like.n_systems, like.dim))

    def predict(self, setting: Setting) -> Prediction:
        """The Cramér-Rao bound of complete sets under the law, which it need not be told."""
        return ONE_STEP.predict(setting)


METHOD = Adaptive()
