r"""What a block of sets says at some parameters, set by set, without arrays between: the sums of `vieta.adaptive.set_sums` for a stream.

The scores g of a set are those of `vieta.adaptive.set_model`, of :math:`\theta` row by row, of all :math:`\log\sigma_l`, of all
:math:`\mathrm{logit}\,p_l` and of :math:`\log\Lambda`. Beside the sums a second probability :math:`\pi_l` of being seen is kept that
forgets: with :math:`w_l` the probability that system l was seen in the set, under :math:`p_l`, the odds under :math:`\pi_l` are exactly

.. math:: \frac{w'}{1 - w'} = \frac{w_l}{1 - w_l} \frac{1 - p_l}{p_l} \frac{\pi_l}{1 - \pi_l}, \qquad \pi_l \leftarrow \pi_l + a\,(w' - \pi_l) ,

and a number of false readings that forgets in the same way, :math:`\lambda \leftarrow \lambda + a\,(\sum_i P_{i0} - \lambda)`. A pair whose
probability is below `vieta.adaptive.set_model.FAR`, by the bound of `vieta.association.partial`, is left out.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.adaptive.set_model import FAR
from vieta.adaptive.table_kernel import interpolate
from vieta.arrays import Floats, Integers
from vieta.association.partial import associate_partially, partial_workspace
from vieta.compiled import compile_now, inlined


@inlined
def locate(u: Floats, farthest: float, steps: float, weights: Floats, L: int, p: int, histogram: Floats) -> None:
    """Add residuals u (n L p,), each with the weight of its reading and system, to a histogram (G,), shared between two points."""
    last = len(histogram) - 2
    for i in range(weights.shape[0]):
        for l in range(L):
            w = weights[i, l]
            if w == 0.0:
                continue
            for q in range(p):
                x = (u[(i * L + l) * p + q] + farthest) * steps
                at = int(min(max(x, 0.0), float(last)))
                t = min(max(x - at, 0.0), 1.0)
                histogram[at] += (1.0 - t) * w
                histogram[at + 1] += t * w


@inlined
def bin_of(y: float, low: float, width: float, count: int) -> int:
    """The bin of a reading; the nearest if it lies outside."""
    return int(min(max(np.floor((y - low) / width), 0.0), count - 1.0))


@inlined
def respond_whitened(psi: Floats, theta: Floats, whitening: Floats, means: Floats, row: Floats, gram: Floats) -> None:
    """Fill the means (L, p) of a set with input (p, D) and C^(-1/2) Psi (p, D), and add Psi' C^-1 Psi to `gram` (D, D)."""
    (L, p), D = means.shape, psi.shape[1]
    for l in range(L):
        for q in range(p):
            x = 0.0
            for d in range(D):
                x += psi[q, d] * theta[l, d]
            means[l, q] = x
    for q in range(p):
        for d in range(D):
            x = 0.0
            for r in range(p):
                x += whitening[q, r] * psi[r, d]
            row[q, d] = x
    for d in range(D):
        for e in range(D):
            for q in range(p):
                gram[d, e] += row[q, d] * row[q, e]


@inlined
def away(readings: Floats, means: Floats, whitening: Floats, sd: Floats, u: Floats) -> None:
    """Fill the residuals u (n L p,) of readings (n, p)."""
    (n, p), L = readings.shape, len(means)
    for i in range(n):
        for l in range(L):
            for q in range(p):
                x = 0.0
                for r in range(p):
                    x += whitening[q, r] * (readings[i, r] - means[l, r])
                u[(i * L + l) * p + q] = x / sd[l]


@inlined
def add_scores(P: Floats, u: Floats, s: Floats, sd: Floats, row: Floats, g: Floats, moments: Floats) -> None:
    """Add to g (m,) the scores of theta, of log sd, and w; and to `moments` (p, p) the products of residuals, by probabilities (n, L)."""
    (n, L), (p, D) = P.shape, row.shape
    for i in range(n):
        for l in range(L):
            w, at = P[i, l], (i * L + l) * p
            if w == 0.0:
                continue
            x = -float(p)
            for q in range(p):
                x += s[at + q] * u[at + q]
                for d in range(D):
                    g[l * D + d] += row[q, d] * w * s[at + q] / sd[l]
                for r in range(p):
                    moments[q, r] += w * u[at + q] * u[at + r]
            g[L * D + l] += w * x
            g[L * D + L + l] += w


