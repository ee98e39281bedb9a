"""Means under inputs that repeat: the level of the test, a harmonic that is missing, and a solution that is not the right one."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import months
from vieta.adaptive.adaptive_fit import AdaptiveFit, what_is_free
from vieta.adaptive.law_choice import Chosen, criterion
from vieta.adaptive.level_misfit import LEVEL, against_levels, of_levels
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_survey import survey


def climbed(drawn, model):
    """A fit from some parameters on."""
    passes = drawn.passes()
    known = survey(passes)
    free = what_is_free(known, len(model.theta), None, None)
    found = climb(passes, model, free, 1e-6)
    return AdaptiveFit(Chosen(found, free, criterion(found, free), found), None, (), known)


def test_the_statistic_is_that_of_chance_at_the_truth():
    """Its mean is the number of degrees of freedom: 4 (12 - 7)."""
    found = []
    for seed in range(6):
        drawn, model = months(seed)
        found.append(against_levels(drawn.passes(), climbed(drawn, model)))
    assert {one.df for one in found} == {20}
    assert abs(np.mean([one.statistic for one in found]) - 20.0) < 4.0 * np.sqrt(40.0 / 6.0)
    assert min(one.p_value for one in found) > LEVEL


@pytest.mark.parametrize("seed", [0, 1])
def test_a_harmonic_that_is_missing_and_a_wrong_solution_are_found(seed):
    drawn, model = months(seed, unseen=2.0)
    [one] = of_levels(drawn.passes(), climbed(drawn, model))
    assert (one.code, one.facts["n_systems"]) == ("means-misfit", 4)
    drawn, model = months(seed)
    somewhere = replace(model, theta=10.0 * np.random.default_rng(seed + 50).normal(size=model.theta.shape))
    [one] = of_levels(drawn.passes(), climbed(drawn, somewhere))
    assert one.code == "means-misfit"


def test_nothing_is_compared_where_inputs_seldom_repeat_or_determine_their_means():
    drawn, model = months(0, n=72)
    assert against_levels(drawn.passes(), climbed(drawn, model)) is None
