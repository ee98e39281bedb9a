"""Sets drawn from a model: their moments, and what added noise does to them."""

import numpy as np
import pytest

from vieta.adaptive.clutter_density import ClutterDensity, flat_density
from vieta.adaptive.set_model import LEAST, SetModel
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.adaptive.sieve import NAMED, UnitLaw, begun
from vieta.anonymity.incomplete_sets import can_add, draw_clutter, draw_sets, draw_unit, spread_out, with_noise

STEPS = ClutterDensity(np.array([-1.0]), np.array([0.5]), np.array([[0.2, 0.6, 1.0, 0.2]]))


def model(p=1, sd=(0.5, 0.5), seen=0.7, rate=1.0, law=None):
    theta = np.arange(2.0 * p).reshape(2, p) * 3.0
    shape = np.eye(p) + 0.5 * (np.ones((p, p)) - np.eye(p))
    clutter = flat_density(np.full(p, -10.0), np.full(p, 10.0), 1000)
    return SetModel(theta, np.array(sd), shape, np.full(2, seen), rate, clutter, law or UnitLaw())


@pytest.mark.parametrize("name", ["", *NAMED, "sieve"])
def test_numbers_of_a_law(name):
    law = begun(UnitLaw(), 0.5) if name == "sieve" else UnitLaw(name=name)
    u = draw_unit(law, np.random.default_rng(0), (40_000,))
    size = np.sqrt(law.variance)
    assert abs(np.median(u)) < 0.03
    inside = np.linspace(-1.0, 1.0, 2001)
    share = np.exp(law.evaluate(inside)[0]).mean() * 2.0
    assert abs((abs(u) < 1.0).mean() - share) < 5.0 * np.sqrt(0.25 / 40_000) + 1e-3
    assert 0.5 * size < u.std() < 2.0 * size


def test_false_readings_have_their_density():
    y = draw_clutter(STEPS, np.random.default_rng(1), 20_000)[:, 0]
    counts, _ = np.histogram(y, bins=[-1.0, -0.5, 0.0, 0.5, 1.0])
    expected = 20_000 * np.array([0.1, 0.3, 0.5, 0.1])
    assert ((counts - expected) ** 2 / expected).sum() < 20.0


@pytest.mark.parametrize("p", [1, 2])
def test_drawn_sets(p):
    made = model(p, sd=(0.1, 0.1))
    data = draw_sets(made, np.ones(8000), np.random.default_rng(2))
    v = 2 * 0.21 + 1.0
    assert abs(data.sizes.mean() - 2.4) < 5.0 * np.sqrt(v / 8000)
    clean = draw_sets(model(p, sd=(0.1, 0.1), rate=LEAST), np.ones(8000), np.random.default_rng(2)).readings
    near = clean[(abs(clean - made.theta[1]) < 1.0).all(axis=1)]
    assert np.allclose(np.cov(near.T).reshape(p, p), 0.01 * made.shape, atol=1e-3)
    whole = draw_sets(model(p, seen=MOST_SEEN, rate=LEAST), np.ones(50), np.random.default_rng(3))
    assert (whole.sizes == 2).all()


def test_noise_that_is_added():
    made = model(2)
    more = with_noise(made, 1.0)
    assert np.allclose(more.sd[0] ** 2 * more.shape, 0.25 * made.shape + np.eye(2))
    assert with_noise(made, 0.0) is made
    assert with_noise(model(1, sd=(0.3, 0.4)), 1.2).sd == pytest.approx(np.sqrt([0.09 + 1.44, 0.16 + 1.44]))


def test_false_readings_with_noise():
    found = spread_out(STEPS, 0.7)
    share = found.heights[0] * found.width[0]
    edges = found.low[0] + found.width[0] * np.arange(5)
    rng = np.random.default_rng(4)
    y = draw_clutter(STEPS, rng, 200_000)[:, 0] + 0.7 * rng.standard_normal(200_000)
    assert share == pytest.approx(np.histogram(y, bins=edges)[0] / 200_000, abs=0.01)
    assert share.sum() == pytest.approx(1.0)


def test_what_noise_can_be_added_to():
    assert can_add(model(1, sd=(0.1, 2.0)))
    assert can_add(model(2))
    assert not can_add(model(2, sd=(0.1, 2.0)))
    assert not can_add(model(1, law=UnitLaw(name="laplace")))
