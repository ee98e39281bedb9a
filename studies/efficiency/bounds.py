"""The Cramér-Rao bound of a row, over the error of labeled least squares."""

import numpy as np

from studies.efficiency.rows import Row
from vieta.laws import noise
from vieta.likelihood.cramer_rao import cramer_rao
from vieta.theory.labeled_errors import labeled_covariance

WITH_DENSITY = (noise.Gaussian, noise.Laplace, noise.StudentT)  # laws whose score has a finite variance
MOST_SYSTEMS = 10


def bound(row: Row, draws: int = 20_000) -> float | None:
    """Ratio of traces; None where parameters differ from run to run, or where there is no finite bound to compute."""
    theta = row.theta(0)
    if (
        row.same
        or not np.array_equal(theta, row.theta(1))
        or not isinstance(row.noise, WITH_DENSITY)
        or len(theta) > MOST_SYSTEMS
    ):
        return None
    least = cramer_rao(theta, row.noise, row.inputs, draws=draws).covariance
    return float(np.trace(least) / np.trace(labeled_covariance(theta, row.noise, row.inputs).covariance))
