"""Sets drawn from the model, and the best guess of who is who on each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.random import Generator

from vieta.anonymity.guesses import Guesses, by_assignment, by_association, by_enumeration, explained
from vieta.anonymity.reading_weights import log_weights
from vieta.arrays import Floats, Integers
from vieta.errors import InputError
from vieta.laws.linear import respond
from vieta.laws.noise import Scaled
from vieta.laws.points import Points
from vieta.scenarios.records import pick

ASSOCIATED = 10  # systems up to which posteriors are computed: 50 us a draw, and twice that for each more
MOST = 128  # systems up to which an assignment is solved for every draw
LOST = 1e-3  # share of the draws that rounding may put where the law cannot be; they are left out
PIECE = 2**21  # numbers, about, that are held in memory


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """How orders (n, L) are drawn, and how they are guessed from log weights (n, L, L); `truth` is for the tally only."""

    method: str
    draw: Callable[[Generator, int], Integers]
    guess: Callable[[Floats, Integers], Guesses]
    per_draw: int
    """Numbers that a draw takes."""


def rules(L: int, prior: Floats | None) -> Rules:
    """By what the prior and the number of systems allow."""
    if prior is not None:
        return _enumerating(L, prior)
    if L > MOST:
        raise InputError(
            "too-many-systems-to-guess",
            "{n_systems:,} systems were given, and the best guess of who is who takes about {operations:.1g} operations for each of the "
            "draws; up to {most} systems are practical. Give some of them.",
            n_systems=L, operations=float(L) ** 3, most=MOST,
        )  # fmt: skip
    if L <= ASSOCIATED:
        return Rules("assignment and permanents", _uniform(L), lambda weights, _: by_association(weights), L * L)
    return Rules("assignment", _uniform(L), by_assignment, L * L)


def _enumerating(L: int, prior: Floats) -> Rules:
    orders = np.array(list(permutations(range(L))), dtype=np.int64)
    return Rules(
        "enumeration",
        lambda rng, n: orders[rng.choice(len(orders), size=n, p=prior / prior.sum())],
        lambda weights, _: by_enumeration(weights, prior, orders),
        orders.size,
    )


def _uniform(L: int) -> Callable[[Generator, int], Integers]:
    return lambda rng, n: np.argsort(rng.random((n, L)), axis=1)


def simulate(theta: Floats, law: Scaled, points: Points, how: Rules, draws: int, seed: int) -> Guesses:
    """The best guess on `draws` sets, at inputs spread evenly over their law."""
    rng = np.random.default_rng(seed)
    psi = points.psi[spread(points.weights, draws, rng)]
    size = max(PIECE // (how.per_draw * points.reading_dim(theta.shape[1])), 1)
    pieces = []
    for at in range(0, draws, size):
        means = means_at(theta, psi[at : at + size])
        truth = how.draw(rng, len(means))
        readings = pick(means + law.draw(rng, *means.shape), truth)
        weights = log_weights(law, readings, means)
        kept = explained(weights)
        pieces.append(how.guess(weights[kept], truth[kept]))
    _require_kept(sum(len(piece.wrong) for piece in pieces), draws, law)
    return Guesses(
        *(
            np.concatenate([getattr(piece, name) for piece in pieces])
            for name in ("wrong", "right", "alone", "surprise")
        )
    )


def _require_kept(kept: int, draws: int, law: Scaled) -> None:
    """Refuse a law that draws numbers which rounding puts where it cannot be."""
    if draws - kept > LOST * draws:
        raise InputError(
            "law-at-its-edge",
            "{law} noise lies so near its edge that rounding puts {lost:,} of {draws:,} simulated sets beyond it. Take a milder law: "
            "Skewed with a skewness of at most 4.",
            law=type(law).__name__, lost=draws - kept, draws=draws,
        )  # fmt: skip


def means_at(theta: Floats, psi: Floats) -> Floats:
    """(n, L, p): noiseless readings at inputs (n,) or (n, p, D)."""
    return respond(psi, np.broadcast_to(theta, (len(psi), *theta.shape)))


def spread(weights: Floats, draws: int, rng: Generator) -> Integers:
    """Which input each draw has: evenly over the weights, in random order."""
    at = (np.arange(draws) + rng.random()) / draws
    index = np.searchsorted(np.cumsum(weights), at * weights.sum())
    return rng.permutation(np.minimum(index, len(weights) - 1))
