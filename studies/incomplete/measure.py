"""One run of a row: errors, coverage, rates and findings of the fit, and of a filter where one is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from studies.incomplete.rows import Row
from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.estimators import Estimate, SymmetricFilter, fit
from vieta.findings import at_least
from vieta.matching import match_rows
from vieta.quantiles import two_sided
from vieta.scenarios import Records
from vieta.symmetric import canonical_order

FAR = 0.5  # of the distance to the nearest other system: a system that is farther off is a wrong optimum
MOST = 1e6  # of a margin, in a file
OFF = 5.0  # own standard errors, from which on an estimate is wrong


def batch(records: Records) -> Estimate:
    """All sets at once."""
    return fit(_ragged(records), records.inputs, n_systems=len(records.truth))


def online(records: Records) -> Estimate:
    """A filter from a cold start."""
    L, D = records.truth.shape
    given = SymmetricFilter(L, D, method="adaptive").partial_fit(_ragged(records), records.inputs)
    return given.estimate()


def counted(records: Records) -> Estimate:
    """All sets at once, the number of systems not told."""
    return fit(_ragged(records), records.inputs)


def _ragged(records: Records) -> list[Floats]:
    """The sets as a list of arrays of different lengths."""
    return [one[:size] for one, size in zip(records.sets, records.sizes, strict=True)]


def one_run(row: Row, seed: int) -> dict[str, Any]:
    """The figures of one seed; they survive JSON."""
    records = row.draw(seed)
    if row.kind == "count":
        return {"seed": seed, **number(records)}
    found: dict[str, Any] = {"seed": seed, "labeled": _squared(labeled(records), records.truth)}
    found["batch"] = judged(batch, row, records)
    return found | {"online": judged(online, row, records)} if row.kind == "online" else found


def number(records: Records) -> dict[str, Any]:
    """How many systems were found, by which margin, and whether it is said to be unsure."""
    found = counted(records)
    (told,) = (one for one in found.findings if one.code in {"number-chosen", "number-unsure"})
    margin = float(min(told.facts["margin"], MOST))
    return {"chosen": len(found.theta), "margin": margin, "unsure": told.code == "number-unsure"}


def labeled(records: Records) -> Floats:
    """(L, D) least squares on each system's own detections, in the order of the truth."""
    psi = matrices(records)
    theta = np.empty_like(records.truth)
    readings = records.readings.reshape(len(psi), len(theta), -1)
    for l, place in enumerate(np.argsort(canonical_order(records.theta), kind="stable")):
        seen = np.isfinite(readings[:, l]).all(axis=1)
        X = psi[seen].reshape(-1, psi.shape[2])
        theta[place] = np.linalg.lstsq(X, readings[seen, l].ravel(), rcond=None)[0]
    return theta


def matrices(records: Records) -> Floats:
    """Inputs (N, p, D) of numbers, rows or matrices."""
    psi = np.asarray(records.inputs)
    if psi.ndim == 1:
        return psi[:, None, None]
    return psi[:, None, :] if psi.ndim == 2 else psi


def judged(estimator: Callable[[Records], Estimate], row: Row, records: Records) -> dict[str, Any]:
    """Errors, whether intervals of parameters and rates cover, and what is wrong and said."""
    try:
        found = estimator(records)
    except VietaError as refusal:
        return {"error": refusal.code}
    truth, theta, stderr = records.truth, found.theta, found.stderr
    order = match_rows(theta, truth, unit=1.0)
    theta, stderr, limits = theta[order], stderr[order], found.conf_int(0.95)[order]
    known = np.isfinite(stderr).all()
    seen, spread = found.readings.detection, found.readings.detection_stderr  # type: ignore[union-attr]
    rate, error = found.readings.clutter_rate, found.readings.clutter_rate_stderr  # type: ignore[union-attr]
    return {
        "error": None,
        "squared": _squared(theta, truth),
        "theta": theta.tolist(),
        "covered": float(((limits[..., 0] <= truth) & (truth <= limits[..., 1])).mean()) if known else None,
        "off": float(np.nanmax(abs(theta - truth) / np.maximum(stderr, 1e-300))) if known else None,
        "far": is_far(theta, truth, matrices(records)),
        "seen": _holds(seen, spread, row.design.seen),
        "rate": _holds(np.array([rate]), np.array([error]), row.design.rate) if row.design.rate else None,
        "law": found.readings.law,  # type: ignore[union-attr]
        "codes": [one.code for one in at_least(found.findings, "caution")],
        "all": [one.code for one in found.findings],
    }


def _squared(theta: Floats, truth: Floats) -> float:
    return float(((theta - truth) ** 2).sum())


def _holds(values: Floats, errors: Floats, truth: float) -> float:
    """The share of 95 % intervals that hold the truth; those of equal values with equal errors are one."""
    inside = abs(values - truth) <= two_sided(0.95, np.inf) * errors
    return float(inside.mean())


def is_far(theta: Floats, truth: Floats, psi: Floats) -> bool:
    """Whether the means of a system are off by more than half of what separates its true ones from another's, root mean square."""
    gaps = _distance(truth[:, None] - truth, psi)
    np.fill_diagonal(gaps, np.inf)
    return bool((_distance(theta - truth, psi) > FAR * gaps.min(axis=1)).any())


def _distance(rows: Floats, psi: Floats) -> Floats:
    """(..) sizes of what inputs (N, p, D) make of rows (.., D), root of the sum of squares."""
    gram = np.einsum("npd,npe->de", psi, psi)
    return np.asarray(np.sqrt(np.einsum("...d,de,...e->...", rows, gram, rows)))
