"""Standard errors grow where likelihoods fall more slowly than their curvature says, and only there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import vieta
from tests.answers.cases import data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.bent_regions import EXCLUDED, PLACES, profile_ends, regions
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.quasi_counts import QuasiCounts
from vieta.sums import in_memory

THETA = np.array([[-1.2], [1.2]])
CLOSE = np.array([[-0.5], [0.7]])


def severities(found):
    return {one.code: one.severity for one in found.findings}


@pytest.mark.parametrize("family", ["binary", "count"])
def test_many_sets_make_a_quadratic(family):
    """More sets than it looks at."""
    sets, psi, b = drawn(family, 5000, 0, 0.7 * THETA)
    assert not {"intervals-short", "intervals-widened"} & set(severities(vieta.fit(sets, psi, family=family, offset=b)))


def test_ends_of_a_labeled_system_are_those_of_its_likelihood():
    """One system: the profile is the likelihood itself, and its ends are where that has fallen far enough, to the interpolation."""
    sets, psi, b = drawn("binary", 30, 0, THETA[:1])
    law, block, root = BinaryLikelihood(1, 1, "logit"), data(sets, psi, b), np.eye(1)
    best = climb(in_memory(block), law, np.zeros(1), root)
    error = best.sums.information[0, 0] ** -0.5
    (both,) = profile_ends(block, law, best, root)

    def crossing(side, level):
        def over(t):
            return best.height - law.sums(block, best.u + side * t * error).likelihood - level

        return brentq(over, 0.5, 9.0)

    for side, one in zip((1.0, -1.0), both, strict=True):
        exact = [max(crossing(side, level), place) for level, place in zip(EXCLUDED, PLACES, strict=False)]
        assert_allclose([one.near, one.far], exact, rtol=0.02)
    expected = max(one.near for one in both) / PLACES[0]
    assert_allclose(regions(in_memory(block), law, best, root).times, [expected])


def test_equations_without_a_likelihood_are_left_alone():
    assert_allclose(regions(None, QuasiCounts(2, 3, 1.0), None, np.eye(3)).times, np.ones(6))


def test_close_systems_have_longer_intervals_that_hold_the_truth_and_are_told():
    """Two abilities whose difference may be nothing: those of the curvature alone hold both in fewer runs, and too few."""
    held, shorter, runs = 0, 0, 60
    for seed in range(runs):
        sets, psi, b = drawn("binary", 150, seed, CLOSE)
        found = vieta.fit(sets, psi, family="binary", offset=b)
        law, block = BinaryLikelihood(2, 1, "logit"), data(sets, psi, b)
        best = climb(in_memory(block), law, found.theta.ravel(), np.eye(1))
        wide = regions(in_memory(block), law, best, np.eye(1))
        away = abs(found.theta - CLOSE)[:, 0] / found.stderr[:, 0]
        held += (away < 1.96).sum()
        shorter += (away * wide.times < 1.96).sum()
        for one in wide.findings:
            is_far = max(one.facts["times"], one.facts["far"]) > 2.0 if one.code == "intervals-widened" else True
            assert one.severity == ("caution" if is_far else "note")
    error = np.sqrt(2 * runs * 0.95 * 0.05)
    assert held > 2 * runs * 0.95 - 3.0 * error
    assert shorter < held
