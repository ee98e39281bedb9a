"""Filters made into one by their information: against one filter over all sets, with the test that refuses others."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.weighted.cases import follow
from vieta.errors import InputError
from vieta.sets import as_data
from vieta.weighted import record, tracker
from vieta.weighted.fused_state import joint, joint_record, permuted
from vieta.weighted.weighted_engine import WeightedEngine

THETA = np.array([[-2.0, 1.0], [5.0, 0.0], [8.0, -3.0]])


def draw(n, seed, theta=THETA, spread=1.0, memory=0.0):
    rng = np.random.default_rng(seed)
    psi = 1.0 + 0.1 * rng.random((n, 1)) if theta.shape[1] == 1 else rng.standard_normal((n, theta.shape[1]))
    noise = spread * rng.standard_normal((n, len(theta)))
    for k in range(1, n) if memory else ():
        noise[k] += memory * noise[k - 1]
    return (psi @ theta.T + noise)[:, rng.permutation(len(theta))], psi


def engine_and_states(parts, **settings):
    data = [as_data(sets, psi) for sets, psi in parts]
    engine = WeightedEngine(data[0].part(0, 0), tracker.Settings(**settings))
    return engine, [engine.advance(engine.init(), one) for one in data]


def test_one_alone_stays_what_it_is_but_for_the_window_in_progress():
    engine, (one,) = engine_and_states([draw(3000, 0)])
    same = engine.merged([one], 1e-4)
    for name in ("theta", "information", "meat", "power"):
        assert_allclose(getattr(same, name), getattr(one, name), rtol=1e-9, atol=1e-9)
    assert same.count == one.count
    engine.check(same)
    assert_allclose(engine.estimate(same).cov, engine.estimate(one).cov, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_sums_are_those_of_the_formula_in_any_order_of_the_systems(seed):
    engine, states = engine_and_states([draw(2500, seed), draw(4000, seed + 50)])
    fused = engine.merged(states, 1e-4)
    sorted_states = [permuted(one, np.argsort(one.theta[:, 0])) for one in states]
    order = np.argsort(fused.theta[:, 0])
    H = sum(one.information for one in sorted_states)
    theta = np.linalg.solve(H, sum(one.information @ one.theta.ravel() for one in sorted_states))
    assert_allclose(fused.theta[order].ravel(), theta, rtol=1e-9)
    again = engine.merged([permuted(one, np.array([2, 0, 1])) for one in states[::-1]], 1e-4)
    assert_allclose(again.theta[np.argsort(again.theta[:, 0])].ravel(), theta, rtol=1e-9)


def test_an_order_and_its_inverse_leave_the_record_as_it_was():
    _, (one,) = engine_and_states([draw(2500, 0)])
    there = permuted(one, np.array([1, 2, 0]))
    back = permuted(there, np.array([2, 0, 1]))
    assert_array_equal(back.theta, one.theta)
    for where in (there, back):
        assert_allclose(record.dependence(where.record), record.dependence(one.record), rtol=1e-6)
        assert_allclose(record.block_sums(where.record).theta, where.theta, atol=0.02)
        assert record.largest_factor(where.record) == record.largest_factor(one.record)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_record_says_is_near_that_of_one_filter(seed):
    parts = [draw(3000, 10 * seed + i) for i in range(3)]
    engine, states = engine_and_states(parts)
    whole = follow(np.concatenate([s for s, _ in parts]), np.concatenate([p for _, p in parts])).state
    fused = engine.merged(states, 1e-4)
    assert abs(record.dependence(fused.record) - record.dependence(whole.record)) < 1.0
    assert_allclose(record.misfit(fused.record), record.misfit(whole.record), rtol=0.05)
    assert_allclose(fused.record.sizes[0, 0], 9000)
    assert fused.record.tally[4] >= whole.record.tally[4] - 6
    engine.check(fused)


def test_memory_over_time_within_the_streams_is_not_forgotten():
    parts = [draw(6000, seed, THETA[:, :1], memory=0.8) for seed in range(3)]
    engine, states = engine_and_states(parts)
    fused = engine.estimate(engine.merged(states, 1e-4))
    assert "noise-has-memory" in {one.code for one in fused.findings}
    alone = [engine.estimate(one) for one in states]
    ratio = np.sqrt(np.diag(fused.cov)) / np.mean([np.sqrt(np.diag(one.cov)) for one in alone], axis=0)
    assert_allclose(ratio, 1 / np.sqrt(3.0), rtol=0.3)


def test_the_level_is_the_share_of_refusals_by_chance():
    """Filters of the same systems, 40 pairs: at a level of a fifth about a fifth are refused; those of others always."""
    level, refused, others, runs = 0.2, 0, 0, 40
    shifted = THETA + 0.3
    for seed in range(runs):
        engine, (one, two, other) = engine_and_states(
            [draw(500, 2 * seed), draw(500, 2 * seed + 1), draw(500, seed + 1000, shifted)], young=0
        )
        refused += _is_refused(engine, (one, two), level)
        others += _is_refused(engine, (one, other), level) if seed < 5 else 0
    assert abs(refused / runs - level) < 4 * np.sqrt(level * (1 - level) / runs)
    assert others == 5


def _is_refused(engine, states, level):
    try:
        engine.merged(states, level)
    except InputError as error:
        return error.code == "merge-contradiction"
    return False


def test_noise_of_another_size_weighs_less():
    """The information of a noisy stream is small: the fused estimate stays near that of the quiet one."""
    engine, (quiet, noisy) = engine_and_states([draw(3000, 0, spread=0.2), draw(3000, 1, spread=1.0)])
    fused = engine.merged([quiet, noisy], 1e-4)
    order = [np.argsort(one.theta[:, 0]) for one in (fused, quiet, noisy)]
    to_quiet, to_noisy = (
        abs(fused.theta[order[0]] - one.theta[o]).sum() for one, o in zip((quiet, noisy), order[1:], strict=True)
    )
    assert to_quiet < 0.2 * to_noisy


def test_systems_that_are_not_told_apart_are_not_matched():
    close = np.array([[0.0, 0.0], [0.5, 0.0], [5.0, 1.0]])
    engine, states = engine_and_states([draw(3000, seed, close, 0.3) for seed in range(2)], young=0)
    assert all(one.tracking for one in states)
    wide = [replace(one, meat=1e4 * one.meat) for one in states]
    with pytest.raises(InputError, match="too close") as error:
        engine.merged(wide, 1e-4)
    assert error.value.code == "merge-ambiguous"


def test_filters_of_moving_parameters_are_refused():
    engine, states = engine_and_states([draw(1000, seed) for seed in range(2)], drift=1e-8 * np.eye(6))
    with pytest.raises(InputError, match="move") as error:
        engine.merged(states, 1e-4)
    assert error.value.code == "merge-moving"


def test_the_past_of_all_is_one_block_with_no_score():
    _, states = engine_and_states([draw(2500, 0)])
    fused = joint(states)
    n = fused.theta.size
    made = joint_record(states, fused.theta, fused.information, fused.meat)
    assert made.n_blocks == 1
    assert_array_equal(made.blocks[0, 2 * n + 2, :n], np.zeros(n))
