r"""`one-step`: Fisher scoring from the weighted estimate, which reaches the Cramér-Rao bound if the noise law is right; batch only.

.. math:: \theta_1 = \theta_0 + \Bigl(\sum_k s_k s_k'\Bigr)^{-1} \sum_k s_k
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vieta.method.base import BatchMethod
from vieta.method.efficient import METHOD as EFFICIENT
from vieta.options import Options, option
from vieta.predictions import Prediction, Setting
from vieta.solution import Solution
from vieta.sums import Passes

if TYPE_CHECKING:
    from vieta.laws.noise import Scaled


@dataclass(frozen=True, eq=False)
class OneStepOptions(Options):
    """Options of the likelihood methods on all sets.

    `law` may also be a law of `vieta.laws.noise`; `noise_var` may also be "estimate", for a law that comes with a variance.
    """

    law: "str | Scaled" = option("gaussian", "Noise law: gaussian, laplace or student-t.", "text", "LAW")
    noise_var: ArrayLike | str | None = option(
        None, "Noise variance, if it is known; estimated by default.", "number", "VAR"
    )


class OneStep(BatchMethod):
    """A scoring step from the weighted estimate."""

    name = "one-step"
    line = "A likelihood step from the weighted estimate: the least error there is, if the noise law is right (batch only)."
    Options = OneStepOptions
    thorough = True

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets."""
        from vieta.likelihood.associations import require_few
        from vieta.likelihood.assumed import assume
        from vieta.likelihood.conclusion import one_step_solution

        require_few(passes.like.n_systems)
        return one_step_solution(passes, assume(options.law, options.noise_var), law_free=EFFICIENT.name)

    def predict(self, setting: Setting) -> Prediction:
        """The Cramér-Rao bound."""
        from vieta.likelihood.cramer_rao import cramer_rao

        return cramer_rao(setting.theta, setting.noise, setting.inputs, draws=setting.draws, seed=setting.seed)


METHOD = OneStep()
