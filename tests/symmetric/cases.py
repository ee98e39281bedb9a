"""The transforms under one roof, so that every check meets every one of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linear_sum_assignment

from tests import naive as twins
from vieta.paper.naive_transform import naive
from vieta.symmetric import Transform, convolution, elementary, planar, polarized, tensor
from vieta.symmetric.polarized import generic_directions

checked = settings(deadline=None, max_examples=40, derandomize=True)
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Case:
    """A transform of L systems in R^D, its twin, and inputs for which it has a linear model."""

    transform: Transform
    twin: Callable[[np.ndarray], np.ndarray]
    inputs: Callable[[np.random.Generator], np.ndarray]  # (N, p, D)

    @property
    def shape(self):
        return self.transform.n_systems, self.transform.dim


def _scalar_inputs(dim):
    return lambda rng: rng.normal(size=(5, 1, 1)) * np.eye(dim)


def _turns(rng):
    a, b = rng.normal(size=(2, 5, 1, 1))
    return a * np.eye(2) + b * np.array([[0.0, -1.0], [1.0, 0.0]])


def family(dim, rng, count=5):
    """Inputs c Sym^(D-1)(g) of a plane map g: column j holds the coefficients of c (a t + b)^j (g t + d)^(D-1-j)."""
    result = []
    for a, b, g, d, c in rng.normal(size=(count, 5)):
        columns = []
        for j in range(dim):
            column = np.array([c])
            for factor in [(b, a)] * j + [(d, g)] * (dim - 1 - j):
                column = np.convolve(column, factor)
            columns.append(column)
        result.append(np.stack(columns, axis=-1))
    return np.stack(result)


def build(name, L, D, reading_dim=None):
    if name == "elementary":
        return Case(elementary(L), twins.scalar, _scalar_inputs(1))
    if name == "convolution":
        general = lambda rng: rng.normal(size=(5, D, D)) if D <= 2 else family(D, rng)  # noqa: E731
        return Case(convolution(L, D), twins.convolution, general)
    if name == "polarized":
        u = generic_directions(D, 3 if D > 1 else 1)
        return Case(polarized(L, D), lambda points: twins.polarized(points, u), _scalar_inputs(D))
    if name == "tensor":
        p = D if reading_dim is None else reading_dim
        return Case(tensor(L, p, D), twins.tensor, lambda rng: rng.normal(size=(5, p, D)))
    if name == "naive":
        return Case(naive(L, D), twins.elementwise, lambda rng: rng.normal(size=(5, D, 1)) * np.eye(D))
    return Case(planar(L), twins.planar, _turns)


NAMES = ("elementary", "convolution", "polarized", "tensor", "naive", "planar")
VECTOR_NAMES = NAMES[1:5]
SIZES = {
    "elementary": [(1, 1), (2, 1), (5, 1)],
    "planar": [(1, 2), (2, 2), (4, 2)],
    **{name: [(1, 1), (1, 3), (4, 1), (2, 2), (3, 2), (2, 3), (3, 3)] for name in VECTOR_NAMES},
}
ALL = [(name, L, D) for name in NAMES for L, D in SIZES[name]]
LARGEST = [(name, *SIZES[name][-1]) for name in NAMES]


def magnitude(case, points):
    """What the coefficients would be if nothing cancelled: rounding errors are small multiples of it."""
    name, size = case.transform.name, abs(np.asarray(points))
    if name == "planar":
        return np.repeat(twins.elementary(np.hypot(*size.T)), 2)
    if name == "polarized":
        return twins.polarized(size, abs(generic_directions(size.shape[1], 3 if size.shape[1] > 1 else 1)))
    return case.twin(size)


def assert_rounding(actual, expected, size, factor=100):
    """Equal up to a small multiple of the rounding error of numbers of that size."""
    assert np.all(abs(actual - expected) <= factor * np.finfo(float).eps * size + 1e-290)


def points(L, D, bound=10.0):
    return hnp.arrays(np.float64, (L, D), elements=st.floats(-bound, bound))


def separated(rng, L, D, gap=0.3):
    """Parameters (L, D) at least `gap` apart in every coordinate, each coordinate in an order of its own."""
    rows = gap * (np.arange(L)[:, None] * 2 - L + 1) + rng.uniform(-0.4, 0.4, size=(L, D)) * gap
    return rng.permuted(rows, axis=0) * rng.choice([-1.0, 1.0], size=D) + rng.normal(size=D)


def distance(found, truth):
    """Largest difference of two sets of rows, each paired with its best match."""
    cost = abs(found[:, None, :] - truth[None, :, :]).max(axis=-1)
    return cost[linear_sum_assignment(cost)].max()


def agrees(samples, expected, errors=5.0):
    """Means of samples (n, ...) lie within some of their own standard errors of what is expected."""
    error = samples.std(axis=0) / np.sqrt(len(samples))
    return bool(np.all(abs(samples.mean(axis=0) - expected) < errors * error + 1e-12))


def symbolic(algebra, rows):
    """The product of (1 + sum_i y_i X_i) over rows of symbols, by the algebra's multiplication table."""
    product = [sympy.Integer(int(x)) for x in algebra.unit]
    for row in rows:
        table = zip(algebra.generator, algebra.source, algebra.target, algebra.weight)
        added = [sympy.Integer(0)] * len(product)
        for g, s, t, w in table:
            added[t] += sympy.nsimplify(float(w)) * row[g] * product[s]
        product = [sympy.expand(old + new) for old, new in zip(product, added)]
    return [product[r] for r in algebra.reported]
