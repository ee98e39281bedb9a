"""Data for the methods, and twins that go through them one set at a time."""

import numpy as np

import vieta
from vieta.laws import inputs, noise
from vieta.sets import as_data
from vieta.sums import in_memory

THETA = np.array([-1.0, 2.0])


def draw(n=400, seed=0, sd=0.3):
    return vieta.simulate(THETA, n=n, seed=seed, noise=noise.Gaussian(sd**2), inputs=inputs.Uniform(0.5, 1.5))


def passes(records, blocks=1):
    return in_memory(as_data(records.sets, records.inputs), blocks)


def coefficients(records):
    """(N, 2) sum and product of each set, and (N, 2) their regressors psi and psi²."""
    z = np.column_stack([records.sets.sum(axis=1), records.sets.prod(axis=1)])
    return z, np.column_stack([records.inputs, records.inputs**2])


def roots(lam):
    """Two numbers from their sum and their product, ascending."""
    return np.sort(np.roots([1.0, -lam[0], lam[1]]).real)
