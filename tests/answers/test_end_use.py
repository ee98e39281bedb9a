"""Ends of a scale that are used too often: likelihoods and scores against all permutations, and what is found or not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

import vieta
from tests.answers.cases import CUTS, THETA, by_permutations, data, drawn, slopes
from vieta.answers.answer_climb import climb
from vieta.answers.answer_fit_test import LEVEL
from vieta.answers.end_use import EndsLikelihood, end_use
from vieta.answers.ordinal import FAMILY, OrdinalLikelihood
from vieta.sums import in_memory

FIVE = np.array([-2.2, -0.7, 0.7, 2.2])
LEANINGS = np.array([-1.0, 0.0, 1.0])


LAWS = {"logit": stats.logistic, "probit": stats.norm}


def levels(eta, cuts=CUTS, law=stats.logistic):
    """Probabilities of all levels."""
    return np.diff(law.cdf(np.concatenate([[-np.inf], cuts, [np.inf]]) - np.asarray(eta)[..., None]))


def at_random(P, share):
    ends = np.zeros(P.shape[-1])
    ends[[0, -1]] = 0.5
    return (1.0 - share) * P + share * ends


def to_the_nearer(P, share):
    """Of four or five levels."""
    moved = P.copy()
    moved[..., [0, -1]] += P[..., [1, -2]]
    moved[..., [1, -2]] = 0.0
    return (1.0 - share) * P + share * moved


def flipped(P, share):
    return (1.0 - share) * P + share * (1.0 - P) / (P.shape[-1] - 1.0)


@pytest.mark.parametrize(("given", "nearer"), [(CUTS, False), (None, False), (CUTS, True)])
@pytest.mark.parametrize("flips", [0.0, 0.1])
@pytest.mark.parametrize("link", ["logit", "probit"])
def test_the_likelihood_with_ends_is_the_sum_over_all_permutations(given, nearer, flips, link):
    sets, psi, b = drawn("ordinal", 12)
    habit, share = to_the_nearer if nearer else at_random, 0.2
    law = OrdinalLikelihood(3, 2, link, 4, given, False, flips)
    ends, block = EndsLikelihood(law, nearer), data(sets, psi, b)
    u = np.concatenate([THETA.ravel(), law.unknowns_of(CUTS), [np.log(share)]])
    logs, scores = ends.scores(block, u)

    def density(y, eta):
        return flipped(habit(levels(eta, law=LAWS[link]), share), flips)[int(y) - 1]

    assert_allclose(np.exp(logs), by_permutations(density, sets, psi @ THETA.T + b[:, None]), rtol=1e-9)
    assert_allclose(scores, slopes(lambda v: ends.scores(block, v)[0], u), atol=1e-7)
    assert len(u) == ends.size
    assert ends.of_size(2).size == ends.size - 2
    assert ends.moved(u, np.full(len(u), 9.0))[-1] < 0.0


def test_a_level_in_the_middle_stays_where_the_nearer_end_is_taken():
    """Five levels, of one system: the middle one is as probable as before, and all levels together are one."""
    law, one = OrdinalLikelihood(1, 1, "logit", 5, FIVE, False), np.ones((5, 1))
    ends, block = EndsLikelihood(law, True), data(np.arange(1.0, 6.0)[:, None], one)
    found = np.exp(ends.scores(block, np.array([0.4, np.log(0.2)]))[0])
    assert_allclose(found, to_the_nearer(levels(0.4, FIVE), 0.2))
    assert_allclose(found.sum(), 1.0)


def ratings(seed, habit, share, n=500):
    """Sets of five levels and their known numbers, a share of answers by a habit of all three systems."""
    rng = np.random.default_rng(seed)
    b = rng.standard_normal(n)
    P = habit(levels(LEANINGS + b[:, None], FIVE), share)
    return 1.0 + (rng.random((n, 3, 1)) > np.cumsum(P, axis=2)[:, :, :-1]).sum(axis=2), b


def climbed(sets, b, given):
    """Sets, their law, and the top near the truth."""
    passes = in_memory(data(sets, np.ones((len(sets), 1)), b))
    law = OrdinalLikelihood(3, 1, "logit", 5, FIVE if given else None, not given)
    start = LEANINGS if given else LEANINGS - FIVE[0]
    return passes, law, climb(passes, law, np.concatenate([start, law.unknowns_of(FIVE - FIVE[0])]), np.eye(1))


def test_the_likelihood_ratio_is_that_of_two_maxima():
    """Of all permutations of two systems, by another optimizer."""
    rng = np.random.default_rng(3)
    b = rng.standard_normal(150)
    sets = 1 + (np.array([-1.0, 1.0]) + b[:, None] + rng.logistic(size=(150, 2)) > FIVE[:, None, None]).sum(axis=0)
    sets = np.where(rng.random(sets.shape) < 0.1, rng.choice([1, 5], size=sets.shape), sets)

    def height(v):
        share = 1.0 / (1.0 + np.exp(-v[2])) if len(v) > 2 else 0.0
        ends = np.concatenate([[-np.inf], FIVE, [np.inf]])
        P = np.diff(stats.logistic.cdf(ends - (v[:2] + b[:, None])[:, :, None]), axis=2)
        P = (1.0 - share) * P + share * np.array([0.5, 0.0, 0.0, 0.0, 0.5])
        A = np.stack([np.take_along_axis(P, sets[:, [i, i]][:, :, None] - 1, axis=2)[:, :, 0] for i in (0, 1)], axis=1)
        return -np.log(A[:, 0, 0] * A[:, 1, 1] + A[:, 0, 1] * A[:, 1, 0]).sum()

    options = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 4000}
    tops = [optimize.minimize(height, v, method="Nelder-Mead", options=options).fun for v in ([-1, 1], [-1, 1, -2])]
    passes, law = in_memory(data(sets, np.ones((150, 1)), b)), OrdinalLikelihood(2, 1, "logit", 5, FIVE, False)
    found = end_use(passes, law, climb(passes, law, np.array([-1.0, 1.0]), np.eye(1)), np.eye(1))[0]
    assert_allclose(found.x, 2.0 * (tops[0] - tops[1]), atol=5e-3)
    assert_allclose(found.p_value, 0.5 * stats.chi2.sf(found.x, 1), rtol=1e-9)


def chances(habit, share, given, seeds, n=500):
    """(seeds, tests) the probabilities of more by chance."""
    return np.array(
        [
            [one.p_value for one in end_use(*climbed(*ratings(seed, habit, share, n), given), np.eye(1))]
            for seed in range(seeds)
        ]
    )


@pytest.mark.parametrize("given", [True, False])
def test_where_ends_are_used_as_they_should_be_tests_are_silent_and_have_their_levels(given):
    p = chances(at_random, 0.0, given, 25)
    assert p.min() > LEVEL
    assert (abs(np.mean(p < 0.2, axis=0) - 0.2) < 4.0 * np.sqrt(0.16 / 25)).all()


@pytest.mark.parametrize("given", [True, False])
def test_a_tenth_of_ends_at_random_is_found_whether_thresholds_are_given_or_not(given):
    """The best test has a power of 0.93 where thresholds are estimated, and of 1.00 where they are given."""
    assert np.mean(chances(at_random, 0.1, given, 15)[:, 0] < LEVEL) > 0.93 - 4.0 * np.sqrt(0.93 * 0.07 / 15)


def test_nearer_ends_are_found_where_thresholds_are_given():
    """A tenth of them with a power of 0.49, which is that of the best test; a third always."""
    found = chances(to_the_nearer, 0.1, True, 40)[:, 1] < LEVEL
    assert abs(found.mean() - 0.49) < 4.0 * np.sqrt(0.25 / 40)
    assert (chances(to_the_nearer, 0.33, True, 5)[:, 1] < LEVEL).all()


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_fit_reports_it(share):
    for seed in range(3):
        sets, b = ratings(seed, at_random, share)
        codes = {one.code for one in vieta.fit(np.sort(sets, axis=1), family="ordinal", offset=b).findings}
        assert ("ends-misfit" in codes) == (share > 0.0)


def test_two_levels_have_no_ends_and_nearer_ones_are_looked_for_where_thresholds_are_given():
    for cuts, given, count in [((0.0,), True, 0), ((-1.0, 1.0), True, 1), (CUTS, True, 2), (CUTS, False, 1)]:
        sets, psi, b = drawn("ordinal", 200)
        law = OrdinalLikelihood(3, 2, "logit", len(cuts) + 1, np.array(cuts) if given else None, False)
        passes = in_memory(data(np.minimum(sets, len(cuts) + 1), psi, b))
        top = climb(passes, law, np.concatenate([THETA.ravel(), law.unknowns_of(np.array(cuts))]), np.eye(2))
        assert len(FAMILY.end_use(passes, law, top, np.eye(2))) == count
