"""Innovations: against their definition, of the size of the noise while the estimate holds, and large after a change."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.live.innovations import Innovations

THETA = np.array([-6.0, 0.0, 6.0])


def drawn(n, seed, theta=THETA):
    rng = np.random.default_rng(seed)
    return rng.permuted(theta + 0.5 * rng.normal(size=(n, len(theta))), axis=1)[:, :, None]


@pytest.fixture(scope="module")
def estimate():
    return vieta.fit(drawn(400, 0))


def test_each_is_the_distance_from_the_nearest_system_where_systems_are_far_apart(estimate):
    latest = Innovations(5)
    assert latest.report(estimate) == []
    sets = drawn(8, 1)
    latest.take(sets, np.ones(8), 100)
    found = np.array(latest.report(estimate))
    nearest = abs(sets[3:] - estimate.theta[:, 0]).argmin(axis=2)
    expected = (sets[3:, :, 0] - estimate.theta[nearest, 0]) / estimate.noise_sd[nearest]
    assert found[:, 0].tolist() == np.repeat([96, 97, 98, 99, 100], 3).tolist()
    assert found[:, 1].tolist() == (nearest.ravel() + 1).tolist()
    assert_allclose(found[:, 2], expected.ravel(), rtol=1e-3)
    assert latest.report(estimate) == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_they_have_the_size_of_the_noise_and_a_change_is_seen(estimate, seed):
    n = 200
    sizes = []
    for theta in (THETA, THETA + 1.0):
        latest = Innovations(n, before=estimate)
        latest.take(drawn(n, seed, theta), np.ones(n), n)
        sizes.append(np.mean(np.array(latest.report(None))[:, 2] ** 2))
    error = 5 * np.sqrt(2 / (3 * n)) + 2 * np.sqrt(2 / (3 * 400))
    assert abs(sizes[0] - 1.0) < error
    assert sizes[1] - 1.0 > error  # the test can fail


def test_sets_of_any_size_and_vectors_have_them_and_answers_have_none():
    records = vieta.simulate("radar-like", n=200, seed=0)
    fitted = vieta.fit(records.sets, records.inputs, n_systems=3)
    latest = Innovations(40, before=fitted)
    sets = [np.asarray(one).reshape(-1, 1) for one in list(records.sets)[:40]] + [np.zeros((0, 1))]
    latest.take(sets[1:], np.asarray(records.inputs)[1:41, None, :], 41)
    found = latest.report(None)
    assert {row[1] for row in found} == {0, 1, 2, 3}
    assert len(found) == sum(np.isfinite(one).sum() for one in sets[1:])
    own = np.array([row[2] for row in found if row[1] > 0])
    assert abs(np.mean(own**2) - 1.0) < 5 * np.sqrt(2 / len(own))
    planes = vieta.simulate("example-3", n=200, seed=0)
    latest = Innovations(3, before=vieta.fit(planes.sets, planes.inputs))
    latest.take(planes.sets, planes.inputs, 200)
    assert [len(row) for row in latest.report(None)] == [4] * 6
    right = (np.random.default_rng(0).random((200, 2, 1)) < [[0.2], [0.9]]).astype(float)
    latest = Innovations(3, before=vieta.fit(right[:, :, 0], family="binary"))
    latest.take(right, np.ones(200), 200)
    assert latest.report(None) == []
