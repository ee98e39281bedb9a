r"""Noise of incomplete sets that depends on the input, and systems that follow a curve.

If deviations were :math:`\sigma_l e^{\delta' f(\psi)}` and means :math:`\psi'\theta_l + \gamma_l' f(\psi)`, the scores of :math:`\delta` and
:math:`\gamma_l` would be

.. math:: t_k = f(\psi_k) \sum_l s_{kl}, \qquad t_{kl} = f(\psi_k)\, g_{kl} ,

with :math:`s_{kl}` and :math:`g_{kl}` the derivatives of the set's log-likelihood by :math:`\log \sigma_l` and by the mean of system l. They
are zero on average, given the scores of what was estimated (`vieta.adaptive.assumed_scores`), of which those of :math:`\theta_l` are
:math:`g_{kl}\psi_k`. The functions f are those of the inputs' ranks in `vieta.weighted.specification`. Of complete sets the sums tell both,
whatever the law of the noise.
"""

from typing import NamedTuple

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

NOTHING = Outcome(0.0, 0, 1.0)


class OfInputs(NamedTuple):
    """The tests of the noise and, of readings that are numbers, of the means."""

    noise: Outcome
    means: Outcome


def of_inputs(passes: Passes, found: AdaptiveFit) -> OfInputs:
    """Both in one pass; nothing where inputs do not vary, or sets are too few for the functions."""
    model, free, N = found.chosen.model, found.chosen.free, found.known.n_sets
    (L, D), counts = model.theta.shape, found.chosen.climbed.sums.clutter
    ranks = Ranks.among(_rows(passes.spread(SAMPLE, N)))
    q = ranks.functions(_rows(passes.like.part(0, 0))).shape[1]
    if not q or max(ENOUGH, SETS_A_FUNCTION * q) > N:
        return OfInputs(NOTHING, NOTHING)
    J = 1 if model.law.weights is None else len(model.law.weights)
    of_sd = slice(L * D, L * D + free.counts(L)[0])
    curves = q * L if passes.like.reading_dim == 1 and SETS_A_FUNCTION * q * L <= N else 0

    def work(piece: Data, _: int) -> Scored:
        h, rows = all_scores(piece, model, expect(piece, model), free, counts), _rows(piece)
        f = ranks.functions(rows)
        t = [h[:, of_sd].sum(axis=1)[:, None] * f]
        if curves:
            t.append(np.einsum("nl,nq->nlq", by_means(h[:, : L * D], rows), f).reshape(len(piece), curves))
        return Scored.of(np.concatenate([h, *t], axis=1))

    sums = passes.cut(lambda block: pieces(block, L, J)).total(work)
    at = len(sums.totals) - q - curves
    estimated, noise, means = np.arange(at), at + np.arange(q), at + q + np.arange(curves)
    return OfInputs(score_test(sums, estimated, noise), score_test(sums, estimated, means) if curves else NOTHING)


def of_functions(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """The findings."""
    told = of_inputs(passes, found)
    return (
        *((finding("curve-missing", z=told.means.z),) if told.means.p_value < LEVEL else ()),
        *((finding("noise-follows-input", z=told.noise.z),) if told.noise.p_value < LEVEL else ()),
    )


def by_means(scores: Floats, rows: Floats) -> Floats:
    """(N, L) the g, from the scores g ψ (N, L D) of the parameters."""
    each = scores.reshape(len(rows), -1, rows.shape[1])
    return np.asarray(np.einsum("nld,nd->nl", each, rows) / np.maximum((rows**2).sum(axis=1), 1e-300)[:, None])


def _rows(data: Data) -> Floats:
    """(N, p D) the inputs, a row a set."""
    psi = as_matrices(data)
    return psi.reshape(len(data), psi.shape[1] * psi.shape[2])
