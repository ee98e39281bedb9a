"""Findings that say what sets cannot tell: whether they are true of the sets, by an oracle who knows the truth and the noise.

*shock-unknowable* is true if the test of dependence, at the true parameters and noise, would miss a shock that does harm there as well;
*inputs-explain-nothing* if slopes as large as the true ones are not significant with the errors that the estimator has at the truth.
"""

from collections.abc import Callable, Iterable

import numpy as np

from studies.basins.cause import estimator_cov
from studies.basins.cells import Records
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.input_order import slopes_probability, varying_inputs
from vieta.weighted.shock_test import dependence_test, is_unknowable
from vieta.weighted.weighted_findings import NOTHING

NORMAL = 0.0, 3.0  # skewness and kurtosis of the noise


def are_true(codes: Iterable[str], records: Records) -> bool:
    """Whether all of some findings say what sets cannot tell, and truly."""
    return all(code in TESTS and TESTS[code](records) for code in codes)


def _shock_is_unknowable(records: Records) -> bool:
    (L, _), variance = records.theta.shape, records.sd**2
    passes = in_memory(as_data(records.sets, records.inputs))
    test = dependence_test(passes, len(records.sets), records.theta, np.full(L, variance), NORMAL)
    return is_unknowable(test, variance, L)


def _inputs_explain_nothing(records: Records) -> bool:
    varying = varying_inputs(in_memory(as_data(records.sets, records.inputs)))
    return slopes_probability(records.theta, estimator_cov(records), varying) > NOTHING


TESTS: dict[str, Callable[[Records], bool]] = {
    "shock-unknowable": _shock_is_unknowable,
    "inputs-explain-nothing": _inputs_explain_nothing,
}
