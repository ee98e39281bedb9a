r"""Links: what makes a predictor :math:`\eta = \psi'\theta + b` the mean :math:`\mu = g(\eta)` of an answer.

========  =======================  ====================
name      g                        g'
========  =======================  ====================
logit     1 / (1 + exp(-eta))      g (1 - g)
probit    Phi(eta)                 phi(eta)
log       exp(eta)                 exp(eta)
identity  eta                      1
========  =======================  ====================
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats


@dataclass(frozen=True, slots=True)
class Link:
    """A link by name: mean and slope as functions of the predictor, and the predictor of a mean.

    >>> round(float(LINKS["logit"].mean(np.array(0.0))), 3)
    0.5
    """

    name: str
    mean: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    predictor: Callable[[Floats], Floats]


def _normal(eta: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(eta))


def _normal_quantile(mean: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(mean))


def _logistic(eta: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(eta))


def _density(eta: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * np.square(eta)) / np.sqrt(2.0 * np.pi))


LINKS = {
    one.name: one
    for one in (
        Link("logit", _logistic, lambda eta: _logistic(eta) * _logistic(-eta), lambda mu: np.log(mu) - np.log1p(-mu)),
        Link("probit", _normal, _density, _normal_quantile),
        Link("log", np.exp, np.exp, np.log),
        Link(
            "identity",
            lambda eta: np.asarray(eta, dtype=np.float64),
            np.ones_like,
            np.asarray,
        ),
    )
}
