r"""Who is who in a real panel: how many readings an attacker names who knows the curves with names, and how many the audit says.

The attacker knows :math:`\tilde\theta_l` and :math:`s_l` of every unit and gives each set the assignment that is likeliest for Gaussian noise,
:math:`\min_\sigma \sum_i (y_i - \psi'\tilde\theta_{\sigma(i)})^2 / s_{\sigma(i)}^2`. The audit has the readings without names alone. It *falls
short* if it says less by more than a margin without a finding that its figures are not to be relied on.
"""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from studies.reality.comparison import Labeled
from vieta.anonymity import audit
from vieta.arrays import Floats
from vieta.estimators.estimate import Estimate

DOUBTFUL, SAID_ANYWAY = "figures-doubtful", "hardly-anonymous"
MARGIN = 0.05


def named(readings: Floats, truth: Labeled) -> float:
    """The share of readings (N, L), column l of unit l, that the attacker names rightly."""
    means = truth.inputs @ truth.theta.T
    precision = 1.0 / np.maximum(truth.sd, 1e-9 * truth.sd.max()) ** 2
    right = 0
    for set_, mean in zip(readings, means, strict=True):
        units = linear_sum_assignment((set_[:, None] - mean) ** 2 * precision)[1]
        right += int((units == np.arange(len(mean))).sum())
    return right / readings.size


def attack(readings: Floats, truth: Labeled, found: Estimate) -> dict[str, Any]:
    """Shares of readings that are named: by the attacker, and by what the audit says; and whether the audit doubts its own figures."""
    said = audit(found, truth.inputs)
    codes = {one.code for one in said.findings}
    return {
        "attacker": named(readings, truth),
        "audit": float(said.now.reidentification.mean()),
        "doubtful": DOUBTFUL in codes,
        "warned": SAID_ANYWAY in codes,
    }


def falls_short(result: dict[str, Any]) -> bool:
    """Whether the audit says less than an attacker reaches, and neither doubts it nor warns that hardly anything is hidden.

    >>> falls_short({"attacker": 0.74, "audit": 0.64, "doubtful": False, "warned": False})
    True
    """
    return bool(result["attacker"] > result["audit"] + MARGIN and not result["doubtful"] and not result["warned"])
