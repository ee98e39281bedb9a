r"""`averaged`: LMS whose iterates are averaged, :math:`\bar\lambda_k = \frac1k \sum_{i \le k} \lambda_i`."""

from vieta.method.least_squares import METHOD as LEAST_SQUARES
from vieta.method.lms import Lms
from vieta.predictions import Prediction, Setting


class Averaged(Lms):
    """The mean of the iterates of LMS."""

    name = "averaged"
    line = "LMS whose iterates are averaged: the cost of LMS, to first order the error of least squares."
    averages = True

    def predict(self, setting: Setting) -> Prediction:
        """To first order that of least squares."""
        return LEAST_SQUARES.predict(setting)


METHOD = Averaged()
