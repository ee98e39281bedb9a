"""Standard errors grow where likelihoods fall more slowly than their curvature says, and only there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import vieta
from tests.answers.cases import data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.bent_regions import EXCLUDED, PLACES, profile_ends, regions, shared_out
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.quasi_counts import QuasiCounts
from vieta.quantiles import two_sided
from vieta.sums import in_memory

THETA = np.array([[-1.2], [1.2]])


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

    for side, one in zip((-1.0, 1.0), both, strict=True):
        exact = [crossing(side, level) for level in EXCLUDED]
        assert_allclose([one.near, one.far], exact, rtol=0.02)
    found = regions(in_memory(block), law, best, root).reach
    assert_allclose(found, [[[one.near / PLACES[0], one.far / PLACES[1]] for one in both]])


@pytest.mark.parametrize("seed", range(3))
def test_intervals_end_where_the_likelihood_of_a_labeled_system_excludes_values(seed):
    """Of a system with answers that are nearly all right, on both sides, at 95 and 99 %; they are not shorter than those of the curvature."""
    sets, psi, b = drawn("binary", 40, seed, np.array([[2.0]]))
    found, law, block = (
        vieta.fit(sets, psi, family="binary", offset=b),
        BinaryLikelihood(1, 1, "logit"),
        data(sets, psi, b),
    )
    best = climb(in_memory(block), law, found.theta.ravel(), np.eye(1))
    for level, excluded in zip((0.95, 0.99), EXCLUDED, strict=True):
        (below, above) = found.conf_int(level)[0, 0]
        drops = [best.height - law.sums(block, np.array([end])).likelihood for end in (below, above)]
        assert_allclose(drops, excluded, rtol=0.15)
        assert above - found.theta[0, 0] > 1.1 * (found.theta[0, 0] - below)
        assert above - below > 1.95 * two_sided(level) * best.sums.information[0, 0] ** -0.5
    assert_allclose(found.conf_int(1e-3).mean(), found.theta[0, 0], atol=1e-3)


def test_the_length_of_an_interval_is_in_its_standard_error_and_its_place_in_its_ends():
    times, reach = shared_out(np.array([[[0.9, 0.8], [1.3, 1.5]], [[0.7, 0.7], [0.9, 0.9]]]))
    assert_allclose(times, [np.sqrt((0.81 + 1.69) / 2.0), 1.0])
    assert_allclose(times[0] * reach[0], [[0.9, 0.8], [1.3, 1.5]])
    assert_allclose(np.square(reach[1, :, 0]).mean(), 1.0)


def test_equations_without_a_likelihood_are_left_alone():
    assert_allclose(regions(None, QuasiCounts(2, 3, 1.0), None, np.eye(3)).reach, np.ones((6, 2, 2)))


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Few answers, whose likelihood falls more slowly to one side. As far on both sides as on that, they would hold it too often."""
    held, wide, runs = 0, 0, 300
    for seed in range(runs):
        sets, psi, b = drawn("binary", 80, seed, THETA)
        found = vieta.fit(sets, psi, family="binary", offset=b)
        interval, away = found.conf_int(), abs(THETA - found.theta)
        held += ((interval[..., 0] < THETA) & (interval[..., 1] > THETA)).sum()
        wide += (away < abs(interval - found.theta[..., None]).max(axis=-1)).sum()
        for one in found.findings:
            if one.code == "intervals-widened":
                is_far = max(one.facts["times"], one.facts["far"]) > 2.0
                assert one.severity == ("caution" if is_far else "note")
    error = np.sqrt(2 * runs * 0.95 * 0.05)
    assert abs(held - 2 * runs * 0.95) < 3.0 * error
    assert wide > 2 * runs * 0.95 + 3.0 * error
