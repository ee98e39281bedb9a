r"""`em`: maximum likelihood by EM from the weighted estimate, eqs. Qdef and Q of the paper; batch only (`vieta.likelihood.expectation`)."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from vieta.method.base import BatchMethod
from vieta.method.efficient import METHOD as EFFICIENT
from vieta.method.one_step import METHOD as ONE_STEP
from vieta.method.one_step import OneStepOptions
from vieta.options import as_start, option
from vieta.predictions import Prediction, Setting
from vieta.solution import Solution
from vieta.sums import Passes


@dataclass(frozen=True, eq=False)
class EmOptions(OneStepOptions):
    """Options of EM."""

    start: ArrayLike | None = option(None, "Parameters (L, D) to start from; the weighted estimate if absent.")


class Em(BatchMethod):
    """Maximum likelihood by EM."""

    name = "em"
    line = "Maximum likelihood by EM from the weighted estimate, for a noise law that must be right (batch only)."
    Options = EmOptions
    thorough = True

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets."""
        from vieta.likelihood.associations import require_few
        from vieta.likelihood.assumed import assume
        from vieta.likelihood.conclusion import em_solution

        require_few(passes.like.n_systems)
        start = as_start(options.start, passes.like.n_systems, passes.like.dim)
        noise = assume(options.law, options.noise_var)
        return em_solution(passes, noise, start, law_free=EFFICIENT.name, one_step=ONE_STEP.name)

    def predict(self, setting: Setting) -> Prediction:
        """The Cramér-Rao bound."""
        return ONE_STEP.predict(setting)


METHOD = Em()
