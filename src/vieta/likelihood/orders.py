"""Labels with a prior: every permutation, one by one."""

from dataclasses import dataclass
from itertools import combinations, permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.errors import InputError
from vieta.laws.labels import Weighted
from vieta.likelihood.associations import associations

LARGEST = 8  # systems; 8! = 40,320
WORK = 2**21  # orders of sets, about, that are weighed at once


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


def as_weighted(prior: ArrayLike | Weighted) -> Weighted:
    """A prior as a law of labels."""
    return prior if isinstance(prior, Weighted) else Weighted(prior)


def as_orders(prior: ArrayLike | Weighted, n_systems: int) -> Orders:
    """A prior over the L! permutations in lexicographic order, or over some that `Weighted` lists.

    >>> as_orders([0.9, 0.1], 2).table
    array([[0, 1], [1, 0]])
    """
    law = as_weighted(prior)
    weights = np.asarray(law.probabilities, dtype=np.float64)
    table = every_order(n_systems) if law.permutations is None else np.array(law.permutations, dtype=np.int64)
    if table.shape != (len(weights), n_systems):
        raise InputError(
            "prior-size",
            "a prior of {given} probabilities was given for {n_systems} systems. Needed: one for each of the {n_systems}! = {orders:,} "
            "permutations in lexicographic order, or labels.Weighted with the permutations that occur.",
            given=len(weights),
            n_systems=n_systems,
            orders=factorial(n_systems),
        )
    with np.errstate(divide="ignore"):
        return Orders(table, np.log(weights))


def informative(prior: ArrayLike | Weighted, n_systems: int) -> Orders | None:
    """The orders of a prior; None if all are equally likely, for which permanents need no enumeration.

    >>> informative([0.5, 0.5], 2) is None
    True
    """
    orders = as_orders(prior, n_systems)
    return None if len(orders.table) == factorial(n_systems) and np.ptp(orders.log_prior) < 1e-12 else orders


def every_order(n_systems: int, largest: int = LARGEST) -> Integers:
    """(L!, L) all permutations in lexicographic order."""
    if n_systems > largest:
        raise InputError(
            "too-many-orders",
            "{n_systems} systems have {orders:,} permutations, and each set would need all of them; up to {most} systems are allowed "
            "here. A uniform prior needs no enumeration (up to 16 systems), and the default method no prior at all.",
            n_systems=n_systems,
            orders=factorial(n_systems),
            most=largest,
        )
    return np.array(list(permutations(range(n_systems))), dtype=np.int64)


def log_probabilities(log_weights: Floats, table: Integers) -> Floats:
    """(..., S) log density of each order: the sum over positions i of log_weights (..., L, L) at (i, order[i])."""
    return np.asarray(sum(log_weights[..., i, column] for i, column in enumerate(table.T)))


def marginals(posterior: Floats, table: Integers) -> Floats:
    """P(reading i belongs to system l), (..., L, L), from probabilities (..., S) of the orders."""
    L = table.shape[1]
    belongs = (table[:, :, None] == np.arange(L)).reshape(len(table), L * L).astype(np.float64)
    return np.asarray(posterior @ belongs).reshape(*posterior.shape[:-1], L, L)


def associate(orders: Orders, log_weights: Floats) -> tuple[Floats, Floats]:
    """Log density of sets (...), and P(reading i belongs to system l | set), (..., L, L), under a prior.

    Minus infinity, and NaN, for a set that no order explains.
    """
    logs = log_probabilities(log_weights, orders.table) + orders.log_prior
    top = logs.max(axis=-1, keepdims=True)
    posterior = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        total = posterior.sum(axis=-1, keepdims=True)
        return np.asarray((top + np.log(total))[..., 0]), marginals(posterior / total, orders.table)


def likeliest_rows(orders: Orders, log_weights: Floats) -> Integers:
    """Which row of parameters is which system of the prior, (L,), from log densities (n, L, L) of sets under each row.

    The rows that agree best with the prior in who stands where on average; then pairs are exchanged as long as the sets
    become likelier. So many sets are used as are affordable.
    """
    from scipy.optimize import linear_sum_assignment

    L, weights = log_weights.shape[-1], log_weights[: max(WORK // len(orders.table), 1)]
    expected = marginals(np.exp(orders.log_prior), orders.table)
    seen = np.nan_to_num(associations(weights).marginals).mean(axis=0)  # sets that no order explains do not count
    rows = linear_sum_assignment(expected.T @ seen, maximize=True)[1].astype(np.int64)
    best, before = _together(orders, weights[..., rows]), -np.inf
    while best > before:
        before = best
        for a, b in combinations(range(L), 2):
            trial = rows.copy()
            trial[[a, b]] = rows[[b, a]]
            value = _together(orders, weights[..., trial])
            if value > best + 1e-6:  # more than rounding
                rows, best = trial, value
    return rows


def _together(orders: Orders, log_weights: Floats) -> float:
    """The log density of sets (n, L, L), all of them; NaN if no order explains one."""
    logs = log_probabilities(log_weights, orders.table) + orders.log_prior
    top = logs.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return float((top[..., 0] + np.log(np.exp(logs - top).sum(axis=-1))).sum())
