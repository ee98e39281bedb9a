r"""Two systems, exactly: the best guess compares how much better each reading fits one system than the other.

With :math:`h(y) = \log f_1(y - m_1) - \log f_2(y - m_2)` and log odds :math:`c = \log \pi_1/\pi_2` of the first order, the
posterior log odds of readings (y, y') are :math:`c + h(y) - h(y')`. The guess errs when they have the wrong sign, and

.. math:: P_e = \pi_1 P(h(Y_1) - h(Y_2) < -c) + \pi_2 P(h(Y_1) - h(Y_2) < c)

with ties counted half. For Gaussian noise of one covariance C the difference is :math:`N(\Delta^2/2, \Delta^2)`,
:math:`\Delta^2 = 2 d'C^{-1}d`, d the difference of the means; a fair prior gives :math:`P_e = Q(\Delta/2)`, in one
dimension :math:`Q(|d|/(\sqrt2 \sigma))`. (The paper has 1/2 whatever the noise; it takes the posterior for the prior.)

What remains unknown in nats, the surprise, is :math:`E \log(1 + e^{-s})`, s the posterior log odds of the true order.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.laws.noise import Scaled
from vieta.laws.quadrature import grid

POINTS = 4096  # of equal probability, for the law of each reading
PIECE = 4096  # inputs that are looked at together
AVERAGED = 1024  # points at most for the average of the surprise
SORTED = 4e5  # points that are sorted for the error, over all inputs
WORK = 5e6  # pairs of points that the average of the surprise may take, over all inputs
LOST = 1e-3  # share of a law's mass that its points may miss


def gaussian(distance: Floats, weights: Floats, prior: Floats) -> tuple[float, float]:
    """Error and surprise from distances Delta (n,) between the two orders in standard deviations, at n inputs with their weights.

    >>> round(gaussian(np.array([np.sqrt(2.0)]), np.ones(1), np.array([0.5, 0.5]))[0], 4)
    0.2398
    """
    from scipy.special import ndtr

    odds = _log_odds(prior)
    z = np.arange(-320, 321) / 32.0
    normal = np.exp(-0.5 * z**2)
    normal /= normal.sum()
    wrong, surprise = 0.0, 0.0
    for share, c in zip(prior, (odds, -odds)):
        for at in range(0, len(distance) if share > 0.0 else 0, PIECE):
            d, weight = distance[at : at + PIECE], share * weights[at : at + PIECE]
            miss = np.where(d > 0.0, ndtr(-c / np.where(d > 0.0, d, 1.0) - d / 2.0), 0.5 * (1.0 - np.sign(c)))
            log_odds = c + 0.5 * d[:, None] ** 2 + d[:, None] * z
            wrong += weight @ miss
            surprise += weight @ (np.logaddexp(0.0, -log_odds) @ normal)
    return float(wrong), float(surprise)


def quadrature(law: Scaled, means: Floats, weights: Floats, prior: Floats) -> tuple[float, float] | None:
    """Error and surprise from means (n, 2, 1) at n inputs with their weights, to about 1e-4; 5e-4 for laws with jumps.

    Up to 100 inputs each has 4096 points; more of them have fewer each, and their errors average out; the surprise is then known to 3e-3.

    None for a law that cannot be put on points: one whose density is infinite somewhere other than at zero.
    """
    points = quantiles(law)
    if points is None:
        return None
    odds = _log_odds(prior)
    cases = [(1.0, 0.0)] if odds == 0.0 else [(share, c) for share, c in zip(prior, (odds, -odds)) if share > 0.0]
    many, few = _thinned(points, SORTED / len(means)), _thinned(points, min(np.sqrt(WORK / len(means)), AVERAGED))
    wrong, surprise = 0.0, 0.0
    for mean, weight in zip(means, weights):
        first, second = _evidence(law, mean, many)
        one, other = _evidence(law, mean, few)
        for share, c in cases:
            wrong += weight * share * _below(first, second, -c)
            with np.errstate(invalid="ignore"):
                s = c + one[:, None] - other
            surprise += weight * share * float(np.logaddexp(0.0, -np.where(np.isnan(s), c, s)).mean())
    return float(wrong), float(surprise)


def _thinned(points: Floats, wanted: float) -> Floats:
    """About as many points of equal probability as wanted, a power of two from 64 to all of them."""
    stride = POINTS // 2 ** int(np.clip(np.log2(wanted), 6, 12))
    return points if stride == 1 else 0.5 * (points[stride // 2 - 1 :: stride] + points[stride // 2 :: stride])


def quantiles(law: Scaled) -> Floats | None:
    """Points of equal probability of the law at variance one, (4096,), by its distribution function on a fine grid."""
    u, weight = grid()
    mass = weight * np.exp(law.unit_log_density(u))
    total = float(mass.sum())
    if not abs(total - 1.0) < LOST:
        return None
    below = (np.cumsum(mass) - 0.5 * mass) / total
    return np.asarray(np.interp((np.arange(POINTS) + 0.5) / POINTS, below, u))


def _evidence(law: Scaled, mean: Floats, points: Floats) -> tuple[Floats, Floats]:
    """h at the points of each of the two readings, rounded so that ties are ties."""
    sd = np.sqrt(np.broadcast_to(np.ravel(law.variance), (2,)))
    found = []
    for l in (0, 1):
        y = mean[l, 0] + sd[l] * points
        each = law.log_density((y[:, None] - mean[:, 0])[:, :, None])
        with np.errstate(invalid="ignore"):
            found.append(np.round(each[:, 0] - each[:, 1], 9))
    return found[0], found[1]


def _below(first: Floats, second: Floats, c: float) -> float:
    """P(first - second < c), ties counted half, for points of equal probability."""
    ordered = np.sort(first)
    with np.errstate(invalid="ignore"):
        at = second + c
    low, high = np.searchsorted(ordered, at - 1e-8), np.searchsorted(ordered, at + 1e-8, side="right")
    return float(np.mean(low + high) / (2.0 * len(first)))


def _log_odds(prior: Floats) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(prior[0]) - np.log(prior[1]))
