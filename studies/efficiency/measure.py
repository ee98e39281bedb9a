"""Squared errors of each method on the data of one seed, beside that of labeled least squares."""

from collections.abc import Callable

import numpy as np

from studies.efficiency.rows import Row
from vieta.estimators import Estimate, SymmetricFilter, fit
from vieta.paper.labeled import labeled_least_squares
from vieta.scenarios import Records
from vieta.symmetric import canonical_order

Estimator = Callable[[Records], Estimate]


def online(method: str) -> Estimator:
    """A filter from a cold start over the whole stream."""

    def run(records: Records) -> Estimate:
        L, D = records.truth.shape
        return SymmetricFilter(L, D, method=method).partial_fit(records.sets, records.inputs).estimate()

    return run


METHODS: dict[str, Estimator] = {
    "lms": online("lms"),
    "least-squares": lambda records: fit(records.sets, records.inputs, method="least-squares"),
    "efficient": lambda records: fit(records.sets, records.inputs, method="efficient"),
    "efficient, online": online("efficient"),
    "adaptive": lambda records: fit(records.sets, records.inputs, method="adaptive"),
    "adaptive, online": online("adaptive"),
}


def one_run(row: Row, seed: int) -> list[tuple[float, float, float, float]]:
    """Squared error, labeled squared error, coverage and warning of each method on the data of one seed."""
    records = row.draw(seed)
    oracle = labeled_least_squares(records.readings, records.inputs).theta
    labeled = float(np.mean((oracle[canonical_order(oracle)] - records.truth) ** 2))
    results = []
    for method in METHODS.values():
        try:
            estimate = method(records)
        except (ArithmeticError, ValueError):
            results.append((np.inf, labeled, 0.0, 1.0))
            continue
        low_high = estimate.conf_int(0.95)
        covered = np.mean((low_high[..., 0] <= records.truth) & (records.truth <= low_high[..., 1]))
        squared = float(np.mean((estimate.theta - records.truth) ** 2))
        results.append((squared, labeled, float(covered), float(len(estimate.warnings) > 0)))
    return results
