r"""The law of incomplete sets, and what a block of them says at some parameters.

System l is seen with probability :math:`p_l`; its reading is :math:`\Psi\theta_l + \sigma_l C^{1/2} u`, the coordinates of u independent with
density f; beside it come a Poisson number of false readings, :math:`\Lambda` on average, with density c. With
:math:`u_{il} = C^{-1/2}(y_i - \Psi\theta_l)/\sigma_l` the weights of a set are (`vieta.association.partial`)

.. math:: A_{il} = p_l \prod_q f(u_{ilq}) / (\sigma_l^p |C|^{1/2}), \qquad A_{i0} = \Lambda\,c(y_i), \qquad q_l = 1 - p_l, \qquad
    \log p(Y) = \log Z - \Lambda ,

up to n!, and with s = -f'/f and :math:`w_l = \sum_i P_{il}` its scores are

.. math:: \theta_l: \sum_i P_{il} \Psi' C^{-1/2} s(u_{il})/\sigma_l, \quad \log\sigma_l: \sum_i P_{il} (s(u_{il})'u_{il} - p), \quad
    \mathrm{logit}\,p_l: w_l - p_l, \quad \log\Lambda: \sum_i P_{i0} - \Lambda, \quad w_j: \sum_{ilq} P_{il} K_j(u_{ilq})/f(u_{ilq}) .
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.sieve import UnitLaw
from vieta.arrays import Floats, plain
from vieta.laws.linear import respond
from vieta.sets import Data

EXACT = 1024  # states of partial assignments: all of ten systems
# Systems beyond which sums have fewer states: for twenty, three deviations apart, that takes a quarter of the time.
FEWER = ((16, 256), (24, 64))
FAR = float(np.log(1e-5))  # logarithm of the probability of a pair that filters leave out
LEAST = 1e-7  # rate of false readings, and probability of a miss, where there are none: no set is impossible


@dataclass(frozen=True, slots=True, eq=False)
class SetModel:
    """Parameters of the law of sets.

    Attributes
    ----------
    theta : (L, D)
    sd : (L,)
        Deviations, in units of the law.
    shape : (p, p)
        C, of mean variance one.
    detection : (L,)
        Probabilities of being seen.
    rate : float
        False readings a set, on average.
    clutter : ClutterDensity
    law : UnitLaw
    """

    theta: Floats
    sd: Floats
    shape: Floats
    detection: Floats
    rate: float
    clutter: ClutterDensity
    law: UnitLaw

    @property
    def whitening(self) -> tuple[Floats, float]:
        """C^(-1/2) and half the logarithm of the determinant of C."""
        values, vectors = np.linalg.eigh(self.shape)
        return (vectors / np.sqrt(values)) @ vectors.T, 0.5 * float(np.log(values).sum())

    @property
    def noise_sd(self) -> Floats:
        """(L,) standard deviations of the noise."""
        return np.asarray(self.sd * np.sqrt(self.law.variance))

    def reordered(self, order: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> "SetModel":
        """With the systems in another order."""
        return replace(self, theta=self.theta[order], sd=self.sd[order], detection=self.detection[order])


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Logarithms of the weights of a block: of pairs (R, L), of false readings (R,), of misses (L,); residuals u and scores s(u) (R, L, p)."""

    pairs: Floats
    false: Floats
    missed: Floats
    residuals: Floats
    scores: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """What the readings of a block are, at some parameters.

    Attributes
    ----------
    log_likelihood : (N,)
        Of each set, up to n!.
    pairs : (R, L)
        P: the probability of each system, reading by reading; what is left to one is that of being false.
    weights : Weights
    """

    log_likelihood: Floats
    pairs: Floats
    weights: Weights

    @property
    def residuals(self) -> Floats:
        """(R, L, p) u."""
        return self.weights.residuals

    @property
    def scores(self) -> Floats:
        """(R, L, p) s(u)."""
        return self.weights.scores

    @property
    def false(self) -> Floats:
        """(R,) P_i0."""
        return np.asarray(np.clip(1.0 - self.pairs.sum(axis=1), 0.0, 1.0))


def weigh(data: Data, model: SetModel) -> Weights:
    """The weights of a block of sets."""
    readings, offsets = data.flat
    W, log_volume = model.whitening
    p = readings.shape[1]
    means = respond(data.inputs, np.broadcast_to(model.theta, (len(data), *model.theta.shape)))
    away = readings[:, None, :] - np.repeat(means, np.diff(offsets), axis=0)
    u = (away if p == 1 else away @ W) / model.sd[:, None]
    logs, scores = model.law.evaluate(u)
    pairs = logs.sum(axis=2) - p * np.log(model.sd) - log_volume + np.log(model.detection)
    false = np.log(model.rate) + model.clutter.log(readings)
    return Weights(plain(pairs), plain(false), np.log1p(-model.detection), u, scores)


def log_odds(data: Data, model: SetModel) -> Floats:
    """(R, L) log r of each pair, against a false reading and a miss."""
    return _odds(weigh(data, model))


def _odds(found: Weights) -> Floats:
    return found.pairs - found.false[:, None] - found.missed


def without_far(found: Weights) -> Weights:
    """Without pairs whose probability is below that of `FAR`."""
    return replace(found, pairs=np.where(_odds(found) > FAR, found.pairs, -np.inf))


def expect(data: Data, model: SetModel, kept: int = EXACT) -> Expectation:
    """The likelihood of each set, and who is who; by approximation for sets with more than `kept` states (`vieta.association.partial`)."""
    return associated(data, model, weigh(data, model), kept)


def states_of(n_systems: int) -> int:
    """States up to which sums over partial assignments are exact.

    >>> states_of(10), states_of(20), states_of(30)
    (1024, 256, 64)
    """
    return min([EXACT, *(states for most, states in FEWER if n_systems > most)])


def associated(data: Data, model: SetModel, weights: Weights, kept: int = EXACT) -> Expectation:
    """The same, with weights that are known."""
    from vieta.association.partial import associate_sets

    logs, pairs = np.empty(len(data)), np.empty(weights.pairs.shape)
    most = min(kept, states_of(data.n_systems))
    associate_sets(weights.pairs, weights.false, weights.missed, data.flat[1], most, logs, pairs)
    return Expectation(logs - model.rate, pairs, weights)


def by_set(values: Floats, offsets: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> Floats:
    """Sums (N, ..) of values (R, ..) over the readings of each set.

    >>> by_set(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    total = np.zeros((len(offsets) - 1, *values.shape[1:]))
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        total[filled] = np.add.reduceat(values, offsets[filled], axis=0)
    return total
