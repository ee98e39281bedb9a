r"""Moves of two systems that are solved exactly where there are few sets: all ways to exchange their readings at once.

Readings of two systems are :math:`m \pm s \circ d`, m their mean and d half of their difference in each set, s a vector of signs. With the
residual projection :math:`M = I - X (X'X)^{-1} X'`, the sum of squares of both is

.. math:: 2\,m'Mm + 2\,(s \circ d)'M(s \circ d),

a quadratic form in n - 1 free signs: all are tried where there are at most `EXHAUSTIVE` sets (`sign_trials`); else signs are turned one at a
time, from the present ones and from random ones, as long as that helps (`sign_turns`).
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from vieta.arrays import Booleans, Floats, plain
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
    n = len(given.sets)
    if n > MOST_SETS:
        return now
    if n <= EXHAUSTIVE:
        return _swept(now, hopeless, _open(now, known), lambda *of: _all_tried(given, *of))
    return _swept(now, hopeless, _open(now, known), lambda *of: _some_turned(given, rng, *of))


def _open(now: Assigned, known: Assigned | None) -> Booleans:
    """(L, L) pairs that are to be solved."""
    readings = now.readings[:, :, 0]
    L = readings.shape[1]
    if known is None or L <= MANY:
        return np.ones((L, L), dtype=np.bool_)
    return _touched(readings, known.readings[:, :, 0])


def _touched(readings: Floats, others: Floats) -> Booleans:
    """(L, L) pairs of which one has other readings (n, L)."""
    moved = (readings != others).any(axis=0)
    return np.asarray(moved[:, None] | moved)


def _swept(
    now: Assigned, hopeless: float, open_: Booleans, sweep: Callable[[Assigned, Booleans], Assigned]
) -> Assigned:
    """After sweeps over all pairs that are open, until one gains nothing."""
    for _ in range(SWEEPS):
        before = now.cost
        now = sweep(now, open_)
        if now.cost >= (1.0 - BETTER) * before or now.cost >= hopeless:
            break
    return now


def _all_tried(given: Problem, now: Assigned, open_: Booleans) -> Assigned:
    """After one sweep, with the best of all signs of each pair."""
    from vieta.search.sign_trials import first_exchange

    n, L = now.readings.shape[:2]
    basis, signs, number = _basis(given), np.empty(n), 0
    while True:
        readings = plain(now.readings[:, :, 0])
        number = first_exchange(readings, basis, open_, number, L > MANY, 1.0 - BETTER, signs)
        if number < 0:
            return now
        now = _exchanged(given, now, divmod(number, L), signs, open_)
        number += 1


def _basis(given: Problem) -> Floats:
    """(n, D) an orthonormal basis of the inputs."""
    values, vectors = np.linalg.eigh(given.psi[:, 0] @ given.inverse[:, :, 0])
    return plain(vectors[:, values > 0.5])


def _some_turned(given: Problem, rng: np.random.Generator, now: Assigned, open_: Booleans) -> Assigned:
    """After one sweep, with signs of each pair that were turned one by one."""
    n, L = now.readings.shape[:2]
    projection = np.eye(n) - given.psi[:, 0] @ given.inverse[:, :, 0]
    starts = _random_signs(n, FEWER, rng) if L > MANY else None
    for pair in combinations(range(L), 2):
        if not open_[pair]:
            continue
        half = 0.5 * (now.readings[:, pair[0], 0] - now.readings[:, pair[1], 0])
        form = projection * (half[:, None] * half)
        signs = _best_signs(form, _random_signs(n, RANDOM, rng) if starts is None else starts.copy())
        open_[pair] = L <= MANY
        if signs @ form @ signs < (1.0 - BETTER) * form.sum():
            now = _exchanged(given, now, pair, signs, open_)
    return now


def _exchanged(given: Problem, now: Assigned, pair: tuple[int, int], signs: Floats, open_: Booleans) -> Assigned:
    """Where alternation ends after an exchange of readings of two systems, if that is better; pairs with other readings are open then."""
    own = now.readings[:, list(pair), 0]
    middle, half = own.mean(axis=1), 0.5 * (own[:, 0] - own[:, 1])
    theta = now.theta.copy()
    theta[list(pair)] = (given.inverse[:, :, 0] @ np.column_stack([middle + signs * half, middle - signs * half])).T
    found = alternate(given, theta)
    if found.cost >= (1.0 - BETTER) * now.cost:
        return now
    open_ |= _touched(found.readings[:, :, 0], now.readings[:, :, 0])
    return found


def _best_signs(form: Floats, starts: Floats) -> Floats:
    """(n,) the signs with the least quadratic form that is found from some of them (count, n)."""
    from vieta.search.sign_turns import turn_signs

    return np.asarray(starts[turn_signs(plain(0.5 * (form + form.T)), starts)])


def _random_signs(n: int, count: int, rng: np.random.Generator) -> Floats:
    """(1 + count, n) all ones, and random signs."""
    return np.concatenate([np.ones((1, n)), rng.choice([-1.0, 1.0], (count, n))])
