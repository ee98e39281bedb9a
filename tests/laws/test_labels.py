from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from vieta.laws.labels import Adversarial, Labeled, Markov, Shuffled, Sorted, Sticky, Weighted

N = 24_000


def readings(n, L, p=1, seed=0):
    return np.random.default_rng(seed).standard_normal((n, L, p)) + np.arange(L)[:, None]


def laws(L):
    m = factorial(L)
    return [
        Labeled(),
        Shuffled(),
        Sticky(0.7),
        Weighted(np.full(m, 1 / m)),
        Markov(np.full((m, m), 1 / m)),
        Sorted(),
        Adversarial(),
    ]


def states(labels):
    """Number of each permutation in lexicographic order."""
    index = {order: i for i, order in enumerate(permutations(range(labels.shape[1])))}
    return np.array([index[tuple(row)] for row in labels.tolist()])


def transitions(path, m):
    counts = np.zeros((m, m))
    np.add.at(counts, (path[:-1], path[1:]), 1)
    return counts


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 8), st.integers(0, 99))
def test_every_row_is_a_permutation_and_a_longer_draw_begins_with_the_shorter(L, p, n, seed):
    y = readings(2 * n, L, p, seed)
    for law in laws(L):
        labels = law.draw(np.random.default_rng(seed), y)
        assert labels.dtype == np.int64
        assert_array_equal(np.sort(labels, axis=1), np.tile(np.arange(L), (2 * n, 1)))
        assert_array_equal(law.draw(np.random.default_rng(seed), y[:n]), labels[:n])


