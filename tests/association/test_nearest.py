import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from vieta.association.nearest import nearest_readings, score_hypotheses


def test_the_nearest_free_reading_of_each_set():
    rng = np.random.default_rng(0)
    offsets = np.array([0, 3, 3, 5])
    readings, psi, theta = rng.normal(size=(5, 2)), rng.normal(size=(3, 2, 3)), rng.normal(size=3)
    free = np.array([True, False, True, True, True])
    place, distance = np.empty(3, np.int64), np.empty(3)
    nearest_readings(readings, offsets, psi, free, theta, place, distance)
    for k in (0, 2):
        own = [i for i in range(offsets[k], offsets[k + 1]) if free[i]]
        apart = [np.linalg.norm(readings[i] - psi[k] @ theta) for i in own]
        assert place[k] == own[int(np.argmin(apart))]
        assert_allclose(distance[k], min(apart))
    assert_array_equal(place[1], -1)
    assert distance[1] == np.inf
    scores = np.empty(1)
    score_hypotheses(readings, offsets, psi, free, theta[None], 0.01, 5.0, scores)
    assert_allclose(scores[0], np.log(0.01 + np.minimum(distance, 5.0)).sum())
