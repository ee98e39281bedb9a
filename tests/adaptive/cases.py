"""Incomplete sets that are drawn from known systems."""

from dataclasses import dataclass

import numpy as np

from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.sieve import UnitLaw
from vieta.set_requirements import as_incomplete
from vieta.sets import Data, as_data, in_canonical_order
from vieta.sums import Passes, in_memory

THETA = np.array([[-2.0], [5.0], [8.0]])
TRACKS = np.array([[-3.0, 4.0, -3.0, 3.0], [0.0, -5.0, 2.0, 1.0]])  # of points that move in the plane


@dataclass(frozen=True, eq=False)
class Drawn:
    """Sets with their inputs, the truth, and the system of each reading, -1 for false ones, in the order of the sets."""

    sets: list
    inputs: np.ndarray
    theta: np.ndarray
    owners: np.ndarray

    @property
    def data(self) -> Data:
        return in_canonical_order(as_incomplete(as_data(self.sets, self.inputs), len(self.theta)))

    def passes(self, blocks: int = 1) -> Passes:
        return in_memory(self.data, blocks)

    @property
    def labeled(self) -> np.ndarray:
        """Least squares with the labels."""
        rows = np.repeat(as_rows(self.inputs), [len(one) for one in self.sets], axis=0)
        readings = np.concatenate(self.sets).reshape(len(rows), -1)
        found = []
        for l in range(len(self.theta)):
            own = self.owners == l
            X = rows[own].reshape(-1, rows.shape[2])
            found.append(np.linalg.lstsq(X, readings[own].ravel(), rcond=None)[0])
        return np.array(found)


def as_rows(inputs):
    return inputs[:, None, None] if inputs.ndim == 1 else inputs


def draw(n=600, seed=0, *, theta=THETA, sd=0.5, seen=0.7, rate=1.0, law="normal", tracks=False):
    rng = np.random.default_rng(seed)
    L, D = theta.shape
    if tracks:
        t = np.linspace(-1.0, 1.0, n)
        psi = np.zeros((n, 2, 4))
        psi[:, 0, 0] = psi[:, 1, 2] = 1.0
        psi[:, 0, 1] = psi[:, 1, 3] = t
    else:
        psi = rng.normal(size=(n, 1, D))
    means = np.einsum("npd,ld->nlp", psi, theta)
    unit = rng.laplace(scale=0.5**0.5, size=means.shape) if law == "laplace" else rng.normal(size=means.shape)
    unit = rng.exponential(size=means.shape) - 1.0 if law == "skewed" else unit
    readings = means + np.broadcast_to(sd, (L,))[:, None] * unit
    sets, owners = [], []
    for k in range(n):
        there = np.flatnonzero(rng.random(L) < seen)
        false = rng.uniform(-10.0, 10.0, size=(rng.poisson(rate), means.shape[2]))
        order = rng.permutation(len(there) + len(false))
        sets.append(np.concatenate([readings[k, there], false])[order].reshape(len(order), *means.shape[2:][:1]))
        owners.append(np.append(there, np.full(len(false), -1))[order])
    inputs = psi[:, 0, 0] if means.shape[2] == 1 and D == 1 else psi
    return Drawn(sets, inputs, theta, np.concatenate(owners).astype(int))


def model_of(drawn, *, sd=0.5, seen=0.7, rate=1.0, law=None):
    """The true model, with a flat density of false readings."""
    readings, _ = drawn.data.flat
    L, p = len(drawn.theta), readings.shape[1]
    clutter = flat_density(readings.min(axis=0), readings.max(axis=0), len(readings))
    deviations = np.array(np.broadcast_to(sd, (L,)), dtype=float)
    detection = np.array(np.broadcast_to(seen, (L,)), dtype=float)
    return SetModel(drawn.theta, deviations, np.eye(p), detection, max(rate, LEAST), clutter, law or UnitLaw())


def months(seed, n=120, *, harmonics=3, L=4, seen=0.8, rate=1.0, unseen=0.0):
    """Systems with seasons of twelve months, of which `unseen` times another harmonic is no input; and the true model."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(n) / 12.0
    waves = [wave(j * angle) for j in range(1, harmonics + 1) for wave in (np.cos, np.sin)]
    psi, theta = np.column_stack([np.ones(n), *waves]), 10.0 * rng.normal(size=(L, 1 + 2 * harmonics))
    readings = psi @ theta.T + unseen * np.cos((harmonics + 1) * angle)[:, None] + rng.normal(size=(n, L))
    low, high = readings.min(), readings.max()
    sets, owners = [], []
    for one in readings:
        there = np.flatnonzero(rng.random(L) < seen)
        false = rng.uniform(low, high, size=rng.poisson(rate))
        order = rng.permutation(len(there) + len(false))
        sets.append(np.append(one[there], false)[order])
        owners.append(np.append(there, np.full(len(false), -1))[order])
    drawn = Drawn(sets, psi[:, None, :], theta, np.concatenate(owners).astype(int))
    return drawn, model_of(drawn, sd=1.0, seen=seen, rate=rate)
