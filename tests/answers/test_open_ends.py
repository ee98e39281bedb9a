"""Systems that go to infinity: the open end of an interval, exact where a system stands alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import data
from vieta.answers.answer_climb import climb
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.open_ends import find_ends
from vieta.sums import in_memory


def test_one_system_that_is_always_right_has_the_exact_limit():
    """With n right answers of n the probability is p^n: at the limit it is 0.05."""
    n = 40
    law, passes = BinaryLikelihood(1, 1, "logit"), in_memory(data(np.ones((n, 1)), None))
    best = climb(passes, law, np.zeros(1), np.eye(1))
    ends = find_ends(passes, law, best, np.eye(1))
    assert ends.systems == (0,)
    limit = ends.open_ends[0].limit(0.95)
    assert_allclose(n * np.log1p(np.exp(-limit)), -np.log(0.05), rtol=0.02)
    shown = ends.shown(best.u[:, None])[0, 0]
    assert_allclose(n * np.log1p(np.exp(-shown)), np.log(2.0), rtol=0.06)
    assert ends.fixed(1) == [0]


@pytest.mark.parametrize("side", [1, -1])
def test_the_interval_of_one_of_several_is_open_on_the_right_side(side):
    rng = np.random.default_rng(3)
    b = 1.5 * rng.standard_normal(500)
    sets = (rng.random((500, 2)) < 1.0 / (1.0 + np.exp(-b[:, None]))).astype(float)
    sets[:, 0] = side > 0
    found = vieta.fit(sets, family="binary", offset=b)
    assert [one.code for one in found.findings] == ["answers-separated"]
    end = 1 if side > 0 else 0
    interval = found.conf_int()
    assert np.isinf(interval[end, 0, end])
    assert np.isfinite(interval[end, 0, 1 - end])
    assert np.isinf(found.stderr[end, 0])
    assert abs(found.theta[1 - end, 0]) < 4 * found.stderr[1 - end, 0]
    wider = found.conf_int(0.99)[end, 0, 1 - end]
    assert side * wider < side * interval[end, 0, 1 - end]
    again = vieta.Estimate.from_dict(found.to_dict())
    assert_allclose(again.conf_int()[1 - end], interval[1 - end])
    assert "inf]" in found.summary() or "[-inf" in found.summary()


def test_a_combination_of_parameters_may_go_while_the_others_stay():
    """One group of sets in which a system is always right: its level there has no bound, its level in the other group has."""
    rng = np.random.default_rng(5)
    psi = np.column_stack([np.eye(2)[np.arange(300) % 2], rng.standard_normal(300)])
    theta = np.array([[-1.0, 0.5, 0.3], [50.0, -0.5, -1.0]])
    b = rng.standard_normal(300)
    sets = (rng.random((300, 2)) < 1.0 / (1.0 + np.exp(-psi @ theta.T - b[:, None]))).astype(float)
    found = vieta.fit(sets, psi, family="binary", offset=b)
    gone = ~np.isfinite(found.stderr)
    assert gone.sum() == 1
    assert gone[:, 0].any()
    assert "answers-separated-by-inputs" in [one.code for one in found.findings]
    assert "not-converged" not in [one.code for one in found.findings]


def test_all_parameters_may_go():
    found = vieta.fit([[0.0, 1.0, 1.0]], family="binary", offset=[0.3])
    assert not np.isfinite(found.stderr).any()
    assert "answers-separated" in {one.code for one in found.findings}


def test_a_system_that_may_change_places_with_the_next_has_no_bound():
    """Two of three are always right, in so few sets that one of them may be as able as the third."""
    sets = np.array([[0, 1, 1]] * 3 + [[1, 1, 1]] * 3, dtype=float)
    found = vieta.fit(sets, family="binary", offset=[0.1, -0.2, 0.3, -0.1, 0.2, 0.0])
    assert "answers-unbounded" in {one.code for one in found.findings}
    assert np.isneginf(found.conf_int()[2, 0, 0])
