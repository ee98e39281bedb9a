r"""`efficient`: weighted estimation in parameter space, the default online, and in batch for many sets.

In batch, the root of the weighted estimating equations :math:`\sum_k J'V^{-1}(z_k - E z_k) = 0` after a global search; online, the
filter in information form

.. math:: H_k = f H_{k-1} + J_k'V_k^{-1}J_k, \qquad \theta_k = \theta_{k-1} + H_k^{-1} J_k'V_k^{-1}(z_k - E z_k),

with z the values of the set's polynomial at nodes near the predicted readings (`vieta.weighted`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.errors import InputError
from vieta.method.base import Method
from vieta.options import Options, as_cap, as_drift, as_forgetting, as_shock, is_auto, option
from vieta.predictions import Prediction, Setting
from vieta.set_requirements import require_affordable
from vieta.sets import Data
from vieta.solution import Solution
from vieta.sums import Passes

if TYPE_CHECKING:
    from vieta.weighted.tracking_state import Settings


@dataclass(frozen=True, eq=False)
class EfficientOptions(Options):
    """Options of the weighted estimator."""

    memory: float | None = option(
        None, "Old sets lose weight, so that about so many are remembered; all of them by default.", "number", "SETS"
    )
    drift: ArrayLike | str | None = option(
        None,
        "Variance that each parameter's random walk adds with every set, one or D of them; 'auto' to estimate it when the parameters move.",
        "numbers-or-auto",
        "VAR",
    )
    robust: bool = option(False, "Bound the influence of each set, where outliers dominate.", "switch")
    shock: str = option(
        "auto",
        "Noise that the systems share: common, none, or auto to test for it; it is allowed for in batch, and online where readings are "
        "numbers.",
        "text",
        "KIND",
    )

    def settings(self, n_systems: int, dim: int) -> "Settings":
        """Checked, for L systems with D parameters each."""
        from vieta.weighted.tracking_state import Settings

        drift = as_drift(self.drift, n_systems, dim)
        return Settings(
            as_forgetting(self.memory), drift, as_cap(self.robust), is_auto(self.drift), as_shock(self.shock)
        )

    def require_shock(self, *, batch: bool) -> str:
        """The option `shock`, checked: a shock is modelled in a fit of all sets, without bounds on influence."""
        shock = as_shock(self.shock)
        if shock == "common" and not (batch and not self.tracks and not self.robust):
            raise InputError(
                "shock-not-modelled",
                "{option.shock:common} is for a fit of all sets at once, without {option.memory}, {option.drift} "
                "or {flag.robust}. Leave it out, or leave those out.",
            )
        return shock

    @property
    def tracks(self) -> bool:
        """Whether old sets count for less than new ones."""
        return self.memory is not None or self.drift is not None


class Efficient(Method):
    """Weighted estimation."""

    name = "efficient"
    line = "Weighted estimation without a noise law: where the noise allows, as good as with labels (the default online, and for many sets)."
    Options = EfficientOptions
    default = True
    thorough = True

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets; with a memory or a drift, that of the filter after the last set."""
        require_affordable(passes.like)
        options.require_shock(batch=True)
        if options.tracks:
            return super().fit(passes, options)
        from vieta.weighted.weighted_fit import solution

        return solution(passes, options.settings(passes.like.n_systems, passes.like.dim))

    def engine(self, like: Data, options: Any) -> Engine:
        """The filter."""
        from vieta.weighted.weighted_engine import WeightedEngine

        require_affordable(like)
        options.require_shock(batch=False)
        return WeightedEngine(like, options.settings(like.n_systems, like.dim))

    def predict(self, setting: Setting) -> Prediction:
        """The inverse of the mean information."""
        from vieta.weighted.weighted_errors import efficient_covariance

        return efficient_covariance(setting.theta, setting.noise, setting.inputs)


METHOD = Efficient()
