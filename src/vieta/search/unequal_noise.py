r"""Climbing the likelihood where every system has a noise variance of its own: EM for parameters and variances together.

With Gaussian noise of covariance :math:`v_l I` (in units of the common one), a permutation :math:`\pi` of a set's readings has the weight
:math:`\prod_i v_{\pi(i)}^{-p/2} \exp(-|y_i - m_{\pi(i)}|^2 / 2 v_{\pi(i)})`, and with the probabilities :math:`P_k(i, l)` that follow,

.. math:: \theta_l \leftarrow X^+ E[y_l], \qquad
    v_l \leftarrow \frac{w + \sum_k \sum_i P_k(i, l)\,|y_i(k) - m_l(k)|^2}{w + n p} .

All systems have the same inputs, so a system's variance has no part in its regression. The w = `WEIGHT` readings of variance one that each
system is given beforehand keep a variance from collapsing on a curve that passes through few readings.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, plain
from vieta.search.problem import Problem, regressed

WEIGHT = 4.0  # readings
GROWTH, LONGEST = 1.5, 8.0  # of a step, as in `ascent`


class OwnNoise(NamedTuple):
    """A log-likelihood, parameters (L, D), variances (L,) of the systems over the common one, and the log density of each set (n,)."""

    likelihood: float
    theta: Floats
    variances: Floats
    logs: Floats


class _Step(NamedTuple):
    """Log densities (n,) at some place, the log-likelihood with that of the readings given beforehand, and where EM goes from there."""

    logs: Floats
    height: float
    theta: Floats
    variances: Floats


def climb_with_own_noise(given: Problem, theta: Floats, iterations: int = 150, gain: float = 0.01) -> OwnNoise:
    """EM from parameters (L, D) and equal variances, until an iteration gains less than `gain`."""
    place = theta, np.ones(len(theta))
    now, length = step_with_own_noise(given, *place), 1.0
    for _ in range(iterations):
        there = _moved(place, now, length)
        after = step_with_own_noise(given, *there)
        gained = after.height - now.height
        if gained < 0.0 and length > 1.0:
            length = 1.0
            continue
        if gained < 0.0:
            break
        place, now, length = there, after, min(GROWTH * length, LONGEST)
        if gained < gain:
            break
    return OwnNoise(float(now.logs.sum()), *place, now.logs)


def _moved(place: tuple[Floats, Floats], now: _Step, length: float) -> tuple[Floats, Floats]:
    """So many times the step of EM, for variances on the scale of logarithms."""
    theta, variances = place
    return plain(theta + length * (now.theta - theta)), variances * (now.variances / variances) ** length


def step_with_own_noise(given: Problem, theta: Floats, variances: Floats) -> _Step:
    """One step of EM: the log density of each set under parameters (L, D) and variances (L,), and what the sets say of them.

    Log densities are up to the same constant as those of `problem.expect`, with which they agree where all variances are one.
    """
    from vieta.association.permanents import associate_each

    n, _, p = given.sets.shape
    means = given.means(theta)
    squares = ((given.sets[:, :, None] - means[:, None]) ** 2).sum(axis=3)
    logs, shares = associate_each(plain(-0.5 * squares / variances - 0.5 * p * np.log(variances)))
    readings = np.einsum("nil,nip->nlp", shares, given.sets)
    left = (shares * squares).sum(axis=(0, 1))
    given_before = -0.5 * WEIGHT * float((np.log(variances) + 1.0 / variances).sum())
    return _Step(
        logs,
        float(logs.sum()) + given_before,
        regressed(given, plain(readings)),
        (WEIGHT + left) / (WEIGHT + n * p),
    )
