r"""What added noise buys and costs where readings are missing and some are false.

The analyst's errors are those of maximum likelihood on one set, :math:`(E\,gg')^{-1}` with the scores g of parameters, deviations, detection
and rate (`vieta.adaptive.set_sums`), the average over the simulated sets. Law and density of false readings count as known.
"""

import numpy as np

from vieta.adaptive.set_errors import inverted
from vieta.adaptive.set_model import LEAST, SetModel, expect
from vieta.adaptive.set_sums import MOST_SEEN, Free, pieces, set_scores
from vieta.anonymity.incomplete_sets import draw_sets, with_noise
from vieta.anonymity.partial_error import partial_error
from vieta.anonymity.simulated import spread
from vieta.anonymity.tradeoff import Tradeoff
from vieta.arrays import Floats
from vieta.laws.points import Points
from vieta.sets import Data


def partial_tradeoff(model: SetModel, points: Points, levels: Floats, *, draws: int, seed: int) -> Tradeoff:
    """Anonymity against the analyst's error at levels (m,) of added noise; every level sees the same random numbers."""
    models = [with_noise(model, float(added)) for added in levels]
    found = [partial_error(one, points, draws=draws, seed=seed) for one in models]
    analyst = np.array([analyst_stderr(one, points, draws=draws, seed=seed) for one in models])
    return Tradeoff(
        added=levels,
        error=np.array([one.probability for one in found]),
        error_mc_error=np.array([one.mc_error for one in found]),
        anonymity=np.array([one.anonymity for one in found]),
        reidentification=np.array([one.reidentification for one in found]),
        analyst=analyst,
        bound=np.full_like(analyst, np.nan),
        chance_single=found[0].chance_single,
    )


def analyst_stderr(model: SetModel, points: Points, *, draws: int, seed: int) -> Floats:
    """(L, D) standard errors on one set; infinite where the simulated sets do not tell a parameter."""
    free = Free(
        "own" if np.ptp(model.sd) > 0.0 else "common",
        "none" if (model.detection >= MOST_SEEN).all() else "own" if np.ptp(model.detection) > 0.0 else "common",
        model.rate > LEAST,
    )
    rng = np.random.default_rng(seed)
    data = draw_sets(model, points.psi[spread(points.weights, draws, rng)], rng)
    products = sum(g.T @ g for piece in pieces(data, len(model.theta)) for g in [_scores(piece, model, free)])
    variances = np.diag(inverted(np.asarray(products) / draws))[: model.theta.size]
    return np.sqrt(np.where(variances > 0.0, variances, np.inf)).reshape(model.theta.shape)


def _scores(piece: Data, model: SetModel, free: Free) -> Floats:
    return set_scores(piece, model, expect(piece, model), free)
