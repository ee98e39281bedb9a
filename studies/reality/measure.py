"""One panel: with names, without them, and by the baseline. What it gives survives JSON."""

import time
from typing import Any

import numpy as np

import vieta
from studies.reality.alternation import alternating_assignment
from studies.reality.attack import attack
from studies.reality.comparison import REFUSED, UNKNOWN, Labeled, distance, intervals, labeled, verdict
from studies.reality.panels import Panel, Records
from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.estimators.estimate import Estimate
from vieta.findings import MARKS

QUICK = 5.0  # seconds of a first fit, which may have compiled kernels: one that takes less is timed again
MOST_POINTS = 60  # of an axis, in pictures


def measure(panel: Panel, starts: int) -> dict[str, Any]:
    """Everything that the page says about a panel."""
    records = panel.read()
    sets = np.sort(records.readings, axis=1)
    truth = labeled(records.readings, records.inputs)
    baseline = alternating_assignment(sets, records.inputs, starts)
    common = {
        "systems": sets.shape[1],
        "sets": len(sets),
        "dim": records.inputs.shape[1],
        "baseline": distance(baseline, truth)._asdict(),
        "squares": {"labeled": squares(records, truth.theta), "baseline": squares(records, baseline)},
    }
    try:
        found, seconds = _timed(sets, records.inputs)
    except VietaError as error:
        return common | _refused(error) | {"picture": picture(records, truth, None)}
    common["squares"]["fit"] = squares(records, found.theta)
    common |= {"seconds": seconds, "attack": attack(records.readings, truth, found)}
    return common | judged(found, truth) | {"picture": picture(records, truth, found.theta)}


def judged(found: Estimate, truth: Labeled) -> dict[str, Any]:
    """An estimate beside least squares with names."""
    far, said = distance(found.theta, truth), intervals(found, truth)
    return {
        "far": far._asdict(),
        "intervals": said._asdict(),
        "findings": [f"{MARKS[one.severity]}{one.code}" for one in found.findings],
        "verdict": verdict(far, said, found.findings),
    }


def squares(records: Records, theta: Floats) -> float:
    """The mean squared distance of readings and curves, both in ascending order: what can be computed without names."""
    means = records.inputs @ theta.T
    return float(((np.sort(records.readings, axis=1) - np.sort(means, axis=1)) ** 2).mean())


def _refused(error: VietaError) -> dict[str, Any]:
    return {
        "far": None,
        "intervals": UNKNOWN._asdict(),
        "findings": [error.code],
        "verdict": REFUSED,
        "seconds": 0.0,
        "attack": None,
    }


def _timed(sets: Floats, inputs: Floats) -> tuple[Estimate, float]:
    start = time.perf_counter()
    found = vieta.fit(sets, inputs)
    seconds = time.perf_counter() - start
    if seconds < QUICK:
        start = time.perf_counter()
        vieta.fit(sets, inputs)
        seconds = time.perf_counter() - start
    return found, seconds


def picture(records: Records, truth: Labeled, theta: Floats | None) -> dict[str, Any]:
    """What is drawn: points of the axis, the readings there, and both families of curves."""
    _, first = np.unique(records.axis, return_index=True)
    rows = first[np.unique(np.linspace(0, len(first) - 1, MOST_POINTS).round().astype(int))]
    shown = np.flatnonzero(np.isin(records.axis, records.axis[rows]))
    rng = np.random.default_rng(0)
    dots = rng.permutation(shown)[: 4 * MOST_POINTS]
    curves = records.inputs[rows]
    return {
        "axis": _short(records.axis[rows]),
        "dots": [_short(records.axis[dots]), _short(np.sort(records.readings[dots], axis=1))],
        "labeled": _short(curves @ truth.theta.T),
        "fitted": None if theta is None else _short(curves @ theta.T),
    }


def _short(values: Floats) -> Any:
    """Six digits are enough to draw."""
    return np.vectorize(lambda value: float(f"{value:.6g}"), otypes=[float])(values).tolist()
