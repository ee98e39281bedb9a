"""How many systems there are."""

import numpy as np
import pytest

import vieta
from tests.adaptive.cases import THETA, draw, model_of
from vieta.adaptive.adaptive_fit import fit_counted
from vieta.adaptive.set_sums import Free
from vieta.adaptive.set_survey import survey
from vieta.adaptive.system_count import Counted, grown, of_size


@pytest.mark.parametrize(("theta", "rate", "seed"), [(THETA, 1.0, 0), (THETA[:2], 0.0, 0), (THETA[:2], 0.0, 1)])
def test_the_number_is_found(theta, rate, seed):
    drawn = draw(250, seed, theta=theta, rate=rate)
    estimate = vieta.fit(drawn.sets, drawn.inputs)
    assert len(estimate.theta) == len(theta)
    [found] = [one for one in estimate.findings if one.code.startswith("number-")]
    assert found.facts["chosen"] == len(theta)
    assert found.code == ("number-chosen" if found.facts["margin"] >= 6.0 else "number-unsure")


def test_too_few_sets_do_not_tell():
    drawn = draw(12, 0, sd=2.0, rate=1.0)
    _, counted = fit_counted(of_size(drawn.passes(), 0))
    assert counted.margin < 12.0
    assert len(counted.criteria) >= 2


def test_the_missing_system_is_found_among_what_is_false():
    drawn = draw(400, 2, rate=0.5)
    two = model_of(drawn)
    two = two.reordered(np.array([0, 1]))
    more = grown(of_size(drawn.passes(), 2), survey(drawn.passes()), two, Free())
    assert more.theta.shape == (3, 1)
    assert abs(more.theta[2, 0] - THETA[2, 0]) < 0.5


def test_margins():
    counted = Counted({1: -50.0, 2: -10.0, 3: -14.0})
    assert (counted.best, counted.second, counted.margin, counted.is_done) == (2, 3, 4.0, False)
    assert Counted({1: 0.0, 2: -1.0, 3: -2.0}).is_done
    assert Counted({1: 0.0}).margin == np.inf