def test_no_shuffling():
    assert_array_equal(Labeled().draw(np.random.default_rng(0), readings(2, 3)), [[0, 1, 2], [0, 1, 2]])


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("L", [2, 3, 4])
def test_all_permutations_are_equally_likely(L, seed):
    path = states(Shuffled().draw(np.random.default_rng(seed), readings(N, L)))
    counts = np.bincount(path, minlength=factorial(L))
    assert chisquare(counts).pvalue > 1e-4
    half = counts + np.where(np.arange(len(counts)) < len(counts) // 2, 0.1, -0.1) * N / len(counts)
    assert chisquare(half).pvalue < 1e-4  # the test can fail
    pairs = transitions(path[: N // 2], factorial(L)) if L < 4 else None
    assert pairs is None or chisquare(pairs.ravel()).pvalue > 1e-4  # and follow one another independently


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_given_probabilities(seed):
    law = np.array([0.4, 0.0, 0.1, 0.2, 0.2, 0.1])
    counts = np.bincount(states(Weighted(law).draw(np.random.default_rng(seed), readings(N, 3))), minlength=6)
    assert counts[1] == 0
    assert chisquare(counts[law > 0], N * law[law > 0]).pvalue > 1e-4
    assert chisquare(counts, np.full(6, N / 6)).pvalue < 1e-4  # the test can fail


def test_listed_permutations_only():
    law = Weighted((0.5, 0.5), permutations=((2, 0, 1), (0, 1, 2)))
    labels = law.draw(np.random.default_rng(0), readings(100, 3))
    assert {tuple(row) for row in labels.tolist()} == {(2, 0, 1), (0, 1, 2)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_markov_transition_frequencies(seed):
    P = np.array([[0.9, 0.1], [0.3, 0.7]])
    path = states(Markov(P).draw(np.random.default_rng(seed), readings(N, 2)))
    counts = transitions(path, 2)
    for i in range(2):
        assert chisquare(counts[i], P[i] * counts[i].sum()).pvalue > 1e-4
        assert chisquare(counts[i], P[1 - i] * counts[i].sum()).pvalue < 1e-4  # the test can fail


def test_markov_starts_where_it_is_told():
    law = Markov(np.eye(2), permutations=((1, 0), (0, 1)), initial=(1.0, 0.0))
    assert_array_equal(law.draw(np.random.default_rng(0), readings(3, 2)), [[1, 0]] * 3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sticky_labels_persist_as_documented(seed):
    path = states(Sticky(0.8).draw(np.random.default_rng(seed), readings(N, 3)))
    stays = np.mean(path[1:] == path[:-1])
    persists = 0.8 + 0.2 / 6
    error = np.sqrt(persists * (1 - persists) / N)
    assert abs(stays - persists) < 5 * error
    assert abs(stays - 0.8) > 5 * error  # the test can fail
    counts = transitions(path, 6)
    off = counts[~np.eye(6, dtype=bool)]
    assert chisquare(off).pvalue > 1e-6  # a change leads anywhere alike


def test_sticky_at_its_ends():
    y = readings(50, 3)
    frozen = Sticky(1.0).draw(np.random.default_rng(0), y)
    assert_array_equal(frozen, np.tile(frozen[0], (50, 1)))
    assert len(np.unique(Sticky(0.0).draw(np.random.default_rng(0), y), axis=0)) == 6


@pytest.mark.parametrize("p", [1, 2])
def test_sorted_sets_ascend_in_their_first_coordinate(p):
    y = readings(200, 4, p)
    labels = Sorted().draw(np.random.default_rng(0), y)
    assert np.all(np.diff(np.take_along_axis(y[..., 0], labels, axis=1), axis=1) >= 0)


def test_equal_readings_keep_the_order_of_systems():
    assert_array_equal(Sorted().draw(np.random.default_rng(0), np.ones((1, 4, 1))), [[0, 1, 2, 3]])


def test_the_adversary_makes_all_positions_average_alike():
    L, n = 3, 30_000
    y = readings(n, L)[..., 0] + 4 * np.arange(L)
    labels = Adversarial().draw(np.random.default_rng(0), y[..., None])
    shown = np.take_along_axis(y, labels, axis=1)
    spread = 5 * np.sqrt(2.0 / n)  # five deviations of a difference of two means of unit noise
    assert np.ptp(shown.mean(axis=0)) < spread
    assert np.ptp(y.mean(axis=0)) > spread  # the truth is far from alike
    ranks = np.argsort(np.argsort(shown, axis=1), axis=1)
    assert_allclose(ranks[:6], [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 2)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Sticky(1.5), "`stay` must be a probability between 0 and 1, got 1.5"),
        (lambda: Weighted([0.5, 0.6]), "add up to 1"),
        (lambda: Weighted(np.eye(2)), r"must be one list, got shape \(2, 2\)"),
        (lambda: Weighted([0.5, 0.5], permutations=[(0, 1), (1, 1)]), "must list 2 orders of 0, ..., L - 1"),
        (lambda: Weighted([1.0], permutations=[(0, 1), (1, 0)]), "must list 1 orders"),
        (lambda: Markov([[0.5, 0.5]]), "square matrix"),
        (lambda: Markov([[0.5, 0.6], [0.5, 0.5]]), "add up to 1"),
        (lambda: Markov(np.eye(2), initial=[1.0]), "one probability for each of 2 states"),
        (lambda: Weighted([0.5, 0.5]).draw(np.random.default_rng(0), readings(4, 3)), "each of the 3! permutations"),
        (lambda: Weighted(np.full(9, 1 / 9)).draw(np.random.default_rng(0), readings(4, 3)), "each of the 3!"),
        (lambda: Markov([[1.0]], [(1, 0)]).draw(np.random.default_rng(0), readings(4, 3)), "permutations of 3 systems"),
    ],
)
def test_bad_settings_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_probabilities_for_many_systems_do_not_list_all_permutations():
    with pytest.raises(ValueError, match="20!"):
        Weighted([0.5, 0.5]).draw(np.random.default_rng(0), readings(4, 20))


@pytest.mark.parametrize(
    "law", [Labeled(), Shuffled(), Sticky(), Weighted([1.0], [(0, 1)]), Markov(np.eye(2)), Sorted(), Adversarial()]
)
def test_a_law_has_a_name_and_says_how_its_sets_stand(law):
    assert law.name == type(law).__name__.lower()
    assert law.description
    assert ("not shuffled" in law.description) == isinstance(law, Labeled | Sorted)
