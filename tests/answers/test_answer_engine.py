"""Filters of answers: as good as the fit of all, however the stream is cut, and saved."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

import vieta
from tests.answers.cases import drawn
from vieta.answers import answer_engine
from vieta.errors import InputError

THETA = np.array([[-1.2], [1.2]])


@pytest.fixture(autouse=True)
def _holds_few(monkeypatch):
    monkeypatch.setattr(answer_engine, "FIRST", 300)


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


@pytest.mark.parametrize("family", ["ordinal", "count", "rounded"])
def test_other_families_come_near_to_the_fit_of_all_sets_however_cut_and_saved(family, tmp_path):
    sets, psi, b = drawn(family, 1100, 0, 1.5 * THETA)
    whole = vieta.SymmetricFilter(2, family=family).partial_fit(sets, psi[:, 0], offset=b)
    found, batch = whole.estimate(), vieta.fit(sets, psi[:, 0], family=family, offset=b)
    assert np.all(abs(found.theta - batch.theta) < 0.5 * batch.stderr)
    assert_allclose(found.stderr, batch.stderr, rtol=0.1)
    assert_allclose(found.answers.values, batch.answers.values, rtol=0.1)
    stream = vieta.SymmetricFilter(2, family=family)
    for start, stop in ((0, 290), (290, 305), (305, 700)):
        stream.partial_fit(sets[start:stop], psi[start:stop, 0], offset=b[start:stop])
        stream.save(tmp_path / "a.vieta")
        stream = vieta.SymmetricFilter.load(tmp_path / "a.vieta")
    stream.partial_fit(sets[700:], psi[700:, 0], offset=b[700:])
    assert_array_equal(stream.estimate().theta, found.theta)
    assert_array_equal(stream.estimate().cov, found.cov)
    assert stream.estimate().to_dict()["findings"] == found.to_dict()["findings"]


def test_a_change_is_reported_and_none_where_there_is_none():
    before, _, b = drawn("binary", 1500, 0, THETA)
    after, _, c = drawn("binary", 1500, 1, THETA + 1.5)
    calm = fed(before, b, [])
    assert calm.changes == ()
    found = fed(np.concatenate([before, after]), np.concatenate([b, c]), [])
    assert len(found.changes) == 1
    assert 1300 < found.changes[0] < 2200
    assert "answers-changed" in {one.code for one in found.estimate().findings}


def test_a_start_is_put_off_while_a_system_goes_to_infinity_and_said_when_it_is_made():
    rng = np.random.default_rng(0)
    b = rng.standard_normal(1300)
    sets = np.column_stack([rng.random(1300) < 1.0 / (1.0 + np.exp(-b)), np.ones(1300)]).astype(float)
    stream = fed(sets[:700], b[:700], [])
    assert np.isinf(stream.estimate().conf_int()).any()  # still the fit of all that it holds
    codes = {one.code for one in fed(sets, b, []).estimate().findings}
    assert {"answers-separated", "findings-of-first-sets"} <= codes


def test_answers_that_the_law_of_the_start_does_not_know_are_refused():
    sets, _, b = drawn("ordinal", 600, 0, THETA)
    stream = vieta.SymmetricFilter(2, family="ordinal").partial_fit(sets, offset=b)
    with pytest.raises(InputError, match="no threshold"):
        stream.partial_fit([[1.0, 9.0]])
    values, _, b = drawn("rounded", 600, 0, THETA)
    stream = vieta.SymmetricFilter(2, family="rounded").partial_fit(values, offset=b)
    with pytest.raises(InputError, match="whole number of steps"):
        stream.partial_fit([[1.0, 0.3]])
    assert stream.n_sets == 600


def test_states_that_no_stream_leaves_are_refused():
    stream = fed(*drawn("binary", 400, 0, THETA)[::2], [])
    assert isinstance(stream._engine, answer_engine.AnswerEngine)
    state, n = stream._state, len(stream._state.held_sets)
    stream._engine.check(state)
    for wrong in (
        {"running": 500},
        {"count": 5},
        {"unknowns": np.zeros(3)},
        {"information": -np.eye(2).ravel()},
        {"law": np.ones(1)},
        {"said": np.frombuffer(b"[1]", dtype=np.uint8)},
        {"said": np.frombuffer(b'[{"code": "rival-solution", "severity": "note", "facts": {}}]', dtype=np.uint8)},
        {"held_sets": np.full((n, 2), 0.5)},
        {"held_known": np.zeros(n + 1)},
    ):
        with pytest.raises(InputError):
            stream._engine.check(replace(state, **wrong))


@pytest.mark.parametrize("side", [1, -1])
def test_a_system_that_is_always_right_keeps_its_open_interval_in_a_stream(side):
    rng = np.random.default_rng(3)
    n = 5200
    b = 1.5 * rng.standard_normal(n)
    sets = (rng.random((n, 2)) < 1.0 / (1.0 + np.exp(-b[:, None]))).astype(float)
    sets[:, 0] = side > 0
    found = vieta.SymmetricFilter(2, family="binary").partial_fit(sets, offset=b).estimate()
    end = 1 if side > 0 else 0
    interval = found.conf_int()[:, 0]
    assert np.isinf(interval[end, end])
    assert np.isfinite(interval[end, 1 - end])
    assert np.isfinite(interval[1 - end]).all()
    assert "answers-changed" not in {one.code for one in found.findings}
    assert "answers-separated" in {one.code for one in found.findings}


@pytest.mark.parametrize("seed", range(6))
def test_a_trend_is_no_change_and_a_jump_is_one(seed, monkeypatch):
    """The first sets tell little of where a trend leads to, and what happens there is hardly ever answered otherwise."""
    monkeypatch.setattr(answer_engine, "FIRST", 1024)
    psi, theta = np.column_stack([np.ones(3000), np.linspace(0.0, 1.0, 3000)]), np.array([[-4.8, 4.5], [1.4, -3.9]])
    rng = np.random.default_rng(seed)
    for jump, expected in ((0.0, False), (2.5, True)):
        chance = expit(psi @ theta.T + np.where(np.arange(3000) > 2000, jump, 0.0)[:, None])
        sets = (rng.random((3000, 2)) < chance).astype(float)
        found = vieta.SymmetricFilter(2, 2, family="binary").partial_fit(sets, psi).estimate()
        assert ("answers-changed" in {one.code for one in found.findings}) is expected
