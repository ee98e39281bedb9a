"""Sets of answers, and twins of the likelihoods by the sum over all permutations."""

from itertools import permutations, product

import numpy as np
from scipy import stats

import vieta
from vieta.sets import as_data, with_known

THETA = np.array([[-1.0, 0.6], [0.3, -0.8], [1.2, 0.4]])
CUTS = np.array([-1.5, 0.2, 1.6])


def inputs(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(n), rng.standard_normal(n)]), rng.standard_normal(n)


def data(sets, psi, known=None):
    return with_known(as_data(np.asarray(sets, dtype=float), psi), known)


def drawn(family, n=400, seed=0, theta=THETA, **extra):
    """Sets of a family with inputs and known numbers."""
    psi, b = inputs(n, seed)
    rng = np.random.default_rng(1000 + seed)
    eta = psi[:, : theta.shape[1]] @ theta.T + b[:, None]
    if family == "binary":
        sets = rng.random(eta.shape) < stats.logistic.cdf(eta)
    elif family == "ordinal":
        sets = 1 + (eta[:, :, None] + rng.logistic(size=(*eta.shape, 1)) > CUTS).sum(axis=2)
    elif family == "count":
        sets = rng.poisson(np.exp(eta))
    else:
        step = extra.get("step", 1.0)
        sets = step * np.rint((eta + 0.5 * rng.standard_normal(eta.shape)) / step)
    order = rng.permuted(np.tile(np.arange(len(theta)), (n, 1)), axis=1)
    return np.take_along_axis(np.asarray(sets, dtype=float), order, axis=1), psi[:, : theta.shape[1]], b


def by_permutations(density, readings, eta):
    """The density of each set: the sum over all orders of products of densities f(y, eta)."""
    found = []
    for y, predictors in zip(readings, eta, strict=True):
        A = np.array([[density(one, other) for other in predictors] for one in y])
        orders = permutations(range(len(y)))
        found.append(sum(np.prod(A[np.arange(len(y)), list(order)]) for order in orders))
    return np.array(found)


def slopes(function, u, step=1e-5):
    """Derivatives of a function (n,) by each of the unknowns, (n, m)."""
    found = []
    for i in range(len(u)):
        moved = np.zeros(len(u))
        moved[i] = step
        found.append((function(u + moved) - function(u - moved)) / (2.0 * step))
    return np.column_stack(found)


def count_law(p):
    """Probabilities of the number of right answers, over all outcomes."""
    found = np.zeros(len(p) + 1)
    for outcome in product((0, 1), repeat=len(p)):
        found[sum(outcome)] += np.prod(np.where(np.array(outcome) == 1, p, 1.0 - np.asarray(p)))
    return found


def covers(family, theta, runs, n, quantile=1.96, **options):
    """How often intervals hold the truth, over runs of a family."""
    hits = []
    for seed in range(runs):
        sets, psi, b = drawn(family, n, seed, theta)
        found = vieta.fit(sets, psi, family=family, offset=b, **options)
        hits.append(abs(found.theta - theta) < quantile * found.stderr)
    return np.mean(hits)
