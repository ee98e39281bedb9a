r"""The probability of an interval under a logistic or a normal law, and its slopes, without cancellation.

.. math:: P = G(b) - G(a), \qquad \frac{g(a)}{P}, \quad \frac{g(b)}{P}, \qquad a < b,

G the distribution function and g its density. An interval above zero is turned round: G(b) - G(a) = G(-a) - G(-b).
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats

DEVIATION = {"logit": np.pi / np.sqrt(3.0), "probit": 1.0}  # of the law that belongs to a link


class Interval(NamedTuple):
    """log P, g(a)/P and g(b)/P, of the shape of the bounds."""

    log: Floats
    lower: Floats
    upper: Floats


def interval(link: str, a: Floats, b: Floats) -> Interval:
    """The probability of (a, b] and its slopes; bounds may be infinite.

    >>> round(float(np.exp(interval("probit", np.array(-1.0), np.array(1.0)).log)), 4)
    0.6827
    """
    turned = a > 0.0
    low, high = np.where(turned, -b, a), np.where(turned, -a, b)
    top = _log_cdf(link, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(np.isneginf(low), 0.0, np.exp(np.minimum(_log_cdf(link, low) - top, -1e-300)))
        log = np.maximum(top + np.log1p(-ratio), -700.0)
    return Interval(log, np.exp(_log_density(link, a) - log), np.exp(_log_density(link, b) - log))


def _log_cdf(link: str, x: Floats) -> Floats:
    from scipy.special import log_expit, log_ndtr

    return np.asarray(log_ndtr(x) if link == "probit" else log_expit(x))


def _log_density(link: str, x: Floats) -> Floats:
    """log g; minus infinity at the ends."""
    if link == "probit":
        return np.asarray(-0.5 * np.square(x) - 0.5 * np.log(2.0 * np.pi))
    return np.asarray(_log_cdf(link, x) + _log_cdf(link, -x))
