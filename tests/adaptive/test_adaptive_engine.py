"""The filter of incomplete sets: any cut, any pause, sets of any size, near the batch estimate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.adaptive.cases import TRACKS, draw
from vieta.estimators.storage import flatten


def assert_same(a, b):
    one, other = flatten(a._state), flatten(b._state)
    assert one.keys() == other.keys()
    for name in one:
        assert_array_equal(one[name], other[name], err_msg=name, strict=True)
    assert_array_equal(a.estimate().theta, b.estimate().theta)
    assert_array_equal(a.estimate().cov, b.estimate().cov)


@pytest.mark.parametrize("options", [{}, {"memory": 300.0}, {"drift": 1e-6}, {"drift": "auto"}], ids=str)
def test_any_cut_and_any_pause_gives_the_same_bits(options, tmp_path):
    """With a system that jumps: the filter holds its first sets, runs, collects, and starts again."""
    before, after = draw(520, 1, sd=0.1), draw(600, 2, sd=0.1, theta=np.array([[-2.0], [2.0], [8.0]]))
    sets, inputs = [*before.sets, *after.sets], np.concatenate([before.inputs, after.inputs])
    whole, cut = (vieta.SymmetricFilter(3, method="adaptive", **options) for _ in range(2))
    whole.partial_fit(sets, inputs)
    assert len(whole.changes) == 1
    rng, at = np.random.default_rng(0), 0
    while at < len(sets):
        size = int(rng.integers(1, 150))
        cut.partial_fit(sets[at : at + size], inputs[at : at + size])
        at += size
        cut.save(tmp_path / "f")
        cut = vieta.SymmetricFilter.load(tmp_path / "f")
    assert_same(whole, cut)


def test_one_set_after_another_is_all_at_once_and_empty_sets_count():
    drawn = draw(300, 2, rate=0.3, seen=0.6)
    assert min(len(one) for one in drawn.sets) == 0
    whole, single = (vieta.SymmetricFilter(3, method="adaptive") for _ in range(2))
    whole.partial_fit(drawn.sets, drawn.inputs)
    for y, psi in zip(drawn.sets, drawn.inputs, strict=True):
        single.update(y, psi)
    assert single.n_sets == 300
    assert_same(whole, single)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_it_stays_near_the_batch_estimate_after_it_holds_no_more_sets(seed, law, monkeypatch):
    drawn = draw(2500, seed, sd=1.0, rate=2.0, law=law)
    for module in ("adaptive_engine", "stream_start", "stream_state"):
        monkeypatch.setattr(f"vieta.adaptive.{module}.MOST", 1024)
    f = vieta.SymmetricFilter(3, method="adaptive").partial_fit(drawn.sets, drawn.inputs)
    online, batch = f.estimate(), vieta.fit(drawn.sets, drawn.inputs, n_systems=3)
    assert not f._state.refining
    assert (abs(online.theta - batch.theta) < 0.7 * batch.stderr).all()
    assert_allclose(online.stderr, batch.stderr, rtol=0.2)
    assert_allclose(online.readings.detection, batch.readings.detection, atol=0.02)
    assert_allclose(online.readings.clutter_rate, batch.readings.clutter_rate, rtol=0.05)
    assert (abs(online.theta - drawn.theta) < 4.0 * online.stderr).all()


def test_points_that_move_in_the_plane():
    drawn = draw(400, 3, theta=TRACKS, tracks=True)
    order = np.random.default_rng(0).permutation(400)
    sets = [drawn.sets[k] for k in order]
    f = vieta.SymmetricFilter(2, 4, method="adaptive").partial_fit(sets, drawn.inputs[order])
    found = f.estimate()
    assert (abs(found.theta - drawn.theta) < 4.5 * found.stderr).all()
    f.update(np.empty((0, 2)), drawn.inputs[0])
    assert f.n_sets == 401


@pytest.mark.parametrize("seed", [0, 1])
def test_a_memory_follows_parameters_that_moved(seed):
    before, after = draw(600, seed), draw(1500, seed + 10, theta=np.array([[-2.0], [5.6], [8.0]]))
    f = vieta.SymmetricFilter(3, method="adaptive", memory=150.0)
    f.partial_fit(before.sets, before.inputs).partial_fit(after.sets, after.inputs)
    found = f.estimate()
    assert (abs(found.theta - after.theta) < 4.5 * found.stderr).all()


def test_sizes_that_were_excluded_are_refused_and_nothing_changes():
    f = vieta.SymmetricFilter(2, method="adaptive", misses=False)
    f.partial_fit([[1.0, 2.0], [1.0, 2.0, 3.0]], [1.0, 2.0])
    with pytest.raises(vieta.errors.IncompleteSetsError, match=r"sets\[1\] has 1 reading.*misses=False"):
        f.partial_fit([[1.0, 2.0], [1.0]], [1.0, 2.0])
    g = vieta.SymmetricFilter(2, method="adaptive", clutter=False).partial_fit([[1.0, 2.0], [1.0]], [1.0, 2.0])
    with pytest.raises(vieta.errors.IncompleteSetsError, match=r"sets\[0\] has 3 readings.*clutter=False"):
        g.update([1.0, 2.0, 3.0], 1.0)
    assert (f.n_sets, g.n_sets) == (2, 2)


@pytest.mark.parametrize("n", [100, 600])
def test_inputs_that_cannot_pair_are_refused_as_in_a_batch(n):
    """Levels and jumps under a group can be exchanged, whatever is missed or false."""
    drawn = draw(n, 3, theta=np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]]), sd=0.1)
    rng = np.random.default_rng(0)
    inputs = np.column_stack([np.ones(n), rng.integers(0, 2, n)])
    f = vieta.SymmetricFilter(3, dim=2, method="adaptive").partial_fit(drawn.sets, inputs)
    with pytest.raises(vieta.NotIdentifiableError, match="same system"):
        f.estimate()
    assert f.n_sets == n
