"""Climbs end where the score is zero, from anywhere, and as they do on labeled answers."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from tests.answers.cases import THETA as THREE
from tests.answers.cases import data, drawn
from vieta.answers.answer_climb import LONGEST, bounded, climb, held, is_near, promising, ridged
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.count import CountLikelihood
from vieta.sums import in_memory

THETA = np.array([[-1.0], [1.0]])


def test_a_climb_ends_at_the_maximum_from_anywhere():
    sets, psi, b = drawn("binary", 300, 0, THETA)
    passes, law = in_memory(data(sets, psi, b)), BinaryLikelihood(2, 1, "logit")
    ends = [climb(passes, law, np.array(start), np.eye(1)) for start in ([-0.3, 0.4], [5.0, -7.0], [0.0, 3.0])]
    best = minimize(lambda u: -passes.total(lambda block, _: law.sums(block, u)).likelihood, [-1.0, 1.0], tol=1e-10)
    for one in ends:
        assert one.converged
        assert_allclose(one.height, -best.fun, rtol=1e-10)
        assert_allclose(np.sort(one.u), np.sort(best.x), atol=1e-3)
        assert_allclose(one.sums.score, 0.0, atol=1e-2)


def test_far_from_the_top_steps_are_long_enough(monkeypatch):
    """Squares of scores of counts far from their means are far more than curvature."""
    rng = np.random.default_rng(0)
    psi = np.column_stack([np.ones(300), rng.standard_normal(300)])
    passes, law = (
        in_memory(data(rng.poisson(np.exp(psi @ [1.0, 0.5]))[:, None].astype(float), psi)),
        CountLikelihood(1, 2),
    )

    top = climb(passes, law, np.array([4.0, -1.0]), np.eye(2))
    assert top.converged
    assert_allclose(top.sums.score, 0.0, atol=1e-2)
    monkeypatch.setattr("vieta.answers.answer_climb.MOST_LONGER", 1.0)
    monkeypatch.setattr("vieta.answers.answer_climb.promising", ridged)
    assert not climb(passes, law, np.array([4.0, -1.0]), np.eye(2)).converged


def test_a_climb_that_falls_behind_is_given_up():
    sets, psi, b = drawn("binary", 300, 0, THETA)
    passes, law = in_memory(data(sets, psi, b)), BinaryLikelihood(2, 1, "logit")
    assert not climb(passes, law, np.array([0.0, 0.1]), np.eye(1), goal=1e9).converged


def test_steps_are_bounded_and_leave_out_what_nothing_is_known_of():
    sets, psi, b = drawn("binary", 50, 0, THETA)
    law = BinaryLikelihood(2, 1, "logit")
    sums = law.sums(data(sets, psi, b), np.array([-1.0, 1.0]))
    assert_allclose(ridged(sums, 0.0), np.linalg.solve(sums.information, sums.score), rtol=1e-6)
    sums.information[1, :], sums.information[:, 1] = 0.0, 0.0
    sums.score[1] = 0.0
    assert ridged(sums, 1e-3)[1] == 0.0
    assert_allclose(abs(bounded(law, np.array([8.0, 2.0]), 2.0 * np.eye(1))).max(), LONGEST / 2.0)


def test_a_place_is_near_the_top_along_the_unknowns_that_are_looked_at():
    sets, psi, b = drawn("binary", 300, 0, THETA)
    passes, law = in_memory(data(sets, psi, b)), BinaryLikelihood(2, 1, "logit")
    top = climb(passes, law, np.array([-1.0, 1.0]), np.eye(1))
    away = law.sums(data(sets, psi, b), top.u + np.array([0.0, 0.5]))
    away.score[0] = 0.0
    assert is_near(top.sums)
    assert not is_near(away)
    assert is_near(away, [1])
    assert is_near(away, [0, 1])


def test_information_with_labels_is_that_of_each_system_and_leads_where_it_promises_more():
    """Sums over sets of one system are with labels: at the truth its squares of scores have the same mean."""
    sets, psi, b = drawn("count", 4000, 0)
    law = CountLikelihood(3, 2)
    near, far = (law.sums(data(sets, psi, b), THREE.ravel() + away) for away in (0.0, 1.0))
    rates = np.exp(psi @ THREE.T + b[:, None])
    for l in range(3):
        own = slice(2 * l, 2 * l + 2)
        assert_allclose(near.labeled[own, own], (psi * rates[:, l, None]).T @ psi, rtol=1e-10)
    assert_allclose(near.labeled[:2, 2:], 0.0)
    assert_allclose(promising(near, 1e-9), ridged(near, 1e-9))
    assert promising(far, 1e-9) @ far.score > ridged(far, 1e-9) @ far.score


def test_an_unknown_that_is_held_does_not_move():
    sets, psi, b = drawn("count", 200, 0)
    sums = CountLikelihood(3, 2).sums(data(sets, psi, b), THREE.ravel() + 1.0)
    step = promising(held(sums, 2), 1e-3)
    assert step[2] == 0.0
    assert (np.delete(step, 2) != 0.0).all()
