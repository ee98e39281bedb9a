"""What the first sets say of themselves: a shock, residuals that are too large, and nothing where all is well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.weighted.shocks import draw
from vieta.sets import as_data
from vieta.weighted import solve
from vieta.weighted.first_sets import COLUMN, CONSTANT, INPUT, REPEATED, RESIDUAL, UNKNOWABLE, examined, of_verdict

THETA = [[1.0], [3.0], [6.0]]
SHARED = {"dependent-noise", "common-shock", "shock-not-common"}


def codes(sets, rows):
    estimate = vieta.SymmetricFilter(sets.shape[1], rows.shape[1]).partial_fit(np.sort(sets, axis=1), rows).estimate()
    return {one.code for one in estimate.findings}


@pytest.mark.parametrize("seed", range(3))
def test_a_shock_is_told_from_independent_noise(seed):
    for correlation in (0.0, 0.4):
        sets, rows, _ = draw(THETA, 0.4, correlation, 1000, seed)
        found = examined(as_data(sets, rows), "auto")
        assert (found.shared is not None) is (correlation > 0.0)
        assert not found.verdict.any()
        assert examined(as_data(sets, rows), "none").shared is None
        assert examined(as_data(sets, rows), "auto", cap=2.0).shared is None  # bounded influence


@pytest.mark.parametrize("shared", [1.6, 2.0])
@pytest.mark.parametrize("seed", range(3, 6))
def test_a_stream_says_that_only_some_systems_share_a_shock(seed, shared):
    rng = np.random.default_rng(seed)
    phase = 2.0 * np.pi * np.arange(2500) / 12.0
    rows = np.stack([np.ones(2500), np.cos(phase), np.sin(phase)], axis=1)
    theta = np.array([[5.7, -0.4, 2.1], [-1.5, -0.9, 0.4], [-0.5, 1.4, -2.6], [-10.6, 1.5, -0.6], [-6.7, 0.8, -3.3]])
    clean = rows @ theta.T + 2.0 * rng.normal(size=(2500, 5))
    shock = shared * rng.normal(size=(2500, 1)) * [1.0, 1.0, 0.0, 0.0, 0.0]
    assert not SHARED & codes(clean, rows)
    assert SHARED & codes(clean + shock, rows)


@pytest.mark.parametrize("seed", range(2))
def test_one_system_too_few_is_noticed(seed):
    sets, rows, _ = draw([*THETA, [-4.0]], 0.5, 0.0, 500, seed)
    verdict = examined(as_data(sets[:, :3], rows), "none").verdict
    assert abs(verdict[INPUT]) > 4.5
    assert "noise-depends-on-input" in [one.code for one in of_verdict(verdict)]


def test_residuals_that_the_noise_of_the_sums_does_not_explain_are_noticed():
    rng = np.random.default_rng(0)
    apart = 3.0 + rng.normal(size=600)
    sets = np.column_stack([apart, -apart]) + 0.1 * rng.normal(size=(600, 2))
    verdict = examined(as_data(sets, None), "none").verdict
    assert verdict[RESIDUAL] > 10.0


def test_parameters_that_the_sets_certify_need_no_search(monkeypatch):
    sets, rows, _ = draw(THETA, 0.005, 0.005, 1000, 0)
    searched = examined(as_data(sets, rows), "auto")
    near = np.array(THETA) + 1e-3
    with monkeypatch.context() as without:
        without.setattr(solve, "find_start", None)
        assert examined(as_data(sets, rows), "none", near=near).shared is None
    for start in (near, np.array(THETA) + 2.0):  # the second of which is searched for
        again = examined(as_data(sets, rows), "auto", near=start)
        assert_allclose(again.fit.theta, searched.fit.theta, atol=0.02 * np.sqrt(again.fit.cov[0, 0]))


def test_where_it_is_in_doubt_whose_readings_are_whose_there_is_a_search(monkeypatch):
    sets, rows, _ = draw(THETA, 0.4, 0.4, 1000, 0)
    monkeypatch.setattr(solve, "find_start", None)
    with pytest.raises(TypeError):
        examined(as_data(sets, rows), "none", near=np.array(THETA) + 0.05)


def test_sets_that_tell_nothing_are_no_error():
    found = examined(as_data(np.zeros((100, 2)), np.zeros(100)), "auto")
    assert found.shared is None
    assert not found.verdict.any()


def test_a_verdict_in_words():
    assert of_verdict(np.zeros(8)) == ()
    verdict = np.zeros(8)
    for place, code in (
        (RESIDUAL, "not-certified"),
        (INPUT, "noise-depends-on-input"),
        (UNKNOWABLE, "shock-unknowable"),
        (REPEATED, "readings-repeated"),
        (COLUMN, "input-errors"),
        (CONSTANT, "constant-missing"),
    ):
        verdict[:] = 0.0
        verdict[place] = 1.0
        assert [one.code for one in of_verdict(verdict)] == [code]


@pytest.mark.parametrize("seed", range(2))
def test_a_filter_keeps_in_mind_what_its_first_sets_say_of_inputs_and_repeated_readings(seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(2500), rng.normal(size=2500)])
    readings = rows @ np.array([[1.0, 4.0, 8.0], [2.0, -1.0, 1.0]]) + 0.5 * rng.normal(size=(2500, 3))
    wrong, twice = rows.copy(), rng.permuted(readings, axis=1)
    wrong[:, 1] += 0.3 * rng.normal(size=2500)
    twice[::20, 0] = twice[::20, 1]
    told = []
    for sets, inputs in ((readings, rows), (readings, wrong), (twice, rows)):
        found = vieta.SymmetricFilter(3, 2).partial_fit(rng.permuted(sets, axis=1), inputs).estimate()
        told.append({one.code for one in found.findings})
    assert told[0] == set()
    assert "input-errors" in told[1]
    assert "readings-repeated" in told[2]
