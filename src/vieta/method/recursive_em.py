r"""`recursive-em`: the paper's rival, likelihood steps a set at a time, eq. rem (`vieta.likelihood.recursive_scoring`)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.method.base import Method
from vieta.method.efficient import METHOD as EFFICIENT
from vieta.method.one_step import METHOD as ONE_STEP
from vieta.options import Options, as_start, as_steps, option
from vieta.predictions import Prediction, Setting
from vieta.sets import Data

if TYPE_CHECKING:
    from vieta.laws.labels import Weighted
    from vieta.laws.noise import Scaled


@dataclass(frozen=True, eq=False)
class RecursiveEmOptions(Options):
    """Options of recursive EM.

    `law` and `noise_var` are those of `vieta.method.one_step.OneStepOptions`.
    """

    law: "str | Scaled | None" = option(None, "Noise law: gaussian, laplace or student-t.", "text", "LAW")
    noise_var: ArrayLike | str | None = option(
        None, "Noise variance, if it is known; estimated by default.", "number", "VAR"
    )
    prior: "ArrayLike | Weighted | None" = option(
        None,
        "How likely each order within a set is: probabilities of all L! orders, lexicographically, or a "
        "vieta.laws.labels.Weighted. Then the order carries meaning; system l is row l of the start.",
    )
    step: ArrayLike | None = option(
        None, "One constant step, as in the paper; by default steps are scaled by the information.", "numbers", "STEP"
    )
    start: ArrayLike | None = option(
        None, "Parameters (L, D) to start from, with a step; a fit of the first sets if absent."
    )


class RecursiveEm(Method):
    """Recursive EM with the weighted filter beside it."""

    name = "recursive-em"
    line = "The paper's rival: likelihood steps a set at a time; biased if the noise law is wrong."
    Options = RecursiveEmOptions

    def wants_ascending(self, options: Any) -> bool:
        """Without a prior over the orders."""
        return options.prior is None

    def engine(self, like: Data, options: Any) -> Engine:
        """The recursion."""
        from vieta.likelihood.associations import require_few
        from vieta.likelihood.assumed import assume
        from vieta.likelihood.orders import informative
        from vieta.likelihood.recursive_engine import RecursiveEngine, require_step

        step = None if options.step is None else as_steps(options.step, 1)
        start = as_start(options.start, like.n_systems, like.dim)
        require_few(like.n_systems)
        require_step(start, step)
        return RecursiveEngine(
            like,
            assume("gaussian" if options.law is None else options.law, options.noise_var),
            0.0 if step is None else float(step[0]),
            start,
            None if options.prior is None else informative(options.prior, like.n_systems),
            law_free=EFFICIENT.name,
        )

    def predict(self, setting: Setting) -> Prediction:
        """The Cramér-Rao bound, with steps by the information."""
        return ONE_STEP.predict(setting)


METHOD = RecursiveEm()
