"""Which law, and what is common."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import draw, model_of
from vieta.adaptive import law_choice
from vieta.adaptive.law_choice import choose, constant_part, criterion, fitted_scale, is_off
from vieta.adaptive.set_ascent import Climbed
from vieta.adaptive.set_sums import Free, set_sums
from vieta.adaptive.sieve import UnitLaw, begun, binned
from vieta.sets import as_data
from vieta.sums import in_memory


@pytest.mark.parametrize(
    ("law", "width", "name"), [("normal", False, ""), ("laplace", False, "laplace"), ("skewed", True, "")]
)
def test_the_law_is_recognised(law, width, name):
    drawn = draw(800, 1, law=law, sd=0.3, rate=0.5)
    found = choose(drawn.passes(), model_of(drawn, sd=0.3, rate=0.5), Free(), 1e-6)
    assert (found.model.law.width > 0.0) == width
    assert found.model.law.name == name
    assert found.normal.model.law.is_normal
    assert found.criterion >= criterion(found.normal, found.free) - 20.0
    if law == "normal":
        assert (found.free.sd, found.free.detection) == ("common", "common")


def test_deviations_and_probabilities_of_their_own_are_seen():
    drawn = draw(800, 2, sd=[0.2, 1.5, 0.6], seen=[0.9, 0.4, 0.9], rate=0.0)
    found = choose(drawn.passes(), model_of(drawn, rate=0.0), Free(rate=False), 1e-6)
    assert (found.free.sd, found.free.detection) == ("own", "own")
    np.testing.assert_allclose(found.model.sd, [0.2, 1.5, 0.6], rtol=0.15)
    np.testing.assert_allclose(found.model.detection, [0.9, 0.4, 0.9], atol=0.07)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_scale_of_a_law_is_fitted_to_residuals(seed):
    rng = np.random.default_rng(seed)
    residuals = binned(0.7 * rng.laplace(scale=0.5**0.5, size=5000), np.ones(5000))
    assert fitted_scale("laplace", residuals) == pytest.approx(0.7, rel=0.1)
    assert fitted_scale("", residuals) == pytest.approx(0.7, rel=0.1)


def test_of_very_many_sets_some_choose_the_law(monkeypatch):
    monkeypatch.setattr(law_choice, "MANY", 300)
    drawn = draw(900, 1, law="laplace", sd=0.3, rate=0.5)
    start = model_of(drawn, sd=0.3, rate=0.5)
    some = law_choice.choose_from_some(drawn.passes(3), 900, start, Free(), 1e-6)
    every = choose(drawn.passes(), start, Free(), 1e-6)
    assert not some.model.law.is_normal
    assert some.climbed.sums.count == some.normal.sums.count == 900
    np.testing.assert_allclose(some.model.theta, every.model.theta, atol=0.02)


@pytest.mark.parametrize("seed", [0, 1])
def test_how_constant_inputs_are(seed):
    """Rows that have a constant among them make one; numbers around zero do not, and those around m do by m over their size."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=4000)
    sets = rng.normal(size=(4000, 2))

    def share(inputs):
        return constant_part(in_memory(as_data(sets, inputs)))

    assert share(np.column_stack([x, 1.0 + x])) == pytest.approx(1.0)
    assert share(x) < 5 / np.sqrt(4000)
    assert share(2.0 + x) == pytest.approx(2.0 / np.sqrt(5.0), abs=0.03)


def test_a_mean_of_residuals_matters_where_inputs_have_a_constant_part():
    drawn = draw(400, 0, rate=0.0)
    model = replace(model_of(drawn, rate=0.0), law=begun(UnitLaw(), 0.5))
    sums = replace(set_sums(drawn.passes(), model, Free()), residuals=binned(np.full(400, 0.3), np.ones(400)))
    assert is_off(Climbed(model, sums, True))
    assert not is_off(Climbed(model, sums, True), 0.1)


@pytest.mark.parametrize("seed", [4, 10])
def test_lopsided_noise_among_false_readings_is_learned(seed):
    """Its long tail cannot be told from false readings, so that residuals seem to have a mean. Inputs around zero do not mind."""
    drawn = draw(800, seed, law="skewed", sd=0.1, rate=2.0)
    found = choose(drawn.passes(), model_of(drawn, sd=0.1, rate=2.0), Free(), 1e-6)
    assert found.model.law.width > 0.0
    assert found.climbed.converged
    assert ((found.model.theta - drawn.theta) ** 2).sum() < 0.5 * ((drawn.labeled - drawn.theta) ** 2).sum()
