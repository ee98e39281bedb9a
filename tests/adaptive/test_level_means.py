"""Where inputs repeat, means under each of them are starts, whatever was missed and whatever is false."""

from dataclasses import replace

import numpy as np
import pytest

import vieta
from tests.adaptive.cases import months
from vieta.adaptive.level_means import Levels, level_starts
from vieta.adaptive.set_sums import Free
from vieta.matching import match_rows

ALL = Free()


def off(theta, drawn):
    """The largest root mean square of differences of the means, in deviations of the noise."""
    own, true = theta @ drawn.inputs[:, 0].T, drawn.theta @ drawn.inputs[:, 0].T
    return np.sqrt(((own[match_rows(own, true, unit=1.0)] - true) ** 2).mean(axis=1)).max()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_means_under_each_input_and_parameters_that_make_them(seed):
    """Few sets are full and right, so that no search among full sets gets there."""
    drawn, model = months(seed)
    wrong = replace(model, theta=np.zeros_like(model.theta))
    levels = Levels.of(drawn.data)
    means = levels.means(wrong, ALL, 1e-6)
    true = np.sort(levels.rows @ drawn.theta.T, axis=1)
    assert np.sqrt(((np.sort(means.theta.T, axis=1) - true) ** 2).mean()) < 0.8
    assert off(level_starts(drawn.data, wrong, ALL, 1e-6)[0], drawn) < 1.0


@pytest.mark.parametrize("seed", [0, 3])
def test_months_with_missed_and_false_readings_are_fitted_right(seed):
    drawn, _ = months(seed)
    found = vieta.fit(drawn.sets, drawn.inputs, n_systems=4)
    assert off(found.theta, drawn) < 1.0


def test_means_of_their_own_are_likelier_than_the_truth():
    drawn, model = months(0)
    levels = Levels.of(drawn.data)
    means = levels.means(model, ALL, 1e-6)
    assert levels.height(means) > levels.height(replace(model, theta=model.theta @ levels.rows.T))
    assert means.detection[0] == pytest.approx(0.8, abs=0.1)
    assert means.rate == pytest.approx(1.0, abs=0.4)


def test_inputs_that_do_not_repeat_have_no_levels():
    drawn, _ = months(0, n=40)
    assert Levels.of(drawn.data) is None
    assert level_starts(drawn.data, months(0)[1], ALL, 1e-6) == []
