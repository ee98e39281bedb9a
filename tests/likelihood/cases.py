"""Likelihoods the slow way, every permutation one by one; and the batch estimators as tests call them."""

from fractions import Fraction
from itertools import combinations, permutations
from math import factorial

import numpy as np
from scipy.special import logsumexp

from vieta.laws import inputs as input_laws
from vieta.likelihood import expectation, scoring
from vieta.likelihood.assumed import assume
from vieta.options import as_start
from vieta.scenarios import simulate
from vieta.set_requirements import require_finite
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve


def passes_of(sets, inputs=None, blocks=1):
    """Checked sets, as one block or several."""
    data = as_data(sets, inputs)
    require_finite(data)
    return in_memory(data, blocks)


def one_step(sets, inputs=None, *, law="gaussian", noise_var=None, blocks=1):
    """A scoring step from the symmetric estimate."""
    return scoring.fit(passes_of(sets, inputs, blocks), assume(law, noise_var))


def em(sets, inputs=None, *, law="gaussian", noise_var=None, start=None, blocks=1):
    """EM from a start, or from the symmetric estimate."""
    passes, noise = passes_of(sets, inputs, blocks), assume(law, noise_var)
    first = as_start(start, passes.like.n_systems, passes.like.dim)
    return expectation.fit(passes, noise, expectation.parted(passes, solve.fit(passes)) if first is None else first)


class Found:
    """A solution, with standard errors and the codes of its findings."""

    def __init__(self, solution):
        self.solution = solution
        self.theta, self.cov, self.noise = solution.theta, solution.cov, solution.noise
        self.stderr = np.sqrt(np.diag(solution.cov)).reshape(solution.theta.shape)
        self.findings = {one.code: one for one in solution.findings}
        self.codes = tuple(self.findings)


def draw(law, n=4000, seed=0, theta=(4, 5)):
    """Sets and normal inputs of systems with noise of a law."""
    records = simulate(theta, n=n, seed=seed, noise=law, inputs=input_laws.Gaussian())
    return records.sets, records.inputs


def enumerated(log_weights):
    """Logarithm of the permanent and marginals (L, L), by a sum over all L! permutations."""
    L = len(log_weights)
    orders = np.array(list(permutations(range(L))))
    logs = log_weights[np.arange(L), orders].sum(axis=1)
    total = logsumexp(logs)
    marginals = np.zeros((L, L))
    for order, weight in zip(orders, np.exp(logs - total)):
        marginals[np.arange(L), order] += weight
    return total, marginals


def ryser(A):
    """The permanent of integers or fractions by Ryser's formula, exactly."""
    L = len(A)
    return sum(
        (-1) ** (L - k) * np.prod([sum(Fraction(A[i][l]) for l in columns) for i in range(L)])
        for k in range(1, L + 1)
        for columns in combinations(range(L), k)
    )


def log_likelihood(theta, y, psi, law):
    """Log density of one set (L, p) under a matrix psi (p, D): the definition."""
    L = len(theta)
    m = theta @ psi.T
    A = np.array([[law.log_density((y[i] - m)[l][None].repeat(L, 0))[l] for l in range(L)] for i in range(L)])
    return enumerated(A)[0] - np.log(factorial(L))
