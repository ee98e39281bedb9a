r"""`averaged`: LMS whose iterates are averaged, :math:`\bar\lambda_k = \frac1k \sum_{i \le k} \lambda_i`."""

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vieta.engine import Engine
from vieta.method.base import Method
from vieta.method.lms import LmsOptions
from vieta.predictions import Prediction
from vieta.sets import Data

if TYPE_CHECKING:
    from vieta.laws.setting import InputsLike, NoiseLike


class Averaged(Method):
    """The mean of the iterates of LMS."""

    name = "averaged"
    line = "LMS whose iterates are averaged: the cost of LMS, to first order the error of least squares."
    Options = LmsOptions

    def engine(self, like: Data, options: Any) -> Engine:
        """The recursion for a design."""
        from vieta.coefficients.coefficient_engine import least_mean_squares

        return least_mean_squares(like, options.transform, options.start, options.step, averaged=True)

    def predict(
        self,
        theta: ArrayLike,
        noise: "NoiseLike",
        inputs: "InputsLike" = None,
        *,
        draws: int | None = None,
        seed: int = 0,
    ) -> Prediction:
        """To first order that of least squares."""
        from vieta.coefficients.coefficient_errors import least_squares_covariance

        return least_squares_covariance(theta, noise, inputs)


METHOD = Averaged()
