r"""`least-squares`: least squares on the symmetric coefficients, :math:`\hat\lambda_d = (\sum A_d'A_d)^{-1} \sum A_d'z_d`, batch only."""

from dataclasses import dataclass, replace
from typing import Any

from vieta.method.base import BatchMethod
from vieta.options import Options, option
from vieta.predictions import Prediction, Setting
from vieta.solution import Solution
from vieta.sums import Passes


@dataclass(frozen=True, eq=False)
class LeastSquaresOptions(Options):
    """Options of least squares."""

    transform: str = option(
        "auto", 'The symmetric transform: "auto", "elementary", "convolution", "polarized", "tensor", "planar".'
    )


class LeastSquares(BatchMethod):
    """Least squares on the coefficients."""

    name = "least-squares"
    line = "Least squares on the symmetric coefficients, with sandwich errors (batch only)."
    Options = LeastSquaresOptions
    ascending = False

    def fit(self, passes: Passes, options: Any) -> Solution:
        """Two passes: for the coefficients, then for their errors; and for a constant that the inputs lack."""
        from vieta.coefficients.coefficient_solution import least_squares_solution
        from vieta.weighted.sum_regression import regress
        from vieta.weighted.weighted_findings import of_constant

        found = least_squares_solution(passes, options.transform)
        return replace(found, findings=(*of_constant(passes, regress(passes)), *found.findings))

    def predict(self, setting: Setting) -> Prediction:
        """Q⁻¹RQ⁻¹ through the delta method."""
        from vieta.coefficients.coefficient_errors import least_squares_covariance

        return least_squares_covariance(setting.theta, setting.noise, setting.inputs)


METHOD = LeastSquares()
