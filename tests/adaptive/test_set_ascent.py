"""Climbing the likelihood of incomplete sets."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import draw, model_of
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_sums import Free, moved, set_sums
from vieta.adaptive.sieve import UnitLaw, begun


@pytest.mark.parametrize("seed", [0, 1])
def test_it_ends_where_no_step_leads_uphill(seed):
    drawn = draw(500, seed, sd=1.0)
    start = replace(model_of(drawn, sd=2.0, seen=0.4), theta=drawn.theta + 0.5)
    found = climb(drawn.passes(), start, Free(), 1e-6)
    assert found.converged
    rng = np.random.default_rng(seed)
    for _ in range(6):
        step = 0.1 * rng.normal(size=6)
        other = set_sums(drawn.passes(), moved(found.model, step, Free()), Free())
        assert other.likelihood < found.sums.likelihood
    assert_allclose(found.model.theta, drawn.theta, atol=0.4)
    assert_allclose(found.model.sd, 1.0, atol=0.15)
    assert_allclose(found.model.detection, 0.7, atol=0.06)
    assert_allclose(found.model.rate, 1.0, atol=0.2)


def test_the_likelihood_never_falls_and_rows_do_not_run_away():
    """A superfluous system: plain scoring sends it to infinity."""
    drawn = draw(300, 3, theta=np.array([[-2.0], [5.0]]), rate=0.5)
    start = model_of(draw(300, 3, theta=np.array([[-2.0], [5.0], [5.1]]), rate=0.5))
    heights = [climb(drawn.passes(), start, Free("own", "own"), 1e-3, iterations=n).height for n in (0, 2, 5, 20)]
    assert np.all(np.diff(heights) >= -1e-6)
    found = climb(drawn.passes(), start, Free("own", "own"), 1e-3)
    assert abs(found.model.theta).max() < 50.0


def test_it_gives_up_where_the_goal_is_out_of_reach():
    drawn = draw(300, 1)
    model = replace(model_of(drawn), law=begun(UnitLaw(), 0.25))
    whole = climb(drawn.passes(), model, Free(), 1e-6)
    short = climb(drawn.passes(), model, Free(), 1e-6, goal=whole.height + 1e6)
    assert not short.converged
    assert short.height <= whole.height


def test_deviations_stay_above_the_floor():
    drawn = draw(100, 0, sd=1e-9, rate=0.0)
    found = climb(drawn.passes(), model_of(drawn, sd=1e-2, rate=0.0), Free(rate=False), 1e-3)
    assert found.model.sd.min() >= 1e-3
