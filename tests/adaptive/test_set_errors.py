"""Standard errors from scores."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import THETA, draw, model_of
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_errors import all_scores, inverted, law_directions, set_errors
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import survey
from vieta.adaptive.sieve import UnitLaw, begun, components

COMMON = Free()


def fitted(drawn, free=COMMON, **settings):
    found = climb(drawn.passes(), model_of(drawn, **settings), free, 1e-6)
    return found, set_errors(drawn.passes(), found.model, free, found.sums.clutter, survey(drawn.passes()).gram)


def test_where_labels_are_sure_they_are_those_of_least_squares():
    drawn = draw(1500, 0, sd=0.05, rate=0.3)
    found, errors = fitted(drawn, sd=0.05, rate=0.3)
    own = [(drawn.owners == l) for l in range(3)]
    x = np.repeat(drawn.inputs, [len(one) for one in drawn.sets])
    expected = [0.05 / np.sqrt((x[one] ** 2).sum()) for one in own]
    assert_allclose(np.sqrt(np.diag(errors.cov)), expected, rtol=0.12)
    assert_allclose(found.model.theta, drawn.labeled, atol=0.005)
    assert not errors.basis.has_memory


@pytest.mark.parametrize("sd", [1.0])
def test_errors_are_those_of_repeated_fits(sd):
    every, claimed = [], []
    for seed in range(24):
        found, errors = fitted(draw(200, seed, sd=sd), sd=sd)
        every.append((found.model.theta - THETA).ravel())
        claimed.append(np.diag(errors.cov))
    ratio = np.mean(np.square(every)) / np.mean(claimed)
    tolerance = 4.0 * np.sqrt(2.0 / 72)
    assert abs(ratio - 1.0) < tolerance
    assert not abs(4.0 * ratio - 1.0) < tolerance  # errors that are half of what they claim would be seen


def test_scores_of_the_law_are_derivatives_along_directions_that_keep_sum_and_mean():
    drawn = draw(20, 1, theta=THETA[:1], rate=0.0)  # no residual beyond the table
    model, free = model_of(drawn, law=begun(UnitLaw(), 0.5)), Free()
    data = drawn.data
    counts = np.zeros_like(model.clutter.heights)
    g = all_scores(data, model, expect(data, model), free, counts)
    support, directions = law_directions(model)
    assert_allclose(directions.sum(axis=0), 0.0, atol=1e-9)
    assert_allclose(components(0.5)[0][support] @ directions, 0.0, atol=1e-9)
    first = g.shape[1] - directions.shape[1]
    for j in range(directions.shape[1]):
        h = np.zeros(len(model.law.weights))
        h[support] = 1e-5 * directions[:, j]
        above, below = (
            expect(data, replace(model, law=UnitLaw(0.5, model.law.weights + sign * h))).log_likelihood
            for sign in (1, -1)
        )
        assert_allclose(g[:, first + j], (above - below) / 2e-5, atol=2e-2, rtol=1e-2)


def test_memory_makes_errors_larger():
    rng = np.random.default_rng(0)
    n = 800
    noise = np.zeros((n, 2))
    for k in range(1, n):
        noise[k] = 0.8 * noise[k - 1] + 0.6 * rng.normal(size=2)
    sets = [row + 0.3 * e for row, e in zip(np.tile([0.0, 4.0], (n, 1)), noise)]
    drawn = draw(n, 0, theta=np.array([[0.0], [4.0]]), rate=0.0)
    drawn = replace(drawn, sets=[one[:, None] for one in sets], inputs=np.ones(n))
    _, errors = fitted(drawn, Free(rate=False, detection="none"), seen=1.0 - 1e-7, rate=0.0, sd=0.3)
    assert errors.basis.has_memory
    assert errors.basis.n_effective < 0.4 * n
    assert np.sqrt(errors.cov[0, 0]) > 2.0 * np.sqrt(errors.everything[0, 0])


def test_directions_without_information_are_left_out():
    A = np.array([[2.0, 0.0], [0.0, 0.0]])
    assert_allclose(inverted(A), [[0.5, 0.0], [0.0, 0.0]])
