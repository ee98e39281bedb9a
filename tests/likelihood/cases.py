"""Likelihoods the slow way: every permutation, one by one."""

from fractions import Fraction
from itertools import combinations, permutations
from math import factorial

import numpy as np
from scipy.special import logsumexp


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
