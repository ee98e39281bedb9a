r"""One run: the estimate in batch and online, beside the likelihood's maximum that is reached from the truth.

An estimate is right if every curve is near the true one of the system that it is matched to,

.. math:: \Bigl(\frac1N \sum_k (\psi_k'(\hat\theta_l - \theta_l))^2\Bigr)^{1/2} \le \sigma \max(1/2,\ 5\sqrt{D/N}) ,

half a standard deviation of the noise, or five standard errors of a curve that is fitted with labels. The search ended below the truth
if the likelihood climbed from the estimate is lower than that climbed from the truth, on the sets on which the search compares solutions.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import vieta
from studies.basins.cause import cause, has_cause
from studies.basins.cells import Cell, Records, off
from studies.basins.counts import DOUBTS
from studies.basins.true_of_data import are_true
from studies.reality.comparison import Labeled, intervals
from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.estimators.estimate import Estimate
from vieta.findings import at_least
from vieta.search.ascent import climb
from vieta.search.problem import Problem, distance, problem
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.solve import COMPARED, FEWEST_SEARCHED, MOST_SEARCHED, SEARCHED
from vieta.weighted.sum_regression import as_matrices, regress

DEVIATIONS, ERRORS = (
    0.5,
    5.0,
)  # standard deviations of the noise, and labeled standard errors, that a right curve may be away
ITERATIONS, GAIN = 500, 1e-5  # of a climb


def batch(records: Records) -> Estimate:
    """All sets at once."""
    return vieta.fit(records.sets, records.inputs)


def online(records: Records) -> Estimate:
    """A filter from a cold start."""
    L, D = records.theta.shape
    return vieta.SymmetricFilter(L, D).partial_fit(records.sets, records.inputs).estimate()


MODES: dict[str, Callable[[Records], Estimate]] = {"batch": batch, "online": online}


def one_run(cell: Cell, seed: int) -> dict[str, Any]:
    """The figures of one seed; they survive JSON."""
    records = cell.draw(seed)
    given = compared(records)
    top = climb(given, records.theta, ITERATIONS, GAIN)
    found = {"seed": seed, "truth": {"off": off(top.theta, records), "is_right": is_right(top.theta, records)}}
    return found | {mode: _judged(estimator, records, given, top.likelihood) for mode, estimator in MODES.items()}


def compared(records: Records) -> Problem:
    """The sets on which the search compares its solutions, in units of the noise that their sums have."""
    passes = in_memory(as_data(records.sets, records.inputs))
    (L, D), N = records.theta.shape, len(records.sets)
    size = int(np.clip(SEARCHED * L * D, FEWEST_SEARCHED, MOST_SEARCHED))
    sample = passes.spread(COMPARED * size, N)
    return problem(sample.sets, as_matrices(sample), regress(passes).noise)


def is_right(theta: Floats, records: Records) -> bool:
    """Whether all curves are near."""
    return off(theta, records) <= tolerance(records)


def tolerance(records: Records) -> float:
    """How far a right curve may be away, in noise sds."""
    N, D = records.inputs.shape
    return float(max(DEVIATIONS, ERRORS * np.sqrt(D / N)))


def _judged(estimator: Callable[[Records], Estimate], records: Records, given: Problem, top: float) -> dict[str, Any]:
    try:
        found = estimator(records)
    except VietaError as error:
        return {"error": error.code, "is_right": False, "is_within": False, "codes": [], "off": None, "below": None}
    reached = climb(given, found.theta, ITERATIONS, GAIN)
    right, codes = is_right(found.theta, records), [one.code for one in at_least(found.findings, "caution")]
    return {
        "error": None,
        "is_right": right,
        "is_within": intervals(found, _truth(records)).is_within,
        "codes": codes,
        "has_cause": right and _has_cause(codes, found, records),
        "off": off(found.theta, records),
        "below": top - reached.likelihood,
        "moved": distance(given, found.theta, reached.theta),
    }


def _has_cause(codes: list[str], found: Estimate, records: Records) -> bool:
    """Whether all doubts among findings have one, or, where nothing doubts the estimate, all findings are true."""
    if not DOUBTS.intersection(codes):
        return are_true(codes, records)
    return has_cause(codes, cause(records, tolerance(records), _shown(found)), found.theta.shape[1])


def _shown(found: Estimate) -> list[Floats]:
    """The rivals that findings show, and the estimate beside them."""
    told = [str(one.facts["rival"]) for one in found.findings if one.code == "rival-solution"]
    every = [np.array([json.loads(row) for row in text.split("; ")]) for text in told]
    return [*every, found.theta] if every else []


def _truth(records: Records) -> Labeled:
    """The truth in the place of least squares with names."""
    L, D = records.theta.shape
    return Labeled(records.theta, np.full(L, records.sd), np.ones((L, D)), records.inputs)
