"""Systems made of false readings: named where one is, and not where a rare system is real."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import THETA, draw, model_of
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.spare_system import loss, of_spare_systems, suspects, without
from vieta.sums import in_memory


def test_who_is_suspected():
    drawn = draw(50, 0)
    assert len(suspects(model_of(drawn))) == 0
    assert suspects(model_of(drawn, seen=[0.9, 0.1, 0.8])).tolist() == [1]
    assert suspects(model_of(drawn, seen=[0.9, 0.1, 0.8], sd=[1.5, 0.5, 0.5])).tolist() == [1, 0]


def test_without_a_system_its_readings_are_false():
    left = without(model_of(draw(50, 0)), 1)
    assert np.array_equal(left.theta, THETA[[0, 2]])
    assert left.rate == pytest.approx(1.7)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_third_system_where_there_are_two(seed):
    drawn = draw(400, seed, theta=THETA[:2], seen=0.9, rate=1.0)
    passes = in_memory(replace(drawn.data, size=3))
    found = fit(passes)
    told = of_spare_systems(passes, found)
    assert {one.code for one in told} == {"system-not-shown"}
    assert max(one.facts["margin"] for one in told) < 6.0


def test_a_rare_system_that_is_real():
    drawn = draw(800, 3, seen=[0.9, 0.9, 0.2], rate=1.0)
    found = fit(drawn.passes())
    rare = int(found.chosen.model.theta[:, 0].argmax())
    assert suspects(found.chosen.model).tolist() == [rare]
    assert loss(drawn.passes(), found, rare) > 20.0
    assert of_spare_systems(drawn.passes(), found) == ()
