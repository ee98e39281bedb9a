"""The weighted estimator the slow way, in the coefficients; sets to try it on; and short ways to ask for an estimate."""

import itertools
from dataclasses import dataclass

import numpy as np

from vieta.arrays import APART
from vieta.estimators.storage import flatten
from vieta.laws import noise
from vieta.sets import as_data
from vieta.sums import Passes
from vieta.symmetric import canonical_order, elementary, tensor
from vieta.weighted import tracker
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.tracking_state import YOUNG
from vieta.weighted.weighted_engine import WeightedEngine
from vieta.weighted.weighted_fit import solution

CAP = 2.0


def coefficients(L, p):
    """The transform whose coefficients carry the same as what a kernel sees."""
    return (elementary(L) if p == 1 else tensor(L, p, p)).readings


def twin(y, m, noise):
    """Score J'V⁻¹r (L p,), information J'V⁻¹J and r'V⁻¹r of one set (L, p), in coefficients, scaled but not clever."""
    algebra = coefficients(*m.shape)
    r = algebra.transform(y) - algebra.transform(m)
    J = algebra.jacobian(m).reshape(algebra.size, m.size)
    V = algebra.covariance(m, noise)
    scale = np.sqrt(np.diag(V))
    r, J, V = r / scale, J / scale[:, None], V / np.outer(scale, scale)
    return J.T @ np.linalg.solve(V, r), J.T @ np.linalg.solve(V, J), float(r @ np.linalg.solve(V, r))


def stands_apart(array):
    """Whether an array is one of `vieta.arrays.unshared`: nothing else is written next to it."""
    room = array if array.base is None else array.base
    before = array.ctypes.data - room.ctypes.data
    return before >= 8 * APART and room.nbytes - before - array.nbytes >= 8 * APART


def covariance(rng, p, size=1.0):
    """A noise covariance (p, p) with correlations."""
    root = rng.normal(size=(p, p)) + np.eye(p)
    return size * (root @ root.T + 0.2 * np.eye(p))


def spread_means(rng, L, p):
    """Means (L, p), neither close nor in order."""
    return rng.permutation(np.arange(L) * 1.5)[:, None] + rng.normal(size=(L, p)) - 0.75 * (L - 1)


def close(got, expected, tolerance):
    """Equal, relative to the largest entry."""
    return np.max(np.abs(np.asarray(got) - expected)) <= tolerance * np.max(np.abs(expected))


def set_error(theta, truth):
    """Sum of squared errors, rows matched in canonical order."""
    return float(((theta[canonical_order(theta)] - truth[canonical_order(truth)]) ** 2).sum())


def with_labels(readings, inputs):
    """(L, D) least squares of each system on its own, from readings (N, L) or (N, L, p) in the order of the systems."""
    data = as_data(readings, inputs)
    rows = as_matrices(data).reshape(-1, data.dim)
    return np.linalg.lstsq(rows, np.swapaxes(data.sets, 1, 2).reshape(len(rows), -1))[0].T


def cut(data, *sizes):
    """Passes over blocks of these sizes, and one of what is left."""
    ends = np.minimum(np.cumsum([0, *sizes, len(data)]), len(data))
    parts = [data.part(a, b) for a, b in itertools.pairwise(ends) if b > a]
    return Passes(data.part(0, 0), lambda: parts)


def solved(sets, inputs=None, robust=False):
    """The batch solution of arrays in memory."""
    return solution(cut(as_data(sets, inputs)), tracker.Settings(cap=CAP if robust else np.inf))


def errors(found):
    """(L, D) standard errors of a solution."""
    return np.sqrt(np.diag(found.cov)).reshape(found.theta.shape)


def codes(found):
    """The codes of a solution's findings."""
    return [one.code for one in found.findings]


@dataclass
class Stream:
    """A weighted filter on arrays, which changes in place."""

    engine: WeightedEngine
    state: tracker.State

    def absorb(self, sets, inputs=None):
        self.state = self.engine.advance(self.state, as_data(sets, inputs))
        return self

    def estimate(self):
        return self.engine.estimate(self.state)


def stream(like, memory=None, drift=None, robust=False, shock="auto", young=YOUNG):
    """A filter for sets of the shape of `like`: so many sets of memory, a variance that drift adds a set, or "auto", bounded influence, ..."""
    adaptive = drift == "auto"
    walk = np.empty((0, 0)) if drift is None or adaptive else drift * np.eye(like.n_systems * like.dim)
    forgetting = 1.0 if memory is None else 1.0 - 1.0 / memory
    settings = tracker.Settings(forgetting, walk, CAP if robust else np.inf, adaptive, shock, young)
    engine = WeightedEngine(like.part(0, 0), settings)
    return Stream(engine, engine.init())


def follow(sets, inputs=None, **options):
    """A filter that has absorbed arrays."""
    return stream(as_data(sets, inputs), **options).absorb(sets, inputs)


def assert_same_state(one, two):
    """Two states of a filter, bit by bit."""
    first, second = flatten(one), flatten(two)
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def draw_sets(L, p, D, n, seed, law=noise.Gaussian, variance=0.3):
    """Parameters, inputs (n, p, D) and sets (n, L, p)."""
    rng = np.random.default_rng([L, p, D, seed])
    theta, psi = 1.5 * rng.normal(size=(L, D)), rng.normal(size=(n, p, D))
    v = np.stack([law(s).draw(rng, n, 1, p)[:, 0] for s in np.broadcast_to(variance, L)], axis=1)
    return theta, psi, np.einsum("npd,ld->nlp", psi, theta) + v
