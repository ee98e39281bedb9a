"""The search ends no lower than a climb from the truth, whatever the inputs; alternating assignment alone does not."""

from itertools import permutations, product

import numpy as np
import pytest

from tests.search.problems import draw, given, planar
from vieta.search import global_search
from vieta.search.ascent import Climbed, climb
from vieta.search.global_search import AGREEMENT, ROUND, _agreement, affordable_sets, search
from vieta.search.moves import local_solutions
from vieta.search.problem import distance

LOW, HIGH = 0.05, 0.5  # noise, where the systems' values have unit spread


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sd", [LOW, HIGH])
@pytest.mark.parametrize("L", [3, 5])
@pytest.mark.parametrize("kind", ["normal", "curve", "season", "levels"])
def test_as_high_as_from_the_truth(kind, L, sd, seed):
    sets, psi, theta = draw(kind, L, sd, 150, seed)
    one = given(sets, psi, sd)
    found = search(one, 1.5)
    assert found.best.likelihood > climb(one, theta).likelihood - 0.1
    assert found.certified
    if sd == LOW:
        assert distance(one, found.best.theta, theta) < 1.0


def test_a_few_random_starts_are_not_enough():
    """The control: what one random start of alternating assignment gives is mostly wrong."""
    wrong = 0
    for seed in range(10):
        sets, psi, theta = draw("curve", 5, LOW, 150, seed)
        one = given(sets, psi, LOW)
        wrong += distance(one, local_solutions(one, 1, np.random.default_rng(seed))[0].theta, theta) > 1.0
    assert wrong >= 8


@pytest.mark.parametrize("seed", range(3))
def test_vectors(seed):
    sets, psi, theta = planar(4, 0.2, 150, seed)
    one = given(sets, psi, 0.2)
    found = search(one, 1.5)
    assert distance(one, found.best.theta, theta) < 1.0


def test_too_few_systems_are_not_certified():
    sets, psi, _ = draw("normal", 3, 0.1, 200, 0)
    joined = sets[:, :2] + 0.0
    assert not search(given(joined, psi, 0.1), 1.5).certified


def test_the_result_depends_on_nothing_but_the_sets():
    sets, psi, _ = draw("season", 3, HIGH, 100, 0)
    one, two = (search(given(sets, psi, HIGH), 1.5) for _ in range(2))
    assert (one.best.theta == two.best.theta).all()
    shuffled = np.random.default_rng(1).permuted(sets, axis=1)
    assert (search(given(shuffled, psi, HIGH), 1.5).best.theta == one.best.theta).all()


def three_levels(L, sd, n, seed):
    """Lines over x in {0, 1, 2}: which value at one level belongs to which at another is told by the third alone."""
    rng = np.random.default_rng(seed)
    rows = np.stack([np.ones(n), np.arange(n) % 3], axis=1)
    theta = rng.normal(size=(L, 2))
    sets = rng.permuted(rows @ theta.T + sd * rng.normal(size=(n, L)), axis=1)
    return sets[:, :, None], rows[:, None, :], theta


def least_of_all_pairings(sets, L):
    """The least sum of squares of lines through the mean sorted readings of three levels, over all pairings of these."""
    sorted_sets = np.sort(sets[:, :, 0], axis=1)
    a, b, c = (sorted_sets[level::3].mean(axis=0) for level in range(3))
    orders = np.array(list(permutations(range(L))))
    bent = min(float(((a + c[q] - 2.0 * b[p]) ** 2).sum()) for p, q in product(orders, orders))
    return (
        len(sets) / 3.0 * bent / 6.0
    )  # the residual of a line through three equidistant points is (1, -2, 1) times a sixth


@pytest.mark.parametrize("seed", range(6))
def test_the_pairing_of_levels_is_the_best_of_all(seed):
    L, sd, n = 4, 0.003, 30
    sets, psi, _ = three_levels(L, sd, n, seed)
    one = given(sets, psi, sd)
    found = search(one, 1.5).best.theta
    means = np.sort(one.means(found)[:3, :, 0], axis=1)
    levels = np.stack([np.sort(one.sets[level::3, :, 0], axis=1).mean(axis=0) for level in range(3)])
    assert n / 3.0 * ((means - levels) ** 2).sum() <= least_of_all_pairings(sets, L) / sd**2 * (1.0 + 1e-9) + 0.1


def test_alternating_assignment_mostly_ends_at_another_pairing():
    """The control of the test above."""
    wrong = 0
    for seed in range(10):
        sets, psi, _ = three_levels(4, 0.003, 30, seed)
        one = given(sets, psi, 0.003)
        start = local_solutions(one, 1, np.random.default_rng(seed))[0].theta
        means = np.sort(one.means(start)[:3, :, 0], axis=1)
        levels = np.stack([np.sort(one.sets[level::3, :, 0], axis=1).mean(axis=0) for level in range(3)])
        wrong += 10.0 * ((means - levels) ** 2).sum() > least_of_all_pairings(sets, 4) / 0.003**2 + 0.1
    assert wrong >= 6


@pytest.mark.parametrize("seed", range(4))
def test_many_systems_over_three_levels(seed):
    sets, psi, theta = three_levels(7, 0.03, 60, seed)
    one = given(sets, psi, 0.03)
    assert search(one, 2.0).best.likelihood > climb(one, theta).likelihood - 0.1


def test_few_sets_and_doubtful_ones_are_searched_again():
    sets, psi, theta = draw("normal", 3, 0.01, ROUND, 0)
    sure, few, doubtful = given(sets, psi, 0.01), given(sets[:50], psi[:50], 0.01), given(sets, psi, 1.0)
    counts = [_agreement(one, Climbed(0.0, theta)) for one in (sure, few, doubtful)]
    assert counts == [0, 1, AGREEMENT]


def test_rounds_can_be_limited():
    sets, psi, _ = draw("season", 3, HIGH, 60, 0)
    one = given(sets, psi, HIGH)
    assert search(one, 1.5, 1).best.likelihood <= search(one, 1.5).best.likelihood + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_what_an_earlier_search_found_counts_as_a_round(seed):
    """Right or wrong, it makes nothing worse."""
    sets, psi, theta = draw("season", 3, HIGH, 60, seed)
    one = given(sets, psi, HIGH)
    for near in (theta, theta[:, ::-1].copy()):
        assert search(one, 1.5, near=near).best.likelihood > climb(one, theta).likelihood - 0.1


def test_fewer_sets_of_many_systems_are_searched():
    assert affordable_sets(8) > 1000
    assert affordable_sets(9) == 2 * affordable_sets(10) + 1
    assert affordable_sets(30) == affordable_sets(10) > 250


@pytest.mark.parametrize("seed", range(3))
def test_a_best_solution_that_no_other_round_ends_at_is_not_repeated(seed, monkeypatch):
    sets, psi, _ = draw("curve", 5, HIGH, 150, seed)
    one = given(sets, psi, HIGH)
    assert _agreement(one, search(one, 1.5).best)  # associations are in doubt
    assert search(one, 1.5).repeated
    top = climb(one, search(one, 1.5).best.theta)
    for again in (False, True):
        lower = iter([0.0, 3.0, 5.0, 0.0 if again else 4.0, *np.arange(6.0, 40.0)])
        monkeypatch.setattr(
            global_search, "_round", lambda *_, by=lower: (top._replace(likelihood=top.likelihood - next(by)), [])
        )
        assert search(one, 100.0).repeated is again
