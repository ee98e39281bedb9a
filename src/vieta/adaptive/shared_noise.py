r"""Whether the noises of different systems go together: a shock that all feel, or errors of the inputs.

A shock of variance :math:`\tau^2`, common to the readings of a set, and an error of that variance of input d give the noises of systems l and m
the covariance :math:`\tau^2` and :math:`\tau^2 \theta_{ld}\theta_{md}`. With the score s of the noise law and u as in
`vieta.adaptive.set_model`, the derivatives of the log-likelihood of a set by :math:`\tau^2` at zero are, but for terms of single systems,

.. math:: \mathrm{E} \sum_{l < m} f_l f_m, \qquad f_l = s(u_l)/\sigma_l \quad\text{and}\quad f_l = \theta_{ld}\,s(u_l)/\sigma_l ,

the expectation over who is who (`vieta.association.joint`). Their sums over sets, given the scores of what was estimated, are normal with mean
zero where noises and inputs are as assumed. The largest says which of the two it is.
"""

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.assumed_scores import Scored
from vieta.adaptive.set_errors import all_scores, inverted
from vieta.adaptive.set_model import EXACT, Expectation, SetModel, expect
from vieta.adaptive.set_sums import pieces
from vieta.arrays import Booleans, Floats
from vieta.findings import Finding, finding
from vieta.long_run import Remembered
from vieta.sets import Data
from vieta.sums import Passes, in_memory

SURE = 4.5  # standard errors from zero: one of 150,000
ENOUGH = 100  # sets, below which nothing is tested
SETS = 5000  # of which more are not looked at
CONSTANT = 1e-9  # of the square of an input: one that varies by less has no error
LEFT = 1e-6  # part of a sum of squares that the scores must leave


def pair_scores(data: Data, model: SetModel, found: Expectation, varied: Booleans) -> Floats:
    """(N, p + p V) the scores of a shock in each coordinate of the readings, and of errors of the V inputs that are `varied` (D,)."""
    from vieta.association.joint import expected_products

    weights = found.weights
    f = found.scores / model.sd[:, None]
    by_input = f[:, :, :, None] * model.theta[:, None, varied]
    both = np.ascontiguousarray(np.concatenate([f, by_input.reshape(*f.shape[:2], -1)], axis=2))
    t = np.empty((len(data), both.shape[2]))
    expected_products(weights.pairs, weights.false, weights.missed, data.flat[1], EXACT, both, t)
    return t


def varied_inputs(found: AdaptiveFit) -> Booleans:
    """(D,) which inputs are not constant, and so can have errors."""
    known = found.known
    squares = np.diag(known.gram)
    means = (known.total**2).sum(axis=0) / max(known.n_sets, 1)
    return np.asarray(squares - means > CONSTANT * squares)


def pair_values(passes: Passes, found: AdaptiveFit, varied: Booleans) -> Floats:
    """(p + p V,) the sums of the pair scores over some of the sets, in standard errors, which memory makes larger."""
    model, free, counts = found.chosen.model, found.chosen.free, found.chosen.climbed.sums.clutter
    J = 1 if model.law.weights is None else len(model.law.weights)
    part = in_memory(passes.spread(SETS, found.known.n_sets)) if found.known.n_sets > SETS else passes
    cut = part.cut(lambda block: pieces(block, len(model.theta), J))

    def scores(piece: Data) -> Floats:
        known = expect(piece, model)
        of_all, of_pairs = all_scores(piece, model, known, free, counts), pair_scores(piece, model, known, varied)
        return np.concatenate([of_all, of_pairs], axis=1)

    sums = cut.total(lambda piece, _: Scored.of(scores(piece)))
    B = adjustment(sums, len(model.shape) * (1 + int(varied.sum())))
    z = (sums.totals @ B) / np.sqrt(np.maximum(np.einsum("ij,ik,kj->j", B, sums.products, B), 1e-300))
    if abs(z).max() < SURE:
        return np.asarray(z)
    return np.asarray(z / cut.total(lambda piece, _: Remembered.of(scores(piece) @ B)).growth)


def adjustment(sums: Scored, added: int) -> Floats:
    """(m, added) what makes of all scores (m,) the last `added` ones without what the others explain; zeros where that is everything.

    >>> adjustment(Scored.of(np.array([[1.0, 1.0], [-1.0, 2.0], [1.0, 3.0], [-1.0, 4.0]])), 1).ravel()
    array([0.5, 1. ])
    """
    own = sums.products
    n = len(own) - added
    B = inverted(own[:n, :n]) @ own[:n, n:]
    all_of_it = np.diag(own)[n:]
    left = all_of_it - np.einsum("ij,ij->j", own[:n, n:], B)
    return np.asarray(np.concatenate([-B, np.eye(added)]) * (left > LEFT * all_of_it))


def of_shared_noise(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """Findings where noises of different systems go together."""
    if found.known.n_sets < ENOUGH or len(found.chosen.model.theta) < 2:
        return ()
    varied = varied_inputs(found)
    return said_of_pairs(pair_values(passes, found, varied), varied, len(found.chosen.model.shape), SURE)


def said_of_pairs(z: Floats, varied: Booleans, p: int, sure: float) -> tuple[Finding, ...]:
    """What the sums (p + p V,) of pair scores say, in standard errors, if they are `sure` or more; `varied` (D,) are the V inputs that vary."""
    c = int(abs(z).argmax())
    if abs(z[c]) < sure:
        return ()
    if c < p or z[c] < 0.0:
        return (finding("noises-together", z=float(z[c])),)
    return (
        finding("input-errors", column=int(np.flatnonzero(varied)[(c - p) % int(varied.sum())]) + 1, z=float(z[c])),
    )
