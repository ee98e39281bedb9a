"""Noise that depends on the input, and curves: scores against derivatives, their level, and that both are named."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.adaptive.cases import draw, model_of
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.input_functions import by_means, of_inputs
from vieta.adaptive.set_errors import all_scores
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import Free
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data, in_canonical_order
from vieta.sums import in_memory

THETA = np.array([[-6.0, 1.0], [0.0, -1.0], [7.0, 0.5]])


def drawn(seed, n, grows, seen=0.8, rate=0.5, law="normal", bent=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    unit = rng.normal(size=(n, 3)) if law == "normal" else rng.standard_t(3, size=(n, 3)) / np.sqrt(3.0)
    full = np.column_stack([np.ones(n), x]) @ THETA.T + 0.8 * unit * (0.3 + 0.9 * abs(x[:, None]) if grows else 1.0)
    full += bent * np.outer(x**2, [1.0, -1.0, 0.0])
    false = [rng.uniform(-12.0, 12.0, rng.poisson(rate)) for _ in range(n)]
    sets = [rng.permutation(np.append(one[rng.random(3) < seen], more)) for one, more in zip(full, false)]
    return sets, np.column_stack([np.ones(n), x])


def passes(sets, inputs, blocks=1):
    return in_memory(in_canonical_order(as_incomplete(as_data(sets, inputs, 3), 3)), blocks)


def test_the_score_is_the_derivative_of_a_set_by_its_deviation():
    one = draw(200, 0)
    model, free, h = model_of(one), Free("own", "own", True), 1e-5
    scores = all_scores(one.data, model, expect(one.data, model), free, np.zeros((1, model.clutter.heights.shape[1])))
    up, down = (expect(one.data, replace(model, sd=model.sd * np.exp(d))).log_likelihood for d in (h, -h))
    L, size = len(model.sd), model.theta.size
    assert_allclose(scores[:, size : size + L].sum(axis=1), (up - down) / (2.0 * h), atol=1e-5, rtol=1e-5)


def test_the_score_of_a_mean_is_the_derivative_by_a_constant():
    sets, inputs = drawn(0, 100, False)
    given = passes(sets, inputs)
    data, model, free, h = given.head(100), fit(given).chosen.model, Free("own", "own", True), 1e-5
    scores = all_scores(data, model, expect(data, model), free, np.zeros((1, model.clutter.heights.shape[1])))
    found = by_means(scores[:, :6], data.inputs.reshape(100, 2))
    for l in range(3):
        step = h * np.array([1.0, 0.0]) * (np.arange(3) == l)[:, None]  # the inputs have a constant
        up, down = (expect(data, replace(model, theta=model.theta + s)).log_likelihood for s in (step, -step))
        assert_allclose(found[:, l], (up - down) / (2.0 * h), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("rate", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(2))
def test_a_curve_is_named(seed, rate):
    for bent in (0.0, 0.6):
        codes = {one.code for one in vieta.fit(*drawn(seed, 500, False, rate=rate, bent=bent), n_systems=3).findings}
        assert ("curve-missing" in codes) is (bent > 0.0)


@pytest.mark.parametrize("law", ["normal", "t"])
@pytest.mark.parametrize("seed", range(3))
def test_noise_that_grows_with_the_input_is_named(seed, law):
    for grows in (False, True):
        codes = {one.code for one in vieta.fit(*drawn(seed, 500, grows, law=law), n_systems=3).findings}
        assert ("noise-follows-input" in codes) is grows


def test_it_has_its_level():
    p = []
    for seed in range(60):
        given = passes(*drawn(seed, 150, False))
        p.append(of_inputs(given, fit(given)).noise.p_value)
    assert np.mean(np.array(p) < 0.1) < 0.1 + 3.0 * np.sqrt(0.1 * 0.9 / 60)
    assert np.mean(np.array(p) < 0.6) > 0.3
    assert min(p) > 1e-4


def test_blocks_do_not_matter():
    given = drawn(0, 300, True)
    found = fit(passes(*given))
    for one, four, df in zip(*(of_inputs(passes(*given, blocks), found) for blocks in (1, 4)), (2, 6)):
        assert_allclose(one.statistic, four.statistic, rtol=1e-8)
        assert one.df == four.df == df


def test_constant_inputs_and_few_sets_tell_nothing():
    sets, inputs = drawn(0, 300, False)
    for some in (passes(sets, inputs[:, 0] * 1.0), passes(sets[:90], inputs[:90])):
        assert [one.p_value for one in of_inputs(some, fit(some))] == [1.0, 1.0]
