"""Every transform with every kind of input it takes, so that no check leaves one out."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import settings

from vieta.coefficients.choice import choose_design
from vieta.coefficients.design import Design
from vieta.laws.linear import respond
from vieta.sets import as_data

checked = settings(deadline=None, max_examples=25, derandomize=True)
SEEDS = (0, 1, 2)

THETA = {  # by D; well separated, and not equally so along two directions
    1: np.array([[-1.0], [0.5], [2.0]]),
    2: np.array([[-1.0, 0.3], [0.5, 2.0], [2.5, -1.0]]),
    3: np.array([[-1.0, 0.5, 1.0], [0.5, 2.0, -1.0], [2.0, -1.0, 0.5]]),
}


@dataclass(frozen=True)
class Case:
    """A transform, the parameters (L, D), and the inputs: none, numbers, rows, (p, D) matrices, or turns of the plane.

    Where `name` is "auto" the package chooses.
    """

    name: str
    dim: int
    kind: str
    rows: int = 0
    n_systems: int = 2

    def __str__(self):
        return f"{self.name}-{self.kind}-{self.n_systems}x{self.dim}"

    @property
    def theta(self):
        return THETA[self.dim][: self.n_systems]

    def inputs(self, rng, n):
        size = rng.uniform(0.5, 1.5, size=n) * rng.choice([-1.0, 1.0], size=n)
        if self.kind == "none":
            return None
        if self.kind == "numbers":
            return size
        if self.kind == "rows":
            return rng.uniform(-1.5, 1.5, size=(n, self.dim))
        if self.kind == "turns":
            a, b = rng.normal(size=(2, n, 1, 1))
            return a * np.eye(2) + b * np.array([[0.0, -1.0], [1.0, 0.0]])
        return rng.normal(size=(n, self.rows, self.dim))

    def draw(self, n, seed=0, noise=0.1):
        """Sets, in random order, and inputs."""
        rng = np.random.default_rng(seed)
        inputs = self.inputs(rng, n)
        clean = respond(inputs, np.broadcast_to(self.theta, (n, *self.theta.shape)))
        sets = shuffle(clean + noise * rng.standard_normal(clean.shape), rng)
        return (sets[:, :, 0] if sets.shape[2] == 1 else sets), inputs

    def data(self, n, seed=0, noise=0.1):
        """Sets (n, L, p) and inputs as the recursions take them."""
        return as_data(*self.draw(n, seed, noise))

    def design(self) -> Design:
        return choose_design(self.name, self.data(2))


def shuffle(sets, rng):
    """Every set in an order of its own."""
    order = np.argsort(rng.random(sets.shape[:2]), axis=1)
    return np.take_along_axis(sets, order if sets.ndim == 2 else order[:, :, None], axis=1)


CASES = [
    Case("elementary", 1, "none"),
    Case("elementary", 1, "numbers", n_systems=3),
    Case("auto", 1, "numbers", n_systems=1),
    Case("planar", 2, "none"),
    Case("planar", 2, "numbers"),
    Case("planar", 2, "turns"),
    Case("polarized", 2, "none", n_systems=3),
    Case("polarized", 3, "numbers"),
    Case("polarized", 2, "matrices", rows=2),
    Case("convolution", 2, "none"),
    Case("convolution", 3, "numbers"),
    Case("convolution", 2, "matrices", rows=2),
    Case("tensor", 2, "numbers"),
    Case("tensor", 3, "rows"),
    Case("tensor", 2, "matrices", rows=2, n_systems=3),
    Case("tensor", 2, "matrices", rows=3),
    Case("auto", 3, "matrices", rows=2),
]
every_case = pytest.mark.parametrize("case", CASES, ids=str)
DISTINCT = list(
    {(one.dim, one.kind, one.rows, one.n_systems): one for one in CASES}.values()
)  # to whom no transform matters
SOME = [CASES[i] for i in (0, 1, 8, 13, 14)]  # none, numbers, undone matrices, rows, matrices
some_cases = pytest.mark.parametrize("case", SOME, ids=str)


def agrees(samples, predicted, errors=5.0):
    """Samples (runs, M) have the covariance predicted, within some standard errors of a sample covariance.

    Samples are turned so that the prediction is the identity: then a variance has the error sqrt(2 / runs).
    """
    root = np.linalg.cholesky(predicted)
    white = np.linalg.solve(root, (samples - samples.mean(axis=0)).T)
    found = white @ white.T / (len(samples) - 1)
    return bool(np.all(abs(found - np.eye(len(found))) < errors * np.sqrt(2.0 / (len(samples) - 1))))
