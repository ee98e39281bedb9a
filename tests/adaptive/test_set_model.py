"""The likelihood of incomplete sets, against sums over all partial assignments."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.adaptive.cases import TRACKS, draw, model_of
from tests.association.test_partial import enumerated
from vieta.adaptive.set_model import FAR, associated, by_set, expect, log_odds, weigh, without_far
from vieta.adaptive.sieve import UnitLaw, begun
from vieta.sets import Data

LAWS = [UnitLaw(), UnitLaw(name="laplace"), begun(UnitLaw(), 0.25)]


@pytest.mark.parametrize("law", LAWS, ids=["normal", "laplace", "sieve"])
def test_each_set_is_the_sum_over_its_partial_assignments(law):
    drawn = draw(12, 1)
    model = model_of(drawn, sd=[0.4, 0.9, 0.6], seen=[0.5, 0.7, 0.9], law=law)
    data = drawn.data
    found = expect(data, model)
    readings, offsets = data.flat
    for k in range(len(data)):
        y = readings[offsets[k] : offsets[k + 1], 0]
        u = (y[:, None] - data.inputs[k] * drawn.theta[:, 0]) / model.sd
        W = law.evaluate(u)[0] - np.log(model.sd) + np.log(model.detection)
        c = np.log(model.rate * np.exp(model.clutter.log(y[:, None])))
        log, pairs = enumerated(W, c, np.log(1.0 - model.detection))
        assert_allclose(found.log_likelihood[k], log - model.rate, atol=1e-7)
        assert_allclose(found.pairs[offsets[k] : offsets[k + 1]], pairs, atol=1e-7)


def test_vectors_have_their_joint_density():
    drawn = draw(5, 2, theta=TRACKS, tracks=True, seen=1.0, rate=0.0)
    C = np.array([[1.2, 0.5], [0.5, 0.8]])
    model = replace(model_of(drawn, sd=[0.5, 0.7]), shape=C, detection=np.full(2, 0.7), rate=1e-7)
    data = drawn.data
    found = expect(data, model)
    readings, _ = data.flat
    for k in range(5):
        y = readings[2 * k : 2 * k + 2]
        means = data.inputs[k] @ TRACKS.T
        f = [stats.multivariate_normal(means[:, l], model.sd[l] ** 2 * C) for l in range(2)]
        both = f[0].pdf(y[0]) * f[1].pdf(y[1]) + f[0].pdf(y[1]) * f[1].pdf(y[0])
        assert_allclose(found.log_likelihood[k], np.log(0.49 * both), atol=1e-3)


def test_a_set_without_readings_is_data():
    drawn = draw(3, 0)
    model = model_of(drawn)
    empty = Data(np.empty((0, 1)), np.ones(2), 1, np.zeros(3, dtype=np.int64), 3)
    logs = expect(empty, model).log_likelihood
    assert_allclose(logs, 3 * np.log(0.3) - 1.0)


def test_odds_are_those_of_a_set_of_one_reading():
    drawn = draw(30, 3, theta=np.array([[2.0]]), rate=0.4)
    model = model_of(drawn, rate=0.4)
    data = drawn.data
    single = np.flatnonzero(data.sizes == 1)
    one = data.at(single)
    odds = np.exp(log_odds(one, model))
    assert_allclose(expect(one, model).pairs, odds / (1.0 + odds), atol=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=["normal", "laplace", "sieve"])
def test_pairs_that_are_left_out_are_hardly_possible(law):
    drawn = draw(300, 4)
    model = model_of(drawn, law=law)
    weights = without_far(weigh(drawn.data, model))
    far, whole = np.isneginf(weights.pairs), expect(drawn.data, model)
    assert far.any()
    assert whole.pairs[far].max() < np.exp(FAR)
    some = associated(drawn.data, model, weights)
    assert_allclose(some.pairs, whole.pairs, atol=10.0 * np.exp(FAR))
    assert_allclose(some.log_likelihood, whole.log_likelihood, atol=10.0 * np.exp(FAR))


def test_sums_over_sets_that_may_be_empty():
    offsets = np.array([0, 0, 2, 2, 3, 3])
    assert_allclose(by_set(np.arange(6.0).reshape(3, 2), offsets), [[0, 0], [2, 4], [0, 0], [4, 5], [0, 0]])
    assert_allclose(by_set(np.empty((0, 2)), np.zeros(4, dtype=int)), np.zeros((3, 2)))
