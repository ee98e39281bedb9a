"""Randomized response: probabilities, scores and estimates with it, against all outcomes, permutations and simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import CUTS, THETA, by_permutations, count_law, data, drawn, slopes
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.flips import in_turn, kept, mixed
from vieta.answers.ordinal import OrdinalLikelihood
from vieta.errors import InputError
from vieta.findings import at_least
from vieta.laws import answers


def test_probabilities_stay_probabilities_and_two_in_turn_are_one():
    P = np.array([0.1, 0.2, 0.7])
    assert_allclose(mixed(P, 0.3, 3).sum(), 1.0)
    assert_allclose(mixed(mixed(P, 0.3, 3), 0.1, 3), mixed(P, in_turn(0.3, 0.1, 3), 3))
    assert_allclose(mixed(P, 2.0 / 3.0, 3), np.full(3, 1.0 / 3.0))
    assert kept(0.0, 4) == 1.0


def test_right_and_wrong_against_all_outcomes():
    sets, psi, b = drawn("binary", 30)
    law, block, u = BinaryLikelihood(3, 2, "logit", 0.15), data(sets, psi, b), THETA.ravel()
    logs, scores = law.scores(block, u)
    p = 0.15 + 0.7 * stats.logistic.cdf(psi @ THETA.T + b[:, None])
    expected = [count_law(row)[int(n)] for row, n in zip(p, sets.sum(axis=1), strict=True)]
    assert_allclose(np.exp(logs), expected, rtol=1e-10)
    assert_allclose(scores, slopes(lambda v: law.scores(block, v)[0], u), atol=1e-6)


def test_levels_against_all_permutations():
    sets, psi, b = drawn("ordinal", 12)
    law, block = OrdinalLikelihood(3, 2, "logit", 4, None, False, 0.2), data(sets, psi, b)
    u = np.concatenate([THETA.ravel(), law.unknowns_of(CUTS)])
    ends = np.concatenate([[-np.inf], CUTS, [np.inf]])

    def level(y, eta):
        P = stats.logistic.cdf(ends[int(y)] - eta) - stats.logistic.cdf(ends[int(y) - 1] - eta)
        return (1.0 - 0.2) * P + 0.2 / 3.0 * (1.0 - P)

    logs, scores = law.scores(block, u)
    assert_allclose(np.exp(logs), by_permutations(level, sets, psi @ THETA.T + b[:, None]), rtol=1e-9)
    assert_allclose(scores, slopes(lambda v: law.scores(block, v)[0], u), atol=1e-6)


@pytest.mark.parametrize(
    ("law", "options"),
    [
        (answers.Binary(flipped=0.1), {"family": "binary"}),
        (answers.Ordinal((-1.5, 0.2, 1.6), flipped=0.15), {"family": "ordinal", "thresholds": [-1.5, 0.2, 1.6]}),
    ],
    ids=["binary", "ordinal"],
)
def test_estimates_allow_for_flips_and_those_that_do_not_are_reported(law, options):
    b = np.random.default_rng(0).normal(0.0, 2.0, 3000)
    theta = np.array([[-2.0], [0.0], [2.5]])
    eta = np.broadcast_to(theta[:, 0], (3000, 3)) + b[:, None]
    sets = law.draw(np.random.default_rng(1), eta[..., None], 0.0)[..., 0]
    found = vieta.fit(sets, offset=b, flipped=law.flipped, **options)
    assert np.all(abs(found.theta - theta) < 4.5 * found.stderr)
    assert found.answers.flipped == law.flipped
    assert "flipped" in found.answers.line()
    again = vieta.Estimate.from_dict(found.to_dict())
    assert again.answers.flipped == law.flipped
    blind = vieta.fit(sets, offset=b, **options)
    assert at_least(blind.findings, "caution")
    assert not at_least(found.findings, "caution")
    f = vieta.SymmetricFilter(3, flipped=law.flipped, **options).partial_fit(sets, offset=b)
    assert np.all(abs(f.estimate().theta - found.theta) < found.stderr)


@pytest.mark.parametrize("wrong", [0.5, -0.1, "x", [0.1, 0.2], np.nan])
def test_flips_that_leave_nothing_are_refused(wrong):
    with pytest.raises(InputError) as caught:
        vieta.fit([[0, 1], [1, 1], [0, 0]], family="binary", flipped=wrong)
    assert caught.value.code == "flipped-range"


def test_simulated_flips_are_as_frequent_as_they_should_be_and_longer_draws_begin_alike():
    eta = np.full((40_000, 1, 1), 30.0)
    found = answers.Ordinal((-1.0, 0.0, 1.0), flipped=0.3).draw(np.random.default_rng(0), eta, 0.0).ravel()
    shares = np.array([(found == level).mean() for level in (1, 2, 3, 4)])
    assert_allclose(shares, [0.1, 0.1, 0.1, 0.7], atol=5 * np.sqrt(0.21 / 40_000))
    few = answers.Ordinal((-1.0, 0.0, 1.0), flipped=0.3).draw(np.random.default_rng(0), eta[:50], 0.0).ravel()
    assert_allclose(few, found[:50])
