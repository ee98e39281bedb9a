"""The filters in coefficient space as engines: what they weigh, what they are worth, which state they are in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import CASES, every_case
from vieta.coefficients import coefficient_engine, lms_recursion, rls_recursion
from vieta.coefficients.coefficient_engine import least_mean_squares, recursive_least_squares
from vieta.errors import InputError, NotIdentifiableError
from vieta.estimators.storage import flatten

CASE = CASES[1]


def rls(data, forgetting=1.0, start=None):
    return recursive_least_squares(data.part(0, 0), "auto", start, forgetting, None)


@pytest.mark.parametrize("forgetting", [0.9, 0.99, 0.999])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 3000])
def test_what_a_forgetting_filter_is_worth_is_the_weights_ratio(forgetting, n):
    """(sum w)² / sum w² for the weights w = f^(n-k), added up one by one."""
    data = CASE.data(2)
    engine = rls(data, forgetting)
    state = engine.advance(engine.init(), data)
    object.__setattr__(state.inputs, "count", n)
    weights = forgetting ** np.arange(n)
    assert_allclose(engine._effective(state), weights.sum() ** 2 / (weights**2).sum(), rtol=1e-9)
    assert rls(data)._effective(state) == n


def test_the_noise_is_weighed_as_the_sets_are():
    data = CASE.data(500)
    engine = rls(data, 0.95)
    state = engine.advance(engine.init(), data)
    weights = 0.95 ** np.arange(500)
    assert_allclose(engine._noise(state) * weights.sum() * 3, state.power, rtol=1e-9)


@every_case
def test_a_gradient_warms_up_by_least_squares_and_its_state_says_so(case):
    data = case.data(300)
    engine = least_mean_squares(data.part(0, 0), case.name, None, None, averaged=False)
    early = engine.advance(engine.init(), data.part(0, 100))
    late = engine.advance(early, data.part(100, 300))
    assert isinstance(early.filter, rls_recursion.State)
    assert isinstance(late.filter, lms_recursion.State)
    assert engine.code(early) == coefficient_engine.LEAST_SQUARES
    assert engine.code(late) == coefficient_engine.GRADIENT
    for state in (early, late):
        blank = engine.blank(engine.code(state))
        assert flatten(blank).keys() == flatten(state).keys()
    with pytest.raises(InputError) as caught:
        engine.blank("another kind")
    assert caught.value.code == "unknown-state"


def test_an_average_is_the_mean_of_the_iterates_since_the_warm_up():
    data = CASE.data(400)
    averaged = least_mean_squares(data.part(0, 0), "auto", None, 1e-3, averaged=True)
    plain = least_mean_squares(data.part(0, 0), "auto", None, 1e-3, averaged=False)
    iterates, state = [], plain.init()
    for k in range(400):
        state = plain.advance(state, data.part(k, k + 1))
        iterates.append(plain.point(state))
    whole = averaged.advance(averaged.init(), data)
    assert_allclose(averaged.point(whole), np.mean(iterates, axis=0), rtol=1e-10)
    assert abs(averaged.point(whole) - iterates[-1]).max() > 1e-6


def test_start_is_where_it_starts():
    data = CASE.data(1)
    start = CASE.theta + 1.0
    engine = least_mean_squares(data.part(0, 0), "auto", start, 1e-12, averaged=False)
    assert_allclose(engine.point(engine.init()), engine.design.transform.parameters.transform(start))


def test_inputs_that_do_not_identify_are_refused():
    data = CASE.data(5)
    object.__setattr__(data, "inputs", np.zeros(5))
    engine = rls(data)
    with pytest.raises(NotIdentifiableError) as caught:
        engine.estimate(engine.advance(engine.init(), data))
    assert caught.value.code == "inputs-not-identifying"
    assert caught.value.facts["n_sets"] == 5


def test_paths_of_roots_continue_from_one_to_the_next():
    data = CASE.data(50)
    engine = rls(data)
    state, points = engine.init(), []
    for k in range(10, 50):
        state = engine.advance(state, data.part(k, k + 1))
        points.append(engine.point(state))
    theta = engine.parameters(np.array(points))
    assert theta.shape == (40, *engine.estimate_shape)
    one_by_one = [engine.design.transform.solve(point[None])[0] for point in points]
    for path, alone in zip(theta, one_by_one, strict=True):
        assert_allclose(np.sort_complex(path.ravel()), np.sort_complex(np.ravel(alone).astype(complex)), atol=1e-6)
    assert_array_equal(engine.changes(state), ())
