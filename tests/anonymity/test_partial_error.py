"""Anonymity of incomplete sets: against all partial assignments, against labels, and against complete sets."""

from dataclasses import replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

import vieta
from tests.anonymity.test_incomplete_sets import model
from vieta.adaptive.clutter_density import flat_density
from vieta.adaptive.reading_associations import best_assignments
from vieta.adaptive.set_model import LEAST, log_odds
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.anonymity import map_error
from vieta.anonymity.incomplete_sets import draw_sets
from vieta.anonymity.partial_error import named, on_sets, partial_error, without_values
from vieta.laws import clutter, detection
from vieta.laws.noise import Gaussian
from vieta.laws.setting import as_points
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data

POINT = as_points(None, 1)


def matchings(n, L):
    """All partial matchings of n readings and L systems, as tuples of pairs."""
    for k in range(min(n, L) + 1):
        for systems in combinations(range(L), k):
            for readings in permutations(range(n), k):
                yield tuple(zip(readings, systems))


def by_hand(A, A0, q):
    """(wrong, right, alone, surprise) of one set, from all matchings."""
    n, L = A.shape
    every = list(matchings(n, L))
    weights = []
    for M in every:
        used, there = {i for i, _ in M}, {l for _, l in M}
        weight = np.prod([A[i, l] for i, l in M]) * np.prod([A0[i] for i in range(n) if i not in used])
        weights.append(weight * np.prod([q[l] for l in range(L) if l not in there]))
    P = np.array(weights) / np.sum(weights)
    best = every[int(P.argmax())]
    pair = np.array([[sum(p for M, p in zip(every, P) if (i, l) in M) for l in range(L)] for i in range(n)]).reshape(
        n, L
    )
    right = [max([pair[i, l] for i, m in best if m == l], default=0.0) for l in range(L)]
    return 1.0 - P.max(), right, pair.max(axis=0, initial=0.0), -np.sum(P * np.log(P))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_all_partial_assignments_of_two_systems(seed, n):
    rng = np.random.default_rng(seed)
    A, A0, q = rng.exponential(size=(n, 2)), rng.exponential(size=n), rng.uniform(0.1, 0.9, size=2)
    found = named(np.log(A), np.log(A0), np.log(q), np.array([0, n]))
    wrong, right, alone, surprise = by_hand(A, A0, q)
    assert found.wrong[0] == pytest.approx(wrong, abs=1e-9)
    assert found.right[0] == pytest.approx(right, abs=1e-9)
    assert found.alone[0] == pytest.approx(alone, abs=1e-9)
    assert found.surprise[0] == pytest.approx(surprise, abs=1e-8)


def test_a_guess_without_values():
    made = model(seen=0.7, rate=0.4)
    found = without_values(np.array([0, 2]), made)
    wrong, _, alone, surprise = by_hand(np.full((2, 2), 0.7), np.full(2, 0.4), np.full(2, 0.3))
    assert found.wrong[1] == pytest.approx(wrong)
    assert found.alone[1] == pytest.approx(alone)
    assert found.surprise[1] == pytest.approx(surprise)
    assert found.wrong[0] == pytest.approx(0.0, abs=1e-12)  # an empty set: all were missed


@pytest.mark.parametrize("sd", [0.7, 2.0])
def test_complete_sets_without_clutter(sd):
    """Seen for certain, nothing false: the complete audit, within four Monte Carlo errors."""
    made = replace(
        model(sd=(sd, sd), seen=MOST_SEEN, rate=LEAST), clutter=flat_density(np.full(1, -20.0), np.full(1, 20.0), 1000)
    )
    found, known = partial_error(made, POINT, draws=4000, seed=0), map_error(made.theta, sd**2)
    assert abs(found.probability - known.probability) < 4.0 * found.mc_error
    assert found.anonymity == pytest.approx(known.anonymity, abs=8.0 * found.mc_error)
    assert found.reidentification == pytest.approx(known.reidentification, abs=4.0 * found.mc_error)
    assert found.mutual_information == pytest.approx(
        known.mutual_information, abs=4.0 * found.mutual_information_mc_error
    )
    assert (found.chance, found.chance_single) == pytest.approx((known.chance, known.chance_single), abs=1e-6)
    assert found.prior_information == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_guess_is_right_as_often_as_is_said(seed):
    """Labels are used to count only."""
    made = model(sd=(1.0, 1.0), seen=0.7, rate=0.6)
    records = vieta.simulate(
        made.theta, n=4000, seed=seed, noise=Gaussian(1.0), detection=detection.Independent(0.7),
        clutter=clutter.Uniform(0.6, -10.4, 10.4),
    )  # fmt: skip
    data = as_incomplete(as_data(records.sets, None), 2)
    guess = best_assignments(log_odds(data, made), data.offsets)
    labels = records.labels[records.labels >= -1]
    hits = np.add.reduceat(np.append(guess != labels, 0), data.offsets[:-1]) * (data.sizes > 0) == 0
    found = partial_error(made, POINT, draws=4000, seed=9)
    error = np.sqrt(0.25 / 4000 + found.mc_error**2)
    assert abs(hits.mean() - (1.0 - found.probability)) < 4.0 * error
    for l in range(2):
        named_ = (guess == l)[labels == l].mean()
        assert abs(named_ - found.reidentification[l]) < 4.0 * np.sqrt(0.25 / 2800 + 0.25 / 4000)
    assert on_sets(data, made).wrong.mean() == pytest.approx(found.probability, abs=4.0 * np.sqrt(2.0) * found.mc_error)


def test_missing_and_false_readings_hide():
    """A reading is named less often the more are false, and alone at least as often as with all others."""
    errors = [
        partial_error(model(seen=0.8, rate=rate, sd=(1.0, 1.0)), POINT, draws=2000, seed=0) for rate in (0.01, 1.0, 5.0)
    ]
    named_ = [one.reidentification.mean() for one in errors]
    assert named_[0] > named_[1] + 0.03 > named_[2] + 0.06
    assert errors[0].probability < errors[1].probability < errors[2].probability
    for one in errors:
        assert (one.reidentification_alone >= one.reidentification - 1e-12).all()
        assert 0.0 <= one.anonymity <= 1.0
    whole = partial_error(model(seen=MOST_SEEN, rate=LEAST, sd=(1.0, 1.0)), POINT, draws=2000, seed=0)
    assert whole.probability < errors[0].probability


def test_missing_readings_raise_anonymity_but_a_system_alone_is_easier_to_name():
    seen = [
        partial_error(model(seen=p, rate=LEAST, sd=(2.0, 2.0)), POINT, draws=3000, seed=0)
        for p in (MOST_SEEN, 0.7, 0.4)
    ]
    errors = [3.0 * np.hypot(a.mc_error, b.mc_error) for a, b in pairwise(seen)]
    assert (np.diff([one.anonymity for one in seen]) > errors).all()
    complete, *others = (one.reidentification_alone.mean() for one in seen)
    assert min(others) > complete + max(errors)


def test_drawn_sets_are_those_of_the_seed():
    made = model()
    a, b = (draw_sets(made, np.ones(20), np.random.default_rng(5)).readings for _ in range(2))
    assert np.array_equal(a, b)
