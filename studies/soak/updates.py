"""Very many sets through one filter."""

import time
from typing import Any

import numpy as np

from studies.soak.memory import growth, resident
from vieta.arrays import Floats
from vieta.estimators import Estimate, SymmetricFilter

THETA = np.array([-2.0, 5.0, 8.0])
OPTIONS: dict[str, dict[str, Any]] = {
    "all remembered": {},
    "memory 10,000 sets": {"memory": 10_000.0},
    "drift 1e-8": {"drift": 1e-8},
}
BATCH = 100_000


def soak(options: dict[str, Any], sets: int, batch: int = BATCH) -> dict[str, Any]:
    """New sets in batches, each followed by a look at the covariance and at the memory of this process."""
    running, eigenvalues, samples = SymmetricFilter(len(THETA), **options), [], []
    start = time.perf_counter()
    for k in range(sets // batch):
        estimate = running.partial_fit(*drawn(k, batch)).estimate()
        eigenvalues.append(smallest_eigenvalue(estimate))
        samples.append(resident())
    return {
        "sets": running.n_sets,
        "growth": growth([one for one in samples if one is not None]),
        "eigenvalues": min(eigenvalues),
        "errors": standard_errors_off(estimate),
        "seconds": round(time.perf_counter() - start, 1),
    }


def drawn(k: int, n: int) -> tuple[Floats, Floats]:
    """The k-th batch: sets and inputs."""
    rng = np.random.default_rng([0, k])
    psi = rng.standard_normal(n)
    return psi[:, None] * THETA + rng.standard_normal((n, len(THETA))), psi


def smallest_eigenvalue(estimate: Estimate) -> float:
    """Of the covariance, over its largest; NaN if it is not finite."""
    if not np.isfinite(estimate.cov).all():
        return float("nan")
    found = np.linalg.eigvalsh(estimate.cov)
    return float(found[0] / found[-1])


def standard_errors_off(estimate: Estimate) -> float:
    """How many standard errors the worst parameter is away from the truth."""
    return float((abs(estimate.theta.ravel() - THETA) / estimate.stderr.ravel()).max())
