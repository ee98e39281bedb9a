"""One run of a row, in batch and online: errors in units of their standard errors, coverage, findings, and the error with labels."""

from collections.abc import Callable
from typing import Any

import numpy as np

import vieta
from studies.violations.rows import Records, Row
from vieta.arrays import Floats, Integers
from vieta.errors import VietaError
from vieta.estimators.estimate import Estimate
from vieta.findings import at_least


def batch(records: Records) -> Estimate:
    """All sets at once."""
    return vieta.fit(records.sets, records.inputs)


def online(records: Records) -> Estimate:
    """A filter from a cold start."""
    L, D = records.sets.shape[1], records.inputs.shape[1]
    return vieta.SymmetricFilter(L, D).partial_fit(records.sets, records.inputs).estimate()


MODES: dict[str, Callable[[Records], Estimate]] = {"batch": batch, "online": online}


def one_run(row: Row, seed: int) -> dict[str, Any]:
    """The figures of one seed; they survive JSON."""
    records = row.draw(seed)
    found: dict[str, Any] = {"seed": seed, "labeled": _labeled_error(records)}
    return found | {mode: _judged(estimator, records) for mode, estimator in MODES.items()}


def _labeled_error(records: Records) -> float | None:
    """The squared error of least squares with labels, where the sets can have any."""
    if records.labeled is None:
        return None
    theta = np.linalg.lstsq(records.inputs, records.labeled, rcond=None)[0].T
    return float(((theta - records.truth) ** 2).sum())


def _judged(estimator: Callable[[Records], Estimate], records: Records) -> dict[str, Any]:
    try:
        found = estimator(records)
    except VietaError as error:
        return {"error": error.code, "codes": [], "all": [], "z": None, "covered": None, "squared": None}
    ours, true = pairs(found.theta, records.truth)
    errors, stderr = found.theta[ours] - records.truth[true], found.stderr[ours]
    low, high = np.moveaxis(found.conf_int(0.95)[ours], -1, 0)
    known = bool(np.all(np.isfinite(stderr)) and np.all(stderr > 0.0))
    covered = (low <= records.truth[true]) & (records.truth[true] <= high)
    return {
        "error": None,
        "codes": [one.code for one in at_least(found.findings, "caution")],
        "all": [one.code for one in found.findings],
        "z": (errors / stderr).ravel().tolist() if known else None,
        "covered": float(covered.mean()) if known else None,
        "squared": float((errors**2).sum()),
    }


def pairs(theta: Floats, truth: Floats) -> tuple[Integers, Integers]:
    """Rows of parameters (L, D) and of the truth (L', D) that are nearest together, in the order of the truth; the larger has rows to spare."""
    from scipy.optimize import linear_sum_assignment

    true, ours = linear_sum_assignment(((truth[:, None] - theta) ** 2).sum(axis=2))
    return np.asarray(ours), np.asarray(true)
