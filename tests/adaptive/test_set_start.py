"""Models to begin from."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import draw, model_of
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_start import distance, guess, rearranged, starts
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import survey
from vieta.matching import match_rows

CROSSING = np.array([[0.0, 4.0], [1.0, -3.0], [-2.0, 0.5]])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_likeliest_is_near_the_truth(seed):
    drawn = draw(300, seed, sd=1.0, rate=2.0)
    found = starts(drawn.passes(), survey(drawn.passes()), 3, Free(), 1e-6)
    best = found[0].model
    assert abs(best.theta[match_rows(best.theta, drawn.theta)] - drawn.theta).max() < 1.0
    heights = [one.height for one in found]
    assert heights == sorted(heights, reverse=True)


def test_a_pair_that_is_entangled_is_found_again():
    drawn = draw(300, 0, theta=CROSSING, rate=0.3)
    model = model_of(drawn, rate=0.3)
    wrong = model.theta.copy()
    wrong[:2] = [[0.5, 3.5], [0.5, 3.4]]
    free = Free("own")
    now = climb(drawn.passes(), replace(model, theta=wrong, sd=np.full(3, 2.0)), free, 1e-6, 25, 0.05)
    better = max(rearranged(drawn.data, now, free, 1e-6, 0.7), key=lambda one: one.height)
    assert better.height >= now.height
    theta = better.model.theta
    assert abs(theta[match_rows(theta, CROSSING)] - CROSSING).max() < 0.5


def test_distances_are_in_deviations():
    drawn = draw(400, 0)
    model = model_of(drawn)
    far = replace(model, theta=model.theta + np.array([[0.0], [0.0], [1.0]]))
    size = np.sqrt((drawn.inputs**2).mean())
    gram = np.array([[size**2]])
    assert distance(model, far, gram) == pytest.approx(2.0 * size, rel=1e-6)
    assert distance(model, model.reordered(np.array([2, 0, 1])), gram) == pytest.approx(0.0)


def test_the_rough_probability_of_being_seen():
    drawn = draw(400, 0, rate=0.0)
    known = survey(drawn.passes())
    assert guess(known, 3, Free(rate=False)) == pytest.approx(known.mean_size / 3)
    assert guess(known, 3, Free(detection="none")) > 0.999
