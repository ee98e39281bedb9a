r"""What is left of the sets when the estimate is taken away, without asking who gave which reading.

The sum over a set needs no labels: :math:`r(k) = \sum_l y_l(k) - \Psi(k) \sum_l \hat\theta_l` has mean zero and, for noise
of covariance S that is independent across L systems, covariance L S.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data


def of_sums(data: Data, theta: Floats) -> Floats:
    """Residuals (N, p) of the sums over complete sets.

    >>> from vieta.sets import as_data
    >>> data = as_data([[1.0, 2.0], [4.0, 2.0]], [1.0, 2.0])
    >>> of_sums(data, np.array([[1.0], [2.0]]))
    array([[0.], [0.]])
    """
    total = theta.sum(axis=0)
    predicted = data.inputs[:, None] * total if data.inputs.ndim == 1 else data.inputs @ total
    return np.asarray(data.sets.sum(axis=1) - predicted)


@dataclass(frozen=True, slots=True)
class Check:
    """A test: what was looked at, its z-value or None where there is none, and what it says."""

    name: str
    z: float | None
    says: str


def checks(residuals: Floats) -> list[Check]:
    """Whether residuals (N,) have mean zero, and how alike neighbours in time are; what that does to errors is a finding's to say."""
    n, sd = len(residuals), float(residuals.std())
    if n < 20 or not sd > 0.0:
        return [Check("residuals of the sums", None, "too few, or all the same: no test is possible")]
    mean = float(residuals.mean()) / sd * np.sqrt(n)
    centred = residuals - residuals.mean()
    memory = float((centred[1:] @ centred[:-1]) / (centred @ centred)) * np.sqrt(n)
    return [
        Check("mean", mean, "is zero" if abs(mean) < 4.0 else "is not zero: the model misses something"),
        Check(
            "memory",
            memory,
            "is none"
            if abs(memory) < 4.0
            else "neighbours in time are alike"
            if memory > 0.0
            else "neighbours in time differ",
        ),
    ]
