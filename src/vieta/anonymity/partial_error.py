r"""How often the best guess of who is who is wrong, where readings are missing and some are false.

The guesser knows the parameters, the law of the noise, how often systems are seen, and the rate and density of false readings; sees one
set; and guesses the partial matching M of readings and systems. With the weights of `vieta.association.partial`

.. math:: P_e = 1 - E \max_M P(M \mid Y), \qquad
    P(M \mid Y) = Z^{-1} \prod_{(i,l) \in M} A_{il} \prod_{i \notin M} A_{i0} \prod_{l \notin M} q_l ,

the mode by linear assignment and Z by the sum over all matchings; the average is over simulated sets. The reading of a system counts as
named if the guess gives it to that system: of the readings that a system has, the share

.. math:: E\,P_{i(l)\,l} / p_l, \qquad i(l) \text{ the reading that the guess gives to } l .

A guess without data knows how many readings there are, and not their values: the same with :math:`A_{il} = p_l,\ A_{i0} = \Lambda`.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from vieta.adaptive.reading_associations import best_assignments
from vieta.adaptive.set_model import EXACT, SetModel, by_set, weigh
from vieta.adaptive.set_sums import pieces
from vieta.anonymity.incomplete_sets import draw_sets
from vieta.anonymity.map_error import MapError
from vieta.anonymity.simulated import spread
from vieta.arrays import Floats, Integers
from vieta.laws.points import Points
from vieta.sets import Data

METHOD = "partial assignments"


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Of each of n sets: the probability that the best guess is wrong (n,), that it names the reading of each system (n, L), that the best
    guess of this reading alone does (n, L), and what remains unknown in nats (n,)."""

    wrong: Floats
    right: Floats
    alone: Floats
    surprise: Floats


def named(pairs: Floats, false: Floats, missed: Floats, offsets: Integers) -> Named:
    """The best guess on sets with log weights of pairs (R, L), of false readings (R,) and of misses (L,)."""
    from vieta.association.partial import associate_sets

    n, L = len(offsets) - 1, len(missed)
    logs, P = np.empty(n), np.empty(pairs.shape)
    associate_sets(pairs, false, missed, offsets, EXACT, logs, P)
    guess = best_assignments(pairs - false[:, None] - missed, offsets)
    at = np.flatnonzero(guess >= 0)
    owner, system = np.repeat(np.arange(n), np.diff(offsets))[at], guess[at]
    right, alone = np.zeros((n, L)), np.zeros((n, L))
    right[owner, system] = P[at, system]
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        alone[filled] = np.maximum.reduceat(P, offsets[filled], axis=0)
    odds = pairs - false[:, None] - missed
    base = by_set(false, offsets) + missed.sum()
    gained = np.zeros(len(guess))
    gained[at] = odds[at, system]
    best = by_set(gained, offsets) + base - logs
    expected = by_set((P * np.where(P > 0.0, odds, 0.0)).sum(axis=1), offsets) + base
    return Named(-np.expm1(np.minimum(best, 0.0)), right, np.clip(alone, 0.0, 1.0), np.maximum(logs - expected, 0.0))


def on_sets(data: Data, model: SetModel) -> Named:
    """The best guess of someone who knows the model."""
    found = weigh(data, model)
    return named(found.pairs, found.false, found.missed, data.flat[1])


def without_values(sizes: Integers, model: SetModel) -> Named:
    """The best guess of someone who knows the model and the number of readings, on sets of these sizes."""
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    pairs = np.tile(np.log(model.detection), (int(offsets[-1]), 1))
    return named(pairs, np.full(len(pairs), np.log(model.rate)), np.log1p(-model.detection), offsets)


def partial_error(model: SetModel, points: Points, *, draws: int, seed: int) -> MapError:
    """How anonymous one set of a model with missed and false readings is, from so many simulated sets."""
    rng = np.random.default_rng(seed)
    data = draw_sets(model, points.psi[spread(points.weights, draws, rng)], rng)
    found = _joined([on_sets(piece, model) for piece in pieces(data, len(model.theta))])
    sizes, at = np.unique(data.sizes, return_inverse=True)
    blind = without_values(sizes, model)
    wrong, surprise = float(found.wrong.mean()), float(found.surprise.mean())
    without = float(blind.wrong[at].mean())
    entropy = float(blind.surprise[at].mean())
    root = np.sqrt(len(data))
    revealed = blind.surprise[at] - found.surprise
    return MapError(
        probability=wrong,
        mc_error=float(found.wrong.std(ddof=1) / root),
        anonymity=min(wrong / without, 1.0) if without > 1e-9 else 0.0,
        reidentification=np.minimum(found.right.mean(axis=0) / model.detection, 1.0),
        reidentification_alone=np.minimum(found.alone.mean(axis=0) / model.detection, 1.0),
        mutual_information=max(entropy - surprise, 0.0) / log(2.0),
        mutual_information_mc_error=float(revealed.std(ddof=1) / root / log(2.0)),
        prior_information=entropy / log(2.0),
        draws=len(data),
        method=METHOD,
        chance=1.0 - without,
        chance_single=float((blind.alone[at].mean(axis=0) / model.detection).mean()),
    )


def _joined(parts: list[Named]) -> Named:
    return Named(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("wrong", "right", "alone", "surprise"))
    )
