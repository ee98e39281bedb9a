"""What each method's error will be: asymptotic covariances, bounds, step sizes, tracking.

Everywhere `theta` is (L, D), one row a system, or a list of L numbers; `noise` is a variance or a law from
`vieta.laws.noise`; `inputs` is a law from `vieta.laws.inputs`, a sample of inputs, or None for Psi = I; where coefficients are
estimated, also `Moments` of inputs that are numbers. All else is given by name. `stderr` is a standard error of theta; the error
of a simulation is `mc_error`.

>>> from vieta import theory
>>> from vieta.laws.inputs import Gaussian
>>> plain = theory.least_squares_covariance([4, 5], 4.0, Gaussian())
>>> weighted = theory.efficient_covariance([4, 5], 4.0, Gaussian())
>>> (plain.stderr(20_000) / weighted.stderr(20_000)).ravel().round(1)
array([3.8, 3.8])
"""

from vieta.coefficients.coefficient_errors import least_squares_covariance, lms_covariance
from vieta.coefficients.input_moments import Moments, even_moments
from vieta.likelihood.cramer_rao import CramerRao, cramer_rao
from vieta.predictions import PerSet, PerStep
from vieta.theory.answer_bounds import (
    answer_bound,
    answers_needed,
    dither_price,
    quantization_price,
    rounding_bias,
    rounding_price,
)
from vieta.theory.labeled_errors import labeled_covariance, labeled_lms_covariance
from vieta.theory.records_needed import Efficiency, RecordsNeeded, efficiency, records_needed
from vieta.theory.sensitivity import root_sensitivity, step_bounds
from vieta.theory.tracking import Tracking, best_step, tracking_error
from vieta.weighted.weighted_errors import efficient_covariance

__all__ = [
    "CramerRao",
    "Efficiency",
    "Moments",
    "PerSet",
    "PerStep",
    "RecordsNeeded",
    "Tracking",
    "answer_bound",
    "answers_needed",
    "best_step",
    "cramer_rao",
    "dither_price",
    "efficiency",
    "efficient_covariance",
    "even_moments",
    "labeled_covariance",
    "labeled_lms_covariance",
    "least_squares_covariance",
    "lms_covariance",
    "quantization_price",
    "records_needed",
    "root_sensitivity",
    "rounding_bias",
    "rounding_price",
    "step_bounds",
    "tracking_error",
]
