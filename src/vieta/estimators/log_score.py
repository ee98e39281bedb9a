r"""The logarithmic score: how likely sets are at an estimate, whoever gave which reading. It is proper: no other law has a higher mean.

For a complete set of numbers :math:`y_1..y_L` with noise :math:`N(0, s_l^2)` of system l,

.. math:: \log p = \log \frac{1}{L!} \sum_\pi \prod_i \frac{1}{s_{\pi(i)}} \varphi\!\Big(\frac{y_i - \psi'\theta_{\pi(i)}}{s_{\pi(i)}}\Big),

the permanent of the densities; where misses, false readings or the law of the noise were estimated, the likelihood over partial assignments
with these (`vieta.adaptive.set_model`), over n! for a set of n readings.
"""

from math import lgamma

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.estimators.estimate import Estimate
from vieta.set_requirements import as_incomplete, require_complete, require_finite
from vieta.sets import Data

LEAST = 1e-150  # standard deviation, where none is left


def log_scores(estimate: Estimate, data: Data) -> Floats:
    """(N,) log p of each set."""
    if estimate.readings is None:
        return _of_complete(estimate, data)
    from vieta.adaptive.reading_associations import restored
    from vieta.adaptive.set_model import expect
    from vieta.adaptive.set_sums import pieces

    L = len(estimate.theta)
    known, model = as_incomplete(data, L, some_of_many=True), restored(estimate.theta, estimate.readings)
    logs = np.concatenate([expect(piece, model).log_likelihood for piece in pieces(known, L)])
    return np.asarray(logs - np.array([lgamma(size + 1.0) for size in known.sizes]))


def _of_complete(estimate: Estimate, data: Data) -> Floats:
    from vieta.laws.linear import respond
    from vieta.likelihood.associations import associations

    require_complete(data, estimate.method)
    require_finite(data)
    L = len(estimate.theta)
    if data.reading_dim > 1 or data.n_systems != L or data.dim != estimate.theta.shape[1]:
        raise InputError(
            "score-shape",
            "sets of {given} reading(s) of {p} number(s) with {dim} parameter(s) were given, and the score is for {needed} of one with {own}.",
            given=data.n_systems,
            p=data.reading_dim,
            dim=data.dim,
            needed=L,
            own=estimate.theta.shape[1],
        )
    common = np.sqrt(float(np.asarray(estimate.noise_var).ravel()[0]))
    sd = np.maximum(np.where(np.isfinite(estimate.noise_sd), estimate.noise_sd, common), LEAST)
    means = respond(data.inputs, np.broadcast_to(estimate.theta, (len(data), *estimate.theta.shape)))[:, :, 0]
    u = (data.readings - means[:, None, :]) / sd
    logs = -0.5 * u**2 - np.log(sd) - 0.5 * np.log(2.0 * np.pi)
    return np.asarray(associations(logs).log_permanent - lgamma(L + 1.0))
