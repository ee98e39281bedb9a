"""Which law, and what is common."""

import numpy as np
import pytest

from tests.adaptive.cases import draw, model_of
from vieta.adaptive import law_choice
from vieta.adaptive.law_choice import choose, criterion, fitted_scale
from vieta.adaptive.set_sums import Free
from vieta.adaptive.sieve import binned


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
