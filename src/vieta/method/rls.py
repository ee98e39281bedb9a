r"""`rls`: recursive least squares on the symmetric coefficients, with forgetting (`vieta.coefficients.rls_recursion`)."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.method.base import Method
from vieta.method.least_squares import METHOD as LEAST_SQUARES
from vieta.method.least_squares import LeastSquaresOptions
from vieta.options import as_forgetting, as_regularization, option
from vieta.predictions import Prediction, Setting
from vieta.sets import Data


@dataclass(frozen=True, eq=False)
class RlsOptions(LeastSquaresOptions):
    """Options of recursive least squares."""

    memory: float | None = option(
        None, "Old sets lose weight, so that about so many are remembered; all of them by default.", "number", "SETS"
    )
    start: ArrayLike | None = option(None, "Parameters (L, D) to start from; coefficients of zero if absent.")
    regularization: float | None = option(None, "P(0) = I / regularization; small against the first input if absent.")


class Rls(Method):
    """Recursive least squares on the coefficients."""

    name = "rls"
    line = "Recursive least squares on the coefficients; with a memory it tracks."
    Options = RlsOptions
    ascending = False

    def engine(self, like: Data, options: Any) -> Engine:
        """The recursion for a design."""
        from vieta.coefficients.coefficient_engine import recursive_least_squares

        return recursive_least_squares(
            like,
            options.transform,
            options.start,
            as_forgetting(options.memory),
            as_regularization(options.regularization),
        )

    def predict(self, setting: Setting) -> Prediction:
        """That of least squares, without forgetting."""
        return LEAST_SQUARES.predict(setting)


METHOD = Rls()
