r"""Tails and quantiles of the laws that tests and intervals use, one number at a time.

SciPy has them too, for arrays; to import it takes longer than a small fit.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LARGE = 1000.0  # degrees of freedom, from which a series in their inverse gives the t law's quantiles to 1e-12
ROUNDING = 1e-15
PATIENCE = 1000  # steps of an iteration
BISECTIONS = 60


def normal_quantile(probability: float) -> float:
    """The number that a standard normal variable stays below with that probability.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    if 0.0 < probability < 1.0:
        return NormalDist().inv_cdf(probability)
    return {0.0: -math.inf, 1.0: math.inf}.get(probability, math.nan)


def chi_square_tail(n: int, x: float) -> float:
    r"""The probability that a chi-square variable of n degrees of freedom exceeds x.

    .. math:: \sum_{j < n/2} e^{-h} h^j / j! \;\; (n \text{ even}), \qquad
        \mathrm{erfc}(\sqrt h) + \sum_{j=1}^{(n-1)/2} e^{-h} h^{j-1/2} / \Gamma(j + \tfrac12) \;\; (n \text{ odd}), \qquad h = x/2 .

    >>> round(chi_square_tail(2, 5.991), 4), round(chi_square_tail(3, 7.815), 4)
    (0.05, 0.05)
    """
    h = 0.5 * x
    if not h > 0.0:
        return 1.0 if h <= 0.0 else math.nan
    if math.isinf(h):
        return 0.0
    powers = [j + 0.5 * (n % 2) for j in range(n // 2)]
    terms = [math.exp(a * math.log(h) - h - math.lgamma(a + 1.0)) for a in powers]
    return min(math.fsum(terms) + (math.erfc(math.sqrt(h)) if n % 2 else 0.0), 1.0)


def binomial_cdf(hits: int, total: int, probability: float) -> float:
    """The probability of at most so many hits among `total`, of which each is one with that probability, between 0 and 1.

    >>> round(binomial_cdf(1, 3, 0.5), 6)
    0.5
    """
    yes, no = math.log(probability), math.log1p(-probability)
    choices = (
        math.lgamma(total + 1.0) - math.lgamma(j + 1.0) - math.lgamma(total - j + 1.0) + j * yes + (total - j) * no
        for j in range(hits + 1)
    )
    return min(math.fsum(map(math.exp, choices)), 1.0)


def student_quantile(probability: float, dof: float) -> float:
    """The number that a t variable with `dof` degrees of freedom, more than 0, stays below with that probability.

    >>> round(student_quantile(0.975, 5.0), 4), round(student_quantile(0.025, 1.0), 3)
    (2.5706, -12.706)
    """
    if probability < 0.5:
        return -student_quantile(1.0 - probability, dof)
    z = normal_quantile(probability)
    if dof >= LARGE or not math.isfinite(z):
        return _near_normal(z, dof) if math.isfinite(z) else z
    if not dof > 0.0:
        return math.nan
    outside, t = 2.0 * (1.0 - probability), z  # below the root, where the tail is convex: Newton's steps only grow
    for _ in range(PATIENCE):
        step = (student_tail(t, dof) - outside) / (2.0 * _student_density(t, dof))
        t += step
        if not step > ROUNDING * t:
            break
    return t


def student_tail(t: float, dof: float) -> float:
    r"""The probability that a t variable is larger than `t` in size: :math:`I_x(n/2, 1/2)` with :math:`x = n / (n + t^2)`.

    >>> round(student_tail(2.5706, 5.0), 4)
    0.05
    """
    return _incomplete_beta(0.5 * dof, 0.5, dof / (dof + t * t), t * t / (dof + t * t))


def _student_density(t: float, dof: float) -> float:
    log = math.lgamma(0.5 * dof + 0.5) - math.lgamma(0.5 * dof) - 0.5 * math.log(dof * math.pi)
    return math.exp(log - 0.5 * (dof + 1.0) * math.log1p(t * t / dof))


def _near_normal(z: float, n: float) -> float:
    r"""The t quantile from the normal one, :math:`z + g_1/n + g_2/n^2 + ..` (Fisher and Cornish)."""
    s = z * z
    series = (
        (s + 1.0) / 4.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0,
    )
    return z * (1.0 + math.fsum(g * n**-j for j, g in enumerate(series, start=1)))


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    r"""The regularized incomplete beta function :math:`I_x(a, b)`, with rest = 1 - x.

    By its continued fraction, on the side of the mean where that converges fast: :math:`I_x(a, b) = 1 - I_{1-x}(b, a)`.
    """
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(b, a, rest, x)
    front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(front) / a / _continued(a, b, x)


def _continued(a: float, b: float, x: float) -> float:
    r""":math:`1 + d_1/(1 + d_2/(1 + ..))`, d as in Abramowitz and Stegun 26.5.8, by Lentz's method."""
    value = ratio = 1.0
    inverse = 0.0
    for j in range(1, PATIENCE):
        m = j // 2
        top = m * (b - m) if j % 2 == 0 else -(a + m) * (a + b + m)
        d = top * x / ((a + j - 1.0) * (a + j))
        inverse = 1.0 / (1.0 + d * inverse)
        ratio = 1.0 + d / ratio
        value *= inverse * ratio
        if abs(inverse * ratio - 1.0) < ROUNDING:
            break
    return value


def squares_tail(weights: NDArray[np.float64], x: float) -> float:
    r"""The probability that :math:`\sum_i w_i \chi^2_i`, squares of independent normal variables with weights (n,) above zero, exceeds x.

    By the saddle point t of :math:`K(t) = -\frac12 \sum \log(1 - 2 t w_i)`, at which K'(t) = x (Kuonen 1999):

    .. math:: 1 - \Phi\bigl(r + \tfrac1r \log\tfrac vr\bigr), \qquad r = \pm\sqrt{2 (t x - K(t))}, \quad v = t \sqrt{K''(t)} .

    >>> round(squares_tail(np.ones(4), 9.488), 3)
    0.05
    """
    scale = float(weights.max())
    w, target = weights / scale, x / scale
    if not target > 0.0:
        return 1.0
    low, high = -0.5 * len(w) / target, 0.5  # K' rises from below the target to infinity
    for _ in range(BISECTIONS):
        t = 0.5 * (low + high)
        low, high = (t, high) if float((w / (1.0 - 2.0 * t * w)).sum()) < target else (low, t)
    r = math.copysign(math.sqrt(max(2.0 * t * target + float(np.log1p(-2.0 * t * w).sum()), 0.0)), t)
    if abs(r) < 1e-4:  # near the mean, where the formula is 0/0
        return 0.5
    v = t * math.sqrt(2.0 * float(((w / (1.0 - 2.0 * t * w)) ** 2).sum()))
    return NormalDist().cdf(-(r + math.log(v / r) / r))
