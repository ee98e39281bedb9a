r"""Sets drawn from a model with missed and false readings, and the same model after noise is added to every reading.

With noise of standard deviation a, normal noise has the covariances :math:`\sigma_l^2 C + a^2 I`, and the density of false readings becomes
:math:`c * N(0, a^2)`, again in bins. Other laws do not keep their shape, and neither do normal ones of vectors with deviations of their own:
for these it is not computed.
"""

from dataclasses import replace
from math import erf, sqrt

import numpy as np
from numpy.random import Generator

from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.adaptive.sieve import UnitLaw, components
from vieta.anonymity.simulated import means_at
from vieta.arrays import Floats
from vieta.laws.linear import root
from vieta.laws.noise import Laplace, StudentT
from vieta.sets import Data

REACH = 4.0  # deviations of the noise, by which the bins are widened
ALIKE = 1e-6  # relative difference of deviations that count as equal
UNITS = {
    "laplace": Laplace().unit,
    "student-t-5": StudentT(df=5.0).unit,
    "student-t-3": StudentT(df=3.0).unit,
}


def draw_unit(law: UnitLaw, rng: Generator, shape: tuple[int, ...]) -> Floats:
    """Numbers from a law of noise, in its unit."""
    if law.weights is not None:
        centres, deviations = components(law.width)
        at = rng.choice(len(centres), size=shape, p=law.weights / law.weights.sum())
        return np.asarray(centres[at] + deviations[at] * rng.standard_normal(shape))
    if law.name == "logistic":
        return np.asarray(rng.logistic(scale=np.sqrt(3.0) / np.pi, size=shape))
    return UNITS[law.name](rng, shape) if law.name else rng.standard_normal(shape)


def draw_clutter(density: ClutterDensity, rng: Generator, count: int) -> Floats:
    """(count, p) false readings."""
    share = density.heights * density.width[:, None]
    bins = np.stack([rng.choice(share.shape[1], size=count, p=row / row.sum()) for row in share], axis=1)
    return np.asarray(density.low + density.width * (bins + rng.random(bins.shape)))


def draw_sets(model: SetModel, psi: Floats, rng: Generator) -> Data:
    """A set for each of the inputs (n,) or (n, p, D), readings in random order."""
    (L, D), n = model.theta.shape, len(psi)
    means = means_at(model.theta, psi)
    unit = draw_unit(model.law, rng, means.shape)
    readings = means + model.sd[:, None] * (unit @ root(model.shape))
    seen = rng.random((n, L)) < np.where(model.detection >= MOST_SEEN, 1.0, model.detection)
    numbers = rng.poisson(model.rate if model.rate > LEAST else 0.0, n)
    values = np.concatenate([readings[seen], draw_clutter(model.clutter, rng, int(numbers.sum()))])
    owner = np.concatenate([np.nonzero(seen)[0], np.repeat(np.arange(n), numbers)])
    order = np.lexsort((rng.random(len(owner)), owner))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))]).astype(np.int64)
    return Data(values[order], psi, D, offsets, L)


def can_add(model: SetModel) -> bool:
    """Whether the model with noise added is one of its kind."""
    return model.law.is_normal and (len(model.shape) == 1 or bool(np.ptp(model.sd) <= ALIKE * model.sd.max()))


def with_noise(model: SetModel, added: float) -> SetModel:
    """The model after independent noise of standard deviation `added` in every number of a reading."""
    if added == 0.0:
        return model
    clutter = spread_out(model.clutter, added)
    if len(model.shape) == 1:
        sd = np.sqrt(model.sd**2 * model.shape[0, 0] + added**2)
        return replace(model, sd=sd, shape=np.eye(1), clutter=clutter)
    covariance = model.sd[0] ** 2 * model.shape + added**2 * np.eye(len(model.shape))
    size = float(np.trace(covariance)) / len(covariance)
    return replace(model, sd=np.full(len(model.sd), sqrt(size)), shape=covariance / size, clutter=clutter)


def spread_out(density: ClutterDensity, added: float) -> ClutterDensity:
    """The density of false readings after noise was added, in as many bins over a wider range."""
    B = density.heights.shape[1]
    low, width = density.low - REACH * added, density.width + 2.0 * REACH * added / B
    share = density.heights * density.width[:, None]
    heights = np.empty_like(share)
    for q in range(len(share)):
        centres = density.low[q] + density.width[q] * (np.arange(B) + 0.5)
        spread = sqrt(added**2 + density.width[q] ** 2 / 12.0)
        edges = (low[q] + width[q] * np.arange(B + 1) - centres[:, None]) / (spread * sqrt(2.0))
        reached = 0.5 * (1.0 + np.vectorize(erf, otypes=[float])(edges))
        mass = share[q] @ np.diff(reached, axis=1)
        heights[q] = np.maximum(mass / mass.sum(), 1e-12) / width[q]
    return ClutterDensity(low, width, heights)
