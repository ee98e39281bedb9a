"""Likelihoods that fall more slowly than their curvature says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.bent_regions import profile_drops
from vieta.answers.binary import BinaryLikelihood
from vieta.sums import in_memory

THETA = np.array([[-1.2], [1.2]])


def codes(found):
    return {one.code for one in found.findings}


@pytest.mark.parametrize("family", ["binary", "count"])
def test_many_sets_make_a_quadratic(family):
    """More sets than it looks at."""
    sets, psi, b = drawn(family, 5000, 0, 0.7 * THETA)
    assert "intervals-short" not in codes(vieta.fit(sets, psi, family=family, offset=b))


def test_drops_of_a_labeled_system_are_those_of_its_likelihood():
    """One system: the profile is the likelihood itself."""
    sets, psi, b = drawn("binary", 30, 0, THETA[:1])
    law, block, root = BinaryLikelihood(1, 1, "logit"), data(sets, psi, b), np.eye(1)
    best = climb(in_memory(block), law, np.zeros(1), root)
    drops = list(profile_drops(block, law, best, root))
    away = 2.5 / np.sqrt(best.sums.information[0, 0])
    exact = [best.height - law.sums(block, best.u + side * away).likelihood for side in (1.0, -1.0)]
    assert_allclose(drops, exact, rtol=1e-6)


def test_few_sets_that_bend_are_reported_and_their_intervals_are_short():
    """Close systems, whose difference may be nothing: intervals miss the truth too often, unless something is said."""
    close, silent, missed = np.array([[-0.5], [0.7]]), 0, 0
    for seed in range(30):
        sets, psi, b = drawn("binary", 150, seed, close)
        found = vieta.fit(sets, psi, family="binary", offset=b)
        if not codes(found) & {"intervals-short", "systems-coincide", "rival-solution", "answers-separated"}:
            interval = found.conf_int()[:, 0]
            silent += 1
            missed += bool((interval[:, 0] > close[:, 0]).any() or (interval[:, 1] < close[:, 0]).any())
    assert missed <= max(2, 0.2 * silent)
