r"""Noise of incomplete sets that depends on the input.

If deviations were :math:`\sigma_l e^{\delta' f(\psi)}`, the scores of :math:`\delta` would be

.. math:: t_k = f(\psi_k) \sum_l s_{kl}, \qquad s_{kl} = \partial \log p(\text{set } k) / \partial \log \sigma_l ,

which are zero on average, given the scores of what was estimated (`vieta.adaptive.assumed_scores`). The functions f are those of the inputs'
ranks in `vieta.weighted.specification`. Of complete sets the sums tell it, whatever the law of the noise.
"""

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.assumed_scores import Outcome, Scored, score_test
from vieta.adaptive.broken_assumptions import ENOUGH, LEVEL
from vieta.adaptive.set_errors import all_scores
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import pieces
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.specification import SAMPLE, SETS_A_FUNCTION, Ranks
from vieta.weighted.sum_regression import as_matrices


def uneven_noise(passes: Passes, found: AdaptiveFit) -> Outcome | None:
    """The test, in one pass; None where inputs do not vary, or sets are too few for the functions."""
    model, free, N = found.chosen.model, found.chosen.free, found.known.n_sets
    L, counts = len(model.theta), found.chosen.climbed.sums.clutter
    ranks = Ranks.among(_rows(passes.spread(SAMPLE, N)))
    q = ranks.functions(_rows(passes.like.part(0, 0))).shape[1]
    if not q or max(ENOUGH, SETS_A_FUNCTION * q) > N:
        return None
    J = 1 if model.law.weights is None else len(model.law.weights)
    of_sd = slice(model.theta.size, model.theta.size + free.counts(L)[0])

    def work(piece: Data, _: int) -> Scored:
        h = all_scores(piece, model, expect(piece, model), free, counts)
        t = h[:, of_sd].sum(axis=1)[:, None] * ranks.functions(_rows(piece))
        return Scored.of(np.concatenate([h, t], axis=1))

    sums = passes.cut(lambda block: pieces(block, L, J)).total(work)
    at = len(sums.totals) - q
    return score_test(sums, np.arange(at), at + np.arange(q))


def of_uneven_noise(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """The finding."""
    told = uneven_noise(passes, found)
    return (finding("noise-follows-input", z=told.z),) if told is not None and told.p_value < LEVEL else ()


def _rows(data: Data) -> Floats:
    """(N, p D) the inputs, a row a set."""
    psi = as_matrices(data)
    return psi.reshape(len(data), psi.shape[1] * psi.shape[2])
