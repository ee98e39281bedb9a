r"""`lms`: the paper's adaptive filter, least mean squares on the symmetric coefficients (`vieta.coefficients.lms_recursion`)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.errors import InputError
from vieta.method.base import Method
from vieta.method.least_squares import LeastSquaresOptions
from vieta.options import option
from vieta.predictions import Prediction, Setting
from vieta.sets import Data


@dataclass(frozen=True, eq=False)
class LmsOptions(LeastSquaresOptions):
    """Options of least mean squares."""

    step: ArrayLike | None = option(
        None,
        "Step of the gradient, one or one for each degree; by default the first sets choose it.",
        "numbers",
        "STEP",
    )
    start: ArrayLike | None = option(None, "Parameters (L, D) to start from; coefficients of zero if absent.")


class Lms(Method):
    """Least mean squares on the coefficients."""

    name = "lms"
    line = "The paper's adaptive filter: least mean squares on the coefficients with constant steps."
    Options = LmsOptions
    ascending = False
    averages: ClassVar[bool] = False  # whether the estimate is the mean of the iterates

    def engine(self, like: Data, options: Any) -> Engine:
        """The recursion for a design."""
        from vieta.coefficients.coefficient_engine import least_mean_squares

        return least_mean_squares(like, options.transform, options.start, options.step, averaged=self.averages)

    def predict(self, setting: Setting) -> Prediction:
        """None: a constant step keeps its error."""
        raise InputError(
            "constant-step",
            "an LMS filter of constant step is no better after more sets: its error is that of its step, and it has neither an "
            "efficiency nor a number of sets. See lms_covariance; averaged LMS has both.",
        )


METHOD = Lms()
