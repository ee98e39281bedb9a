r"""How fast the parameters wander, from the blocks of a record: the variance of a random walk by maximum likelihood.

Blocks b of :math:`n_b` sets have the score :math:`g_b \sim N(H_b x_b, \varphi H_b)` about the mean parameters :math:`x_b` in them, measured
from the reference, with :math:`\varphi` for memory over time. The means of a random walk with the variance Q a set over neighbouring blocks
differ by :math:`Q (n_b + n_{b+1}) / 3`. A Kalman filter over the blocks gives the likelihood of :math:`Q = c\,Q_0`, with :math:`Q_0` the
squared error that one set alone would leave of each parameter.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.weighted.equations import mirrored
from vieta.weighted.record import Record, block_sums, largest_factor
from vieta.weighted.scaled_inverse import scaled_inverse

GRID = 10.0 ** np.arange(-11.0, 0.0)  # c at which the likelihood is looked at first
FINER = 2.0 ** np.array([-2.0, -1.0, 1.0, 2.0])  # then, around the best


class Walk(NamedTuple):
    """Variances a set (n,), twice the log-likelihood that they gain over parameters that stand still, and where the walk ends.

    `theta` (L, D) and `cov` (n, n) are those of the parameters after the last block.
    """

    variances: Floats
    gain: float
    theta: Floats
    cov: Floats


def fitted(record: Record, start: Floats | None = None) -> Walk:
    """The likeliest random walk; looked for near given variances only, if there are any."""
    unit = _unit(record)
    still = _filtered(record, unit, 0.0)
    grid = GRID if start is None else float(start.mean() / unit.mean()) * np.append(FINER, 1.0)
    best = max(grid, key=lambda c: _filtered(record, unit, c).gain)
    if start is None:
        best = max(np.append(best * FINER, best), key=lambda c: _filtered(record, unit, c).gain)
    found = _filtered(record, unit, float(best))
    return found._replace(gain=found.gain - still.gain)


def _unit(record: Record) -> Floats:
    """(n,) the squared error that one set alone would leave of each parameter."""
    sums = block_sums(record)
    return np.asarray(np.diag(scaled_inverse(sums.information)) * sums.n_sets)


def _filtered(record: Record, unit: Floats, c: float) -> Walk:
    """The filter over the blocks, with its log-likelihood, times two, as `gain`."""
    used, n = record.n_blocks, record.reference.size
    factor = largest_factor(record)
    x, P, gain = np.zeros(n), np.zeros((n, n)), 0.0
    scale = np.sqrt(unit)  # in units of which all is of the same size
    for b in range(used):
        H, g = mirrored(np.tril(record.blocks[b, :n, :n])), record.blocks[b, 2 * n + 2, :n]
        values, vectors = np.linalg.eigh(H * scale[:, None] * scale / factor)
        keep = values > 1e-12 * values[-1]
        root = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
        z = (vectors[:, keep].T @ (g * scale / factor)) / np.sqrt(values[keep])
        if b == 0:
            P = np.linalg.pinv(root.T @ root + 1e-12 * np.trace(root.T @ root) * np.eye(n), hermitian=True)
            x = P @ root.T @ z
            continue
        P = P + c * (record.sizes[b - 1, 0] + record.sizes[b, 0]) / 3.0 * np.eye(n)
        S = root @ P @ root.T + np.eye(len(root))
        gap = z - root @ x
        K = np.linalg.solve(S, root @ P).T
        x, P = x + K @ gap, P - K @ root @ P
        gain -= float(np.linalg.slogdet(S)[1] + gap @ np.linalg.solve(S, gap))
    P = P + c * record.sizes[used - 1, 0] / 3.0 * np.eye(n)  # from the mean over the last block to its end
    theta = record.reference + (x * scale).reshape(record.reference.shape)
    return Walk(c * unit, gain, theta, np.asarray(P * scale[:, None] * scale))
