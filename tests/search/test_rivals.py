"""Whether another solution explains the sets as well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.search.problems import draw, given
from vieta.search.moves import DIFFERENT
from vieta.search.problem import distance
from vieta.search.rivals import EXCLUDED, STEP, _is_apart, _nearest, is_excluded, leaves_own_maximum, rivals
from vieta.search.unequal_noise import OwnNoise, climb_with_own_noise


@pytest.mark.parametrize("seed", range(5))
def test_a_solution_that_is_far_less_likely_is_excluded(seed):
    sets, psi, theta = draw("season", 3, 0.2, 300, seed)
    one = given(sets, psi, 0.2)
    wrong = theta.copy()
    wrong[[0, 1], 1] = theta[[1, 0], 1]
    best, found, _ = rivals(one, wrong, [theta])
    assert not found
    assert distance(one, best, theta) < DIFFERENT < distance(one, wrong, theta)


@pytest.mark.parametrize("seed", range(5))
def test_solutions_with_the_same_sets_are_rivals(seed):
    """[1, b] with b in {0, 1}: pairing is open, so the other pairing is exactly as likely."""
    rng = np.random.default_rng(seed)
    rows = np.stack([np.ones(200), rng.integers(0, 2, size=200)], axis=1)
    one, two = np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([[0.0, 4.0], [2.0, -1.0]])
    sets = rng.permuted(rows @ one.T + 0.2 * rng.normal(size=(200, 2)), axis=1)
    _, found, _ = rivals(given(sets[:, :, None], rows[:, None], 0.2), one, [two])
    assert len(found) == 1
    assert abs(found[0].behind) < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_another_place_on_the_same_hill_is_no_rival(seed):
    sets, psi, theta = draw("normal", 2, 1.0, 60, seed)
    one = given(sets, psi, 1.0)
    assert not rivals(one, theta, [theta + 0.05, theta - 0.02])[1]


def test_exclusion_needs_a_sum_and_a_mean_that_is_sure():
    zeros = np.zeros(400)
    even = np.full(400, 2 * EXCLUDED / 400)
    assert is_excluded(even, zeros)
    assert not is_excluded(zeros, even)
    assert not is_excluded(even / 3, zeros)  # too small a sum
    rng = np.random.default_rng(0)
    noisy = even + 2.0 * rng.permuted(np.repeat([-1.0, 1.0], 200))
    assert noisy.sum() > EXCLUDED
    assert not is_excluded(noisy, zeros)  # as much by chance
    alone = zeros.copy()
    alone[0] = 100.0
    assert STEP < EXCLUDED
    assert not is_excluded(alone, zeros)  # one set does not decide


LAWS = {
    "Gaussian": lambda rng, size: rng.standard_normal(size),
    "Laplace": lambda rng, size: rng.laplace(size=size) / np.sqrt(2.0),
    "Student 5": lambda rng, size: rng.standard_t(5, size=size) / np.sqrt(5.0 / 3.0),
    "uniform": lambda rng, size: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), size),
}
TRUTH, OTHER = np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([[0.0, 4.0], [2.0, -1.0]])


def nearly_open(law, sds, decisive, seed, n=100):
    """[1, x] with x in {0, 1}, under which `TRUTH` and `OTHER` make the same sets, and few sets with x = 2, under which they do not."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.integers(0, 2, n - decisive), np.full(decisive, 2)])
    rows = np.stack([np.ones(n), x], axis=1)
    sets = rng.permuted(rows @ TRUTH.T + np.asarray(sds) * LAWS[law](rng, (n, 2)), axis=1)
    return given(sets[:, :, None], rows[:, None], np.sqrt(np.mean(np.square(sds))))


@pytest.mark.parametrize("law", LAWS)
def test_the_truth_is_hardly_ever_excluded_whatever_the_law(law):
    """Where the wrong pairing comes out as the likelier one, the right one is reported: its test has a level of 1 in 44."""
    runs, wrong, silent = 60, 0, 0
    for seed in range(runs):
        one = nearly_open(law, (1.5, 1.5), 1, seed)
        best, found, _ = rivals(one, TRUTH, [OTHER])
        is_wrong = distance(one, best, OTHER) < distance(one, best, TRUTH)
        wrong += is_wrong
        silent += is_wrong and not found
    assert wrong >= 4  # there is something to report
    level = 1 / 44
    assert silent <= runs * level + 3 * np.sqrt(runs * level * (1 - level))


@pytest.mark.parametrize("law", LAWS)
def test_a_rival_that_one_set_contradicts_is_reported_and_one_that_five_do_is_not(law):
    reported = [bool(rivals(nearly_open(law, (0.5, 0.5), 1, seed), TRUTH, [OTHER])[1]) for seed in range(20)]
    excluded = [not rivals(nearly_open(law, (0.5, 0.5), 5, seed), TRUTH, [OTHER])[1] for seed in range(20)]
    assert sum(reported) >= 18
    assert sum(excluded) >= 18


@pytest.mark.parametrize("law", LAWS)
def test_noise_of_unequal_size_tells_solutions_apart(law):
    """The systems of the wrong pairing would be noisy under one input and not under the other; at one common variance nothing is told."""
    for seed in range(10):
        one = nearly_open(law, (0.5, 1.5), 1, seed)
        best, found, _ = rivals(one, OTHER, [TRUTH])
        assert distance(one, best, TRUTH) < distance(one, best, OTHER)
        assert not found


@pytest.mark.parametrize(("n", "told"), [(60, False), (90, True)])
def test_solutions_within_three_errors_of_a_labeled_curve_are_one_answer(n, told):
    sets, psi, theta = draw("normal", 2, 1.0, n, 0)
    one = given(sets, psi, 1.0)
    moved = theta + np.linalg.solve(one.root, [0.5, 0.0])  # half a standard deviation; 3 sqrt(2 / n) is .55 and .45
    assert_allclose(distance(one, theta, moved), 0.5)
    first, other = (
        OwnNoise(likelihood, place, np.ones(2), np.zeros(n)) for likelihood, place in ((0.0, theta), (np.inf, moved))
    )
    assert _is_apart(one, first, other) is told


def test_of_solutions_that_lead_to_one_maximum_the_nearest_is_taken():
    """Which of them ends higher by rounding decides nothing: at the common variance the farther one may be wrong."""
    one = nearly_open("Gaussian", (0.5, 1.5), 5, 0)
    maximum = climb_with_own_noise(one, TRUTH)
    by_rounding = maximum._replace(likelihood=maximum.likelihood + 1e-9)
    for reached in ([(OTHER, by_rounding), (TRUTH, maximum)], [(TRUTH, maximum), (OTHER, by_rounding)]):
        assert _nearest(one, reached, reached[0][1]) is TRUTH


@pytest.mark.parametrize("law", LAWS)
def test_a_solution_on_another_hill_of_unequal_noise_is_noticed(law):
    for seed in range(5):
        one = nearly_open(law, (0.5, 1.5), 1, seed)
        found = rivals(one, TRUTH, [OTHER])
        assert found.own is not None
        assert leaves_own_maximum(one, found.own, OTHER)
        assert not leaves_own_maximum(one, found.own, found.own.theta)


def test_equal_noise_has_no_maximum_of_its_own():
    assert rivals(nearly_open("Gaussian", (0.5, 0.5), 1, 0), TRUTH, [OTHER]).own is None
