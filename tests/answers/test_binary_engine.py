"""The filter of right and wrong answers: as good as the fit of all, however the stream is cut, and saved."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.answers.cases import drawn
from vieta.answers import binary_engine
from vieta.errors import InputError

THETA = np.array([[-1.2], [1.2]])


@pytest.fixture(autouse=True)
def _holds_few(monkeypatch):
    monkeypatch.setattr(binary_engine, "FIRST", 300)


def fed(sets, b, cuts, **options):
    stream = vieta.SymmetricFilter(2, family="binary", **options)
    for start, stop in zip([0, *cuts], [*cuts, len(sets)], strict=True):
        stream.partial_fit(sets[start:stop], offset=b[start:stop])
    return stream


def test_it_comes_near_to_the_fit_of_all_sets():
    sets, _, b = drawn("binary", 3000, 0, THETA)
    found, batch = fed(sets, b, []).estimate(), vieta.fit(sets, family="binary", offset=b)
    assert np.all(abs(found.theta - batch.theta) < 0.5 * batch.stderr)
    assert_allclose(found.stderr, batch.stderr, rtol=0.1)
    assert found.method == "binary"
    assert found.n_sets == 3000


def test_it_does_not_depend_on_how_a_stream_is_cut(tmp_path):
    sets, _, b = drawn("binary", 700, 1, THETA)
    whole = fed(sets, b, []).estimate()
    cut = fed(sets, b, [1, 299, 300, 555])
    assert_array_equal(cut.estimate().theta, whole.theta)
    assert_array_equal(cut.estimate().cov, whole.cov)
    for stop in (250, 600):
        part = fed(sets[:stop], b[:stop], [])
        part.save(tmp_path / "a.vieta")
        again = vieta.SymmetricFilter.load(tmp_path / "a.vieta").partial_fit(sets[stop:], offset=b[stop:])
        assert_array_equal(again.estimate().theta, whole.theta)
    single = fed(sets[:699], b[:699], []).update(sets[699], offset=b[699])
    assert_array_equal(single.estimate().theta, whole.theta)


def test_while_it_holds_sets_it_is_the_fit_of_these():
    sets, _, b = drawn("binary", 200, 0, THETA)
    found = fed(sets, b, [])
    assert_allclose(found.estimate().theta, vieta.fit(sets, family="binary", offset=b).theta, rtol=1e-9)
    assert np.isnan(found.trace(sets[:5], every=5).theta).all()


def test_a_memory_follows_a_change():
    before, _, b = drawn("binary", 1500, 0, THETA)
    after, _, c = drawn("binary", 3000, 1, THETA + 1.5)
    found = fed(np.concatenate([before, after]), np.concatenate([b, c]), [], memory=500).estimate()
    assert np.all(abs(found.theta - (THETA + 1.5)) < 4.5 * found.stderr)
    whole = fed(np.concatenate([before, after]), np.concatenate([b, c]), []).estimate()
    assert whole.stderr.max() < found.stderr.min()
    batch = vieta.fit(np.concatenate([before, after]), family="binary", offset=np.concatenate([b, c]), memory=500)
    assert_array_equal(batch.theta, found.theta)


def test_what_is_no_answer_is_refused_and_changes_nothing():
    sets, _, b = drawn("binary", 400, 0, THETA)
    stream = fed(sets, b, [])
    before = stream.estimate().theta
    with pytest.raises(InputError):
        stream.partial_fit([[0.0, 2.0]])
    assert_array_equal(stream.estimate().theta, before)
    with pytest.raises(InputError, match="needs all sets at once"):
        vieta.SymmetricFilter(2, family="count").partial_fit(sets)


def test_states_that_no_stream_leaves_are_refused():
    engine, stream = binary_engine.BinaryEngine, fed(*drawn("binary", 400, 0, THETA)[::2], [])
    assert isinstance(stream._engine, engine)
    from dataclasses import replace

    state = stream._state
    stream._engine.check(state)
    for wrong in (
        {"running": 2},
        {"count": 5},
        {"theta": np.full((2, 1), np.nan)},
        {"information": -np.eye(2)},
        {"held_sets": np.full((3, 2), 0.5), "held_rows": np.ones((3, 1)), "held_known": np.zeros(3)},
    ):
        with pytest.raises(InputError):
            stream._engine.check(replace(state, **wrong))
