r"""Sums over sets that a step of the likelihood needs, and the step.

Parameters that move by scores are, in this order: :math:`\theta` row by row, :math:`\log\sigma_l`, then the logit of the detection probability
(a common one, or one a system) and :math:`\log\Lambda` where they are estimated. With scores g of the sets the step is

.. math:: \Bigl(\sum_k g_k g_k' + \varepsilon H_c\Bigr)^{-1} \sum_k g_k, \qquad
    H_c = \mathrm{diag}\bigl(\sum_k (P + \delta)\,\Psi'C^{-1}\Psi/\sigma_l^2,\; 2 p \sum w_l,\; N p_l q_l,\; N \Lambda\bigr),

:math:`H_c` being the information that labeled readings would have, and a little more, so that a system
without readings stays where it is. The rest moves by EM: the law from the histogram of residuals, the density
of false readings, and for vectors the shape C of the noise from the products of residuals.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.set_model import EXACT, LEAST, Expectation, SetModel, by_set, expect
from vieta.adaptive.sieve import binned
from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.sum_regression import as_matrices

PIECE = 2**20  # numbers, about, that are held at once
UNSEEN = 0.02  # of the sets, in which a system counts as seen for the ridge, whatever it is
LONGEST = 0.7  # step of a logarithm or a logit
MOST_SEEN = 1.0 - LEAST
FLATTEST = 1e-10  # eigenvalue of the shape of the noise


@dataclass(frozen=True, slots=True)
class Free:
    """What is estimated: deviations ("common" or "own", one a system), detection (these, or "none"), and whether there are false readings."""

    sd: str = "common"
    detection: str = "common"
    rate: bool = True

    def counts(self, n_systems: int) -> tuple[int, int, int]:
        """How many deviations, probabilities and rates there are."""
        many = {"none": 0, "common": 1, "own": n_systems}
        return many[self.sd], many[self.detection], int(self.rate)


@dataclass(frozen=True, slots=True, eq=False)
class SetSums(Sums):
    """Sums over sets, at some parameters.

    Attributes
    ----------
    count : int
        N.
    readings : int
        R.
    likelihood : float
        Its logarithm.
    slope : (m,)
        Sum of g.
    products : (m, m)
        Sum of g g'.
    labeled : (L, D, D)
        Sum of P Psi' C^-1 Psi.
    gram : (D, D)
        Sum of Psi' C^-1 Psi.
    seen : (L,)
        Sum of w.
    false : float
        Sum of P_i0.
    residuals : (G,)
        Histogram of u by P.
    moments : (p, p)
        Sum of P u u', in whitened coordinates.
    clutter : (p, B)
        Weights of false readings in the bins.
    """

    count: int
    readings: int
    likelihood: float
    slope: Floats
    products: Floats
    labeled: Floats
    gram: Floats
    seen: Floats
    false: float
    residuals: Floats
    moments: Floats
    clutter: Floats


def set_scores(data: Data, model: SetModel, found: Expectation, free: Free) -> Floats:
    """(N, m) the scores of each set."""
    (_, offsets), N = data.flat, len(data)
    W, _ = model.whitening
    pulls = found.pairs[:, :, None] * found.scores
    by_mean = by_set(pulls, offsets) / model.sd[:, None]
    by_mean = by_mean if len(W) == 1 else by_mean @ W
    rows = as_matrices(data)
    slopes = np.einsum("npd,nlp->nld", rows, by_mean) if rows.shape[1] > 1 else by_mean * rows
    scale = by_set((pulls * found.residuals).sum(axis=2) - len(W) * found.pairs, offsets)
    surplus = by_set(found.pairs, offsets) - model.detection
    false = by_set(found.false, offsets)[:, None] - model.rate
    return np.concatenate([slopes.reshape(N, -1), _shared(scale, surplus, false, free)], axis=1)


def _shared(scale: Floats, surplus: Floats, false: Floats, free: Free) -> Floats:
    """(.., m - L D) scores of deviations (.., L), detection (.., L) and rate (.., 1), those of a common one added up."""
    parts = [scale if free.sd == "own" else scale.sum(axis=-1, keepdims=True)]
    if free.detection != "none":
        parts.append(surplus if free.detection == "own" else surplus.sum(axis=-1, keepdims=True))
    if free.rate:
        parts.append(false)
    return np.concatenate(parts, axis=-1)


def _sums(data: Data, model: SetModel, free: Free, kept: int) -> SetSums:
    found = expect(data, model, kept)
    readings, offsets = data.flat
    g = set_scores(data, model, found, free)
    w = by_set(found.pairs, offsets)
    W, _ = model.whitening
    rows = W @ as_matrices(data)
    squares = np.einsum("npd,npe->nde", rows, rows)
    u, P, false = found.residuals, found.pairs, found.false
    weights = np.broadcast_to(P[:, :, None], u.shape)
    return SetSums(
        len(data),
        len(readings),
        float(found.log_likelihood.sum()),
        g.sum(axis=0),
        g.T @ g,
        (w.T @ squares.reshape(len(squares), -1)).reshape(-1, *squares.shape[1:]),
        squares.sum(axis=0),
        w.sum(axis=0),
        float(false.sum()),
        binned(u, weights),
        (weights * u).reshape(-1, u.shape[2]).T @ u.reshape(-1, u.shape[2]),
        model.clutter.counted(readings, false),
    )


def pieces(block: Data, n_systems: int, weight: int = 1) -> "list[Data]":
    """A block in pieces whose arrays (R, L, p) times a `weight` fit into memory."""
    readings, _ = block.flat
    mean = max(len(readings) / max(len(block), 1), 1.0)
    step = max(int(PIECE / (mean * n_systems * block.reading_dim * weight)), 1)
    return [block.part(at, at + step) for at in range(0, max(len(block), 1), step)]


def set_sums(passes: Passes, model: SetModel, free: Free, kept: int = EXACT) -> SetSums:
    """The sums over all sets; those with more than `kept` states of partial assignments by approximation."""
    cut = passes.cut(lambda block: pieces(block, len(model.theta)))
    return cut.total(lambda piece, _: _sums(piece, model, free, kept))


def labeled_information(model: SetModel, sums: SetSums, free: Free) -> Floats:
    """(m, m) H_c."""
    L, D = model.theta.shape
    H = np.zeros((len(sums.slope), len(sums.slope)))
    for l in range(L):
        own = slice(l * D, (l + 1) * D)
        H[own, own] = (sums.labeled[l] + UNSEEN * sums.gram) / model.sd[l] ** 2
    scale = 2.0 * len(model.shape) * np.maximum(sums.seen, 1.0)
    spread = sums.count * np.maximum(model.detection * (1.0 - model.detection), 1e-4)
    at = np.arange(L * D, len(H))
    H[at, at] = _shared(scale, spread, np.array([max(sums.count * model.rate, 1.0)]), free)
    return H


def scored(model: SetModel, sums: SetSums, free: Free, ridge: float) -> SetModel:
    """The model after a step of the parameters that move by scores."""
    H = labeled_information(model, sums, free)
    scale = np.sqrt(np.maximum(np.diag(H), 1e-300))
    unit = (sums.products + ridge * H) / (scale[:, None] * scale) + 1e-12 * np.eye(len(H))
    right = sums.slope / scale
    if not (np.isfinite(unit).all() and np.isfinite(right).all()):
        return model
    step = np.linalg.lstsq(unit, right, rcond=1e-12)[0] / scale
    n = model.theta.size
    step[:n] = _shortened(step[:n].reshape(model.theta.shape), model, sums).ravel()
    return moved(model, step, free)


def _shortened(step: Floats, model: SetModel, sums: SetSums) -> Floats:
    """A step (L, D) of the parameters in which the means of no system move by more than the range of the readings, root mean square.

    A system that no reading belongs to has neither slope nor information, and their ratio may be anything.
    """
    sizes = np.sqrt(np.maximum(np.einsum("ld,de,le->l", step, sums.gram, step) / (sums.count * len(model.shape)), 0.0))
    return np.asarray(step * np.minimum(1.0, model.clutter.extent / np.maximum(sizes, 1e-300))[:, None])


def moved(model: SetModel, step: Floats, free: Free) -> SetModel:
    """The model after a step (m,); logarithms and logits move by `LONGEST` at the most."""
    n, n_sd, n_seen = model.theta.size, *free.counts(len(model.theta))[:2]
    theta = model.theta + step[:n].reshape(model.theta.shape)
    rest = np.clip(step[n:], -LONGEST, LONGEST)
    sd = np.minimum(model.sd * np.exp(rest[:n_sd]), model.clutter.extent)
    detection, rate = model.detection, model.rate
    if n_seen:
        logit = np.log(detection / (1.0 - detection)) + rest[n_sd : n_sd + n_seen]
        detection = np.clip(1.0 / (1.0 + np.exp(-logit)), LEAST, MOST_SEEN)
    if free.rate:
        rate = max(float(rate * np.exp(rest[-1])), LEAST)
    return replace(model, theta=theta, sd=sd, detection=detection, rate=rate)


def learned(model: SetModel, sums: SetSums, free: Free) -> SetModel:
    """The model after a step of EM of the law, the density of false readings and the shape of the noise."""
    law = model.law.learned(sums.residuals)
    clutter = model.clutter.learned(sums.clutter) if free.rate else model.clutter
    if len(model.shape) == 1 or not sums.moments.any():  # numbers, or all readings taken for false ones
        return replace(model, law=law, clutter=clutter)
    values, vectors = np.linalg.eigh(model.shape)
    root = (vectors * np.sqrt(values)) @ vectors.T
    shape = root @ (sums.moments / max(sums.seen.sum(), 1.0)) @ root
    return replace(model, law=law, clutter=clutter, shape=_regular(shape / (np.trace(shape) / len(shape))))


def _regular(shape: Floats) -> Floats:
    """A covariance (p, p) with no eigenvalue below `FLATTEST`, as few residuals on a line would have; the same if it has none."""
    values, vectors = np.linalg.eigh(shape)
    return shape if values[0] >= FLATTEST else np.asarray((vectors * np.maximum(values, FLATTEST)) @ vectors.T)
