"""What a filter of incomplete sets does when something happens, and that it does nothing when nothing does."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.adaptive.cases import draw
from vieta.adaptive import stream_changes, stream_scoring, stream_start, stream_state
from vieta.adaptive.stream_changes import is_risen, time_of_change, with_covariance
from vieta.adaptive.stream_scoring import LATELY, Settings, covariance


def theta(*values):
    return np.array(values, dtype=float)[:, None]


def codes(f):
    return {one.code for one in f.estimate().findings}


def after(seed, n, m, **later):
    """A filter after n sets of the usual systems and m others, and the first time at which it says something."""
    before, then = (
        draw(n, seed, sd=later.get("sd", 0.5), rate=1.0),
        draw(m, seed + 100, **{"sd": 0.5, "rate": 1.0, **later}),
    )
    f = vieta.SymmetricFilter(3, method="adaptive").partial_fit(before.sets, before.inputs)
    assert not codes(f)
    return f.partial_fit(then.sets, then.inputs)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_change_among_the_first_sets_starts_again_from_those_after_it(seed):
    f = after(seed, 512, 768, theta=theta(-2, 5.6, 8))
    found = f.estimate()
    assert f.changes == (512,)
    assert codes(f) == {"parameters-changed"}
    assert (abs(found.theta - theta(-2, 5.6, 8)) < 4.5 * found.stderr).all()
    assert_allclose(found.n_sets_effective, 768, rtol=0.4)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_system_that_jumps_is_found_where_it_is_now(seed):
    f = after(seed, 512, 640, theta=theta(-2, 2, 8), sd=0.1)
    found = f.estimate()
    assert len(f.changes) == 1
    assert abs(f.changes[0] - 512) < 150
    assert codes(f) == {"parameters-changed"}
    assert (abs(found.theta - theta(-2, 2, 8)) < 4.5 * found.stderr).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_system_that_goes_is_lost_and_none_is_made_of_clutter(seed):
    f = after(seed, 512, 1280, seen=np.array([0.7, 0.0, 0.7]))
    assert codes(f) == {"system-not-seen"}
    assert f.changes == ()
    assert not f._state.collecting


@pytest.mark.parametrize("seed", [0, 1])
def test_a_system_that_comes_is_suspected(seed):
    f = after(seed, 512, 1024, theta=theta(-2, 5, 8, -7))
    (found,) = (one for one in f.estimate().findings if one.code == "system-new")
    assert abs(float(found.facts["place"]) + 7.0) < 0.3
    assert found.facts["seen"] > 0.4
    assert "with 4 systems" in str(found)


def test_more_clutter_is_no_system():
    f = after(0, 512, 1280, rate=2.0)
    assert codes(f) == set()
    assert not f._state.collecting
    assert_allclose(f._state.usual[-1], 2.0, rtol=0.3)


def walk(seed, n, step):
    """Sets of systems that wander, and where they end."""
    rng = np.random.default_rng(seed)
    path = np.array([-2.0, 5.0, 8.0]) + np.cumsum(step * rng.normal(size=(n, 3)), axis=0)
    psi, sets = rng.normal(size=n), []
    for x, now in zip(psi, path, strict=True):
        y = (x * now + 0.5 * rng.normal(size=3))[rng.random(3) < 0.7]
        sets.append(np.concatenate([y, rng.uniform(-10.0, 10.0, size=rng.poisson(1.0))]))
    return sets, psi, path[-1][:, None]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_walk_is_estimated_and_followed(seed, tmp_path):
    sets, psi, end = walk(seed, 2400, 0.01)
    f, still = (vieta.SymmetricFilter(3, method="adaptive", **o) for o in ({"drift": "auto"}, {}))
    f.partial_fit(sets[:1500], psi[:1500]).save(tmp_path / "f")
    f = vieta.SymmetricFilter.load(tmp_path / "f").partial_fit(sets[1500:], psi[1500:])
    found = f.estimate()
    assert "parameters-wander" in codes(f)
    assert (np.sqrt(f._state.walk) / 0.01 > 0.4).all()
    assert (np.sqrt(f._state.walk) / 0.01 < 2.5).all()
    assert (abs(found.theta - end) < 4.5 * found.stderr).all()
    assert codes(still.partial_fit(sets, psi)) & {"parameters-wander", "parameters-changed"}


def test_the_information_that_gives_a_covariance():
    data = draw(256, 0).data
    state = stream_start.begun(
        Settings(), stream_state.init(data.part(0, 0)), stream_start.first_fit(Settings(), data), data
    )
    wanted = np.diag([0.1, 0.2, 0.3])
    grown = replace(state, information=with_covariance(state, wanted), walk=np.ones(3), correction=np.eye(3))
    assert_allclose(covariance(Settings(), grown)[1], wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_means_that_forget_rise_by_chance_less_than_is_told(seed):
    """The deviation of the number of false readings of late is that of a Poisson number; a rise by half of it at 2 is told."""
    rng = np.random.default_rng(seed)
    recent, worst, told = np.full(200, 2.0), 0.0, 0
    for k in range(4000):
        recent += LATELY * (rng.poisson(2.0 if k < 3500 else 3.0, size=200) - recent)
        if k < 3500:
            worst = max(worst, float(recent.max()))
    assert not is_risen(2.0, worst)
    told = sum(is_risen(2.0, one) for one in recent)
    assert told > 150


def test_the_time_of_a_loss_is_read_from_its_decay():
    state = stream_state.init(draw(1, 0).data)
    recent = 0.7 * (1.0 - LATELY) ** np.array([0, 200, 0])
    state = replace(state, count=1000, usual=np.array([0.7, 0.7, 0.7, 1.0]), recent=np.append(recent, 1.0))
    assert abs(time_of_change(state) - 800) <= 3
    assert_array_equal(stream_changes.what_changed(state), [0, 1, 0, 0])


def test_scores_are_freed_of_what_other_parameters_explain():
    data = draw(600, 1).data
    state = stream_start.begun(
        Settings(), stream_state.init(data.part(0, 0)), stream_start.first_fit(Settings(), data), data
    )
    _, _, scores = stream_scoring.summed(replace(state, information=np.zeros_like(state.information)), data)
    state = replace(state, information=scores.T @ scores)
    freed, products = stream_scoring.efficient(state, scores)
    others = (scores @ stream_scoring.sharing(3, 1, stream_state.free_of(state)))[:, 3:]
    assert_allclose(freed.T @ others, 0.0, atol=1e-6 * abs(scores.T @ scores).max())
    assert_allclose(products, freed.T @ freed)
