"""Moves lead from entangled solutions to the right one, and distances are in units of what one answer tells."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import data
from vieta.answers.answer_climb import climb
from vieta.answers.answer_moves import FINE, entangled, moves, predictor_problem, turned, unit
from vieta.answers.answer_search import search
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.count import FAMILY, CountLikelihood
from vieta.answers.rounded import RoundedLikelihood
from vieta.search.problem import distance
from vieta.sums import in_memory

GROUPS = np.array([[1.3, 2.0, 0.8], [2.7, 1.5, 1.6], [1.9, 0.9, 0.5], [1.5, -0.1, 0.3]])
CROSSING = np.array([[-1.7, 1.6], [1.3, -0.3], [0.1, 0.8]])


def two_groups(rng, n):
    return np.column_stack([*np.eye(2)[rng.integers(0, 2, n)].T, rng.standard_normal(n)])


def three_levels(rng, n):
    return np.column_stack([np.ones(n), rng.integers(0, 3, n)])


def counted(theta, design, n, seed):
    rng = np.random.default_rng([seed, 7])
    psi = design(rng, n)
    return data(rng.permuted(rng.poisson(np.exp(psi @ theta.T)).astype(float), axis=1), psi)


@pytest.mark.parametrize(
    ("theta", "design", "n", "seed", "begins"),
    [
        (GROUPS, two_groups, 1000, 0, True),
        (GROUPS, two_groups, 1000, 1, False),
        *((CROSSING, three_levels, 3000, seed, True) for seed in (2, 3, 4)),
    ],
)
def test_counts_under_groups_and_levels_end_where_the_truth_does(theta, design, n, seed, begins):
    """Systems change places in one group, or at one level: with random moves only, three of these ended below the truth."""
    given = counted(theta, design, n, seed)
    passes, known, law = in_memory(given), AnswerSurvey.of(given), CountLikelihood(*theta.shape)
    more = FAMILY.begin(passes, law, known).theta if begins else []
    found = search(passes, n, law, np.empty(0), known.root, more).best
    assert found.height > climb(passes, law, theta.ravel(), known.root).height - 0.01


def problem_of(theta, size=1.0):
    psi = two_groups(np.random.default_rng(0), 200)
    return predictor_problem(data(np.zeros((200, len(theta))), psi), len(theta), size), psi


def test_an_exchange_in_one_group_is_among_the_moves():
    theta = GROUPS * [1.0, 1.0, 0.1]
    wrong = theta.copy()
    wrong[[2, 3], 0] = theta[[3, 2], 0]
    given, _ = problem_of(theta, 0.2)
    found = list(entangled(given, wrong, 2, np.random.default_rng(0)))
    assert min(distance(given, one, theta) for one in found) < 0.5 < distance(given, wrong, theta)
    assert all((one != wrong).any(axis=1).sum() == 2 for one in found)


def test_turned_pairs_keep_their_mean_and_the_size_of_their_difference():
    given, psi = problem_of(GROUPS)
    found = list(turned(given, GROUPS, np.random.default_rng(0)))
    assert len(found) == 6 * 3
    for one in found:
        i, j = np.flatnonzero((one != GROUPS).any(axis=1))
        assert_allclose(one[i] + one[j], GROUPS[i] + GROUPS[j])
        sizes = [np.sqrt(((psi @ (each[i] - each[j])) ** 2).mean()) for each in (one, GROUPS)]
        assert sizes[0] == pytest.approx(sizes[1])
    assert len(list(moves(given, GROUPS, np.random.default_rng(0)))) >= len(found)


def test_lengths_are_those_of_predictors():
    given, psi = problem_of(GROUPS, 0.4)
    other = GROUPS.copy()
    other[0] += [0.2, 0.1, 0.3]
    far = np.sqrt(((psi @ (other - GROUPS)[0]) ** 2).mean())
    assert distance(given, other, GROUPS) == pytest.approx(far / (FINE * 0.4))


def test_the_unit_is_the_error_of_a_predictor_from_one_answer():
    """1/sqrt(p q), 1/sqrt(mu), and, for steps far below the noise, its deviation."""
    rng = np.random.default_rng(0)
    psi, one = np.ones((4000, 1)), np.eye(1)
    right = data((rng.random((4000, 1)) < 0.3).astype(float), psi)
    assert unit(right, BinaryLikelihood(1, 1, "logit"), np.log([0.3 / 0.7]), one) == pytest.approx(0.21**-0.5, rel=1e-4)
    many = data(rng.poisson(9.0, (4000, 1)).astype(float), psi)
    assert unit(many, CountLikelihood(1, 1), np.log([9.0]), one) == pytest.approx(1 / 3, rel=1e-4)
    fine = data(np.rint(2.0 * rng.standard_normal((4000, 1)) / 0.1) * 0.1, psi)
    assert unit(fine, RoundedLikelihood(1, 1, 0.1), np.array([0.0, np.log(2.0)]), one) == pytest.approx(2.0, rel=0.01)
