r"""Moves of two systems that are solved exactly where there are few sets: all ways to exchange their readings at once.

Readings of two systems are :math:`m \pm s \circ d`, m their mean and d half of their difference in each set, s a vector of signs. With the
residual projection :math:`M = I - X (X'X)^{-1} X'`, the sum of squares of both is

.. math:: 2\,m'Mm + 2\,(s \circ d)'M(s \circ d),

a quadratic form in n - 1 free signs: all are tried where there are at most `EXHAUSTIVE` sets; else signs are turned one at a time, from
the present ones and from random ones, as long as that helps.
"""

from functools import lru_cache
from itertools import combinations

import numpy as np

from vieta.arrays import Floats
from vieta.search.problem import Assigned, Problem, alternate

EXHAUSTIVE = 13  # sets
MOST_SETS = 64
RANDOM = 48  # vectors of signs to start from
SWEEPS = 20
BETTER = 1e-9  # relative


def pairs_solved(given: Problem, now: Assigned, rng: np.random.Generator, hopeless: float = np.inf) -> Assigned:
    """The best that exact moves of two systems lead to, one after another; numbers, of no more than `MOST_SETS` sets.

    A sum of squares that is still as large as `hopeless` after a sweep over all pairs is left at that.
    """
    n = len(given.sets)
    if n > MOST_SETS:
        return now
    projection = np.eye(n) - given.psi[:, 0] @ given.inverse[:, :, 0]
    for _ in range(SWEEPS):
        before = now.cost
        for a, b in combinations(range(given.n_systems), 2):
            now = _solved(given, now, (a, b), projection, rng)
        if now.cost >= (1.0 - BETTER) * before or now.cost >= hopeless:
            break
    return now


def _solved(
    given: Problem, now: Assigned, pair: tuple[int, int], projection: Floats, rng: np.random.Generator
) -> Assigned:
    """With the best signs of two systems."""
    a, b = pair
    readings = now.readings[:, :, 0]
    half = 0.5 * (readings[:, a] - readings[:, b])
    form = projection * np.outer(half, half)
    signs = _best_signs(form, rng)
    if signs @ form @ signs >= (1.0 - BETTER) * form.sum():
        return now
    middle, theta = 0.5 * (readings[:, a] + readings[:, b]), now.theta.copy()
    theta[[a, b]] = (given.inverse[:, :, 0] @ np.column_stack([middle + signs * half, middle - signs * half])).T
    found = alternate(given, theta)
    return found if found.cost < (1.0 - BETTER) * now.cost else now


def _best_signs(form: Floats, rng: np.random.Generator) -> Floats:
    """(n,) the signs with the least quadratic form that is found; all ones are tried as well."""
    n = len(form)
    if n <= EXHAUSTIVE:
        every = _all_signs(n)
    else:
        every = np.concatenate([np.ones((1, n)), rng.choice([-1.0, 1.0], (RANDOM, n))])
        every = _turned(form, every)
    return np.asarray(every[np.argmin(((every @ form) * every).sum(axis=1))])


@lru_cache(maxsize=4)
def _all_signs(n: int) -> Floats:
    """(2 ** (n - 1), n) vectors of signs, the first of which is one; all ones come first."""
    bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    return np.concatenate([np.ones((len(bits), 1)), 1.0 - 2.0 * bits], axis=1)


def _turned(form: Floats, signs: Floats) -> Floats:
    """Vectors of signs (count, n) after single signs were turned, each time the one that helps most, as long as one does."""
    own, rows = np.diag(form), np.arange(len(signs))
    pull = signs @ form
    while True:
        gain = signs * pull - own  # a quarter of what turning a sign takes away
        best = gain.argmax(axis=1)
        helps = gain[rows, best] > 1e-12 * abs(form).max()
        if not helps.any():
            return signs
        turned, at = rows[helps], best[helps]
        pull[turned] -= 2.0 * signs[turned, at][:, None] * form[at]
        signs[turned, at] *= -1.0
