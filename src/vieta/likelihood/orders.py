"""Labels with a prior: every permutation, one by one."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from vieta.simulation.labels import Weighted
from vieta.symmetric.arrays import Floats, Integers

LARGEST = 8  # systems; 8! = 40,320


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Permutations that may occur.

    Attributes
    ----------
    table : (S, L)
        Entry i of a row is the system at position i.
    log_prior : (S,)
    """

    table: Integers
    log_prior: Floats


def as_orders(prior: ArrayLike | Weighted, n_systems: int) -> Orders:
    """A prior over the L! permutations in lexicographic order, or over some that `Weighted` lists.

    >>> as_orders([0.9, 0.1], 2).table
    array([[0, 1], [1, 0]])
    """
    law = prior if isinstance(prior, Weighted) else Weighted(prior)
    weights = np.asarray(law.probabilities, dtype=np.float64)
    table = every_order(n_systems) if law.permutations is None else np.array(law.permutations, dtype=np.int64)
    if table.shape != (len(weights), n_systems):
        raise ValueError(
            f"a prior of {len(weights)} probabilities came for {n_systems} systems. Needed: one for each of the "
            f"{n_systems}! = {factorial(n_systems):,} permutations in lexicographic order, or labels.Weighted with the "
            "permutations that occur."
        )
    with np.errstate(divide="ignore"):
        return Orders(table, np.log(weights))


def every_order(n_systems: int, largest: int = LARGEST) -> Integers:
    """(L!, L) all permutations in lexicographic order."""
    if n_systems > largest:
        raise ValueError(
            f"{n_systems} systems have {factorial(n_systems):,} permutations, and each set would need all of them; up to "
            f"{largest} systems are allowed here. A uniform prior needs no enumeration (up to 16 systems), and method "
            "'efficient' no prior at all."
        )
    return np.array(list(permutations(range(n_systems))), dtype=np.int64)


def log_probabilities(log_weights: Floats, table: Integers) -> Floats:
    """(..., S) log density of each order: the sum over positions i of log_weights (..., L, L) at (i, order[i])."""
    return np.asarray(log_weights[..., np.arange(table.shape[1]), table].sum(axis=-1))


def marginals(posterior: Floats, table: Integers) -> Floats:
    """P(reading i belongs to system l), (..., L, L), from probabilities (..., S) of the orders."""
    L = table.shape[1]
    belongs = (table[:, :, None] == np.arange(L)).reshape(len(table), L * L).astype(np.float64)
    return np.asarray(posterior @ belongs).reshape(*posterior.shape[:-1], L, L)


def associate(orders: Orders, log_weights: Floats) -> Floats:
    """P(reading i belongs to system l | set), (..., L, L), under a prior."""
    logs = log_probabilities(log_weights, orders.table) + orders.log_prior
    posterior = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return marginals(posterior / posterior.sum(axis=-1, keepdims=True), orders.table)
