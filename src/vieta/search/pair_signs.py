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

from vieta.arrays import Floats, plain
from vieta.search.problem import Assigned, Problem, alternate

EXHAUSTIVE = 13  # sets
MOST_SETS = 64
RANDOM, FEWER = 48, 16  # vectors of signs to start from; fewer, the same for all pairs of a sweep, of many systems
MANY = 10  # systems, beyond which they are many; pairs are then solved again only where something has changed
SWEEPS = 20
BETTER = 1e-9  # relative


def pairs_solved(
    given: Problem,
    now: Assigned,
    rng: np.random.Generator,
    hopeless: float = np.inf,
    known: Assigned | None = None,
) -> Assigned:
    """The best that exact moves of two systems lead to, one after another; numbers, of no more than `MOST_SETS` sets.

    A sum of squares that is still as large as `hopeless` after a sweep over all pairs is left at that. Of many systems, pairs are not solved
    again whose readings are those of the last time, or those of a solution that is `known` to gain nothing by such moves.
    """
    n, L = len(given.sets), given.n_systems
    if n > MOST_SETS:
        return now
    projection = np.eye(n) - given.psi[:, 0] @ given.inverse[:, :, 0]
    readings = now.readings[:, :, 0]
    open_ = np.ones((L, L), dtype=np.bool_)
    if known is not None and L > MANY:
        moved = (readings != known.readings[:, :, 0]).any(axis=0)
        open_ = moved[:, None] | moved
    for _ in range(SWEEPS):
        before = now.cost
        signs = _random_signs(n, FEWER, rng) if L > MANY and n > EXHAUSTIVE else None
        for a, b in combinations(range(L), 2):
            if not open_[a, b]:
                continue
            found = _solved(given, now, readings, (a, b), projection, rng, signs)
            open_[a, b] = L <= MANY
            if found is not now:
                later = found.readings[:, :, 0]
                moved = (later != readings).any(axis=0)
                open_ |= moved[:, None] | moved
                now, readings = found, later
        if now.cost >= (1.0 - BETTER) * before or now.cost >= hopeless:
            break
    return now


def _solved(
    given: Problem,
    now: Assigned,
    readings: Floats,
    pair: tuple[int, int],
    projection: Floats,
    rng: np.random.Generator,
    starts: Floats | None,
) -> Assigned:
    """With the best signs of two systems; `readings` (n, L) are those of the present solution, `starts` signs to start from, if given."""
    a, b = pair
    half = 0.5 * (readings[:, a] - readings[:, b])
    form = projection * (half[:, None] * half)
    signs = _best_signs(form, rng, starts)
    if signs @ form @ signs >= (1.0 - BETTER) * form.sum():
        return now
    middle, theta = 0.5 * (readings[:, a] + readings[:, b]), now.theta.copy()
    theta[[a, b]] = (given.inverse[:, :, 0] @ np.column_stack([middle + signs * half, middle - signs * half])).T
    found = alternate(given, theta)
    return found if found.cost < (1.0 - BETTER) * now.cost else now


def _best_signs(form: Floats, rng: np.random.Generator, starts: Floats | None = None) -> Floats:
    """(n,) the signs with the least quadratic form that is found; all ones are tried as well."""
    n = len(form)
    if n <= EXHAUSTIVE:
        every = _all_signs(n)
        return np.asarray(every[np.argmin(((every @ form) * every).sum(axis=1))])
    from vieta.search.sign_turns import turn_signs

    some = _random_signs(n, RANDOM, rng) if starts is None else starts.copy()
    return np.asarray(some[turn_signs(plain(0.5 * (form + form.T)), some)])


def _random_signs(n: int, count: int, rng: np.random.Generator) -> Floats:
    """(1 + count, n) all ones, and random signs."""
    return np.concatenate([np.ones((1, n)), rng.choice([-1.0, 1.0], (count, n))])


@lru_cache(maxsize=4)
def _all_signs(n: int) -> Floats:
    """(2 ** (n - 1), n) vectors of signs, the first of which is one; all ones come first."""
    bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    return np.concatenate([np.ones((len(bits), 1)), 1.0 - 2.0 * bits], axis=1)