@compile_now
def absorb_sets(
    readings: Floats,
    offsets: Integers,
    psi: Floats,
    theta: Floats,
    sd: Floats,
    whitening: Floats,
    log_volume: float,
    detection: Floats,
    rate: float,
    low: Floats,
    width: Floats,
    log_heights: Floats,
    value: Floats,
    slope: Floats,
    normal: bool,
    farthest: float,
    steps: float,
    kept: int,
    gain: float,
    total: Floats,
    products: Floats,
    seen: Floats,
    histogram: Floats,
    moments: Floats,
    clutter: Floats,
    gram: Floats,
    recent: Floats,
    scores: Floats,
) -> float:
    """Add the sums of some sets to `total` (m,), `products` (m, m), `seen` (L,), `histogram` (G,), `moments` (p, p), `clutter` (p, B), `gram`.

    `recent` (L + 1,) is moved, the last of it the number of false readings, and `scores` (N, m) are filled. Returns the log-likelihood.
    """
    (L, D), p = theta.shape, readings.shape[1]
    B, m = log_heights.shape[1], len(total)
    most = 0
    for k in range(len(offsets) - 1):
        most = max(most, offsets[k + 1] - offsets[k])
    work = partial_workspace(most, L)
    pairs, false, P = np.empty((most, L)), np.empty(most), np.empty((most, L))
    u, logs, s = np.empty(most * L * p), np.empty(most * L * p), np.empty(most * L * p)
    missed, base, means = np.empty(L), np.empty(L), np.empty((L, p))
    g, row = np.empty(m), np.empty((p, D))
    for l in range(L):
        missed[l] = np.log1p(-detection[l])
        base[l] = np.log(detection[l]) - p * np.log(sd[l]) - log_volume
    log_rate, height = np.log(rate), 0.0
    for k in range(len(offsets) - 1):
        first, n = offsets[k], offsets[k + 1] - offsets[k]
        respond_whitened(psi[k], theta, whitening, means, row, gram)
        away(readings[first : first + n], means, whitening, sd, u)
        for i in range(n):
            false[i] = log_rate
            for q in range(p):
                false[i] += log_heights[q, bin_of(readings[first + i, q], low[q], width[q], B)]
        count = n * L * p
        if normal:
            for j in range(count):
                logs[j] = -0.5 * u[j] * u[j] - 0.5 * np.log(2.0 * np.pi)
                s[j] = u[j]
        else:
            interpolate(u[:count], value, slope, farthest, steps, logs[:count], s[:count])
        for i in range(n):
            for l in range(L):
                x = base[l]
                for q in range(p):
                    x += logs[(i * L + l) * p + q]
                pairs[i, l] = x if x - false[i] - missed[l] > FAR else -np.inf
        height += associate_partially(pairs[:n], false[:n], missed, kept, P[:n], work) - rate
        for j in range(m):
            g[j] = 0.0
        add_scores(P[:n], u, s, sd, row, g, moments)
        spurious = 0.0
        for i in range(n):
            left = 1.0
            for l in range(L):
                left -= P[i, l]
            left = min(max(left, 0.0), 1.0)
            spurious += left
            for q in range(p):
                clutter[q, bin_of(readings[first + i, q], low[q], width[q], B)] += left
        for l in range(L):
            w = min(g[L * D + L + l], 1.0)
            seen[l] += w
            g[L * D + L + l] -= detection[l]
            a = w * (1.0 - detection[l]) * recent[l]
            b = (1.0 - w) * detection[l] * (1.0 - recent[l])
            recent[l] += gain * (a / max(a + b, 1e-300) - recent[l])
        g[m - 1] = spurious - rate
        recent[L] += gain * (spurious - recent[L])
        for a in range(m):
            scores[k, a] = g[a]
            total[a] += g[a]
            for b in range(m):
                products[a, b] += g[a] * g[b]
        locate(u, farthest, steps, P[:n], L, p, histogram)
    return height
