r"""The bound of a row: the information of incomplete sets at the truth, over that of labeled detections.

.. math:: \frac{\mathrm{tr}\,[(E\,g g')^{-1}]_{\theta\theta}}{\sum_l \mathrm{tr}\,(p\,E\,\Psi'\Psi/\sigma_l^2)^{-1}},

g the scores of parameters, deviations, probability of being seen and rate of false readings of a simulated set. The law of the noise and the
density of false readings are known to it, so that no estimate that must learn them can do better.
"""

from dataclasses import replace

import numpy as np

from studies.incomplete.measure import matrices
from studies.incomplete.rows import BOX, Row, of_sets
from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.set_model import LEAST, SetModel, expect
from vieta.adaptive.set_sums import Free, set_scores
from vieta.adaptive.sieve import UnitLaw
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data

NAMES = {"Gaussian": "", "Laplace": "laplace", "Student t (3)": "student-t-3", "logistic": "logistic"}

NOWHERE = 1e-12  # density of false readings outside of their box


def bound(row: Row, draws: int = 20_000) -> float | None:
    """Ratio of traces; None where parameters differ from run to run, where the law has no score, or systems cannot be told apart."""
    one = row.design
    if row.law not in NAMES or not one.decidable or not np.array_equal(one.theta(0), one.theta(1)):
        return None
    records = replace(row, design=of_sets(one, draws)).draw(0)
    theta, psi = one.theta(0), matrices(records)
    (L, D), p = theta.shape, psi.shape[1]
    sd = np.broadcast_to(np.asarray(one.sd, dtype=np.float64), (L,))
    flat = ClutterDensity(np.full(p, -3 * BOX), np.full(p, 2 * BOX), np.tile([NOWHERE, 0.5 / BOX, NOWHERE], (p, 1)))
    law = UnitLaw(name=NAMES[row.law])
    model = SetModel(theta, sd.copy(), np.eye(p), np.full(L, one.seen), max(one.rate, LEAST), flat, law)
    free = Free("common" if np.isscalar(one.sd) else "own", "common", one.rate > 0.0)
    data = as_incomplete(as_data(records.sets, records.inputs), L)
    g = set_scores(data, model, expect(data, model), free)
    least = np.trace(np.linalg.inv(g.T @ g / draws)[: L * D, : L * D])
    gram = np.einsum("npd,npe->de", psi, psi) / draws
    return float(least / ((sd**2).sum() * np.trace(np.linalg.inv(gram)) / one.seen))
