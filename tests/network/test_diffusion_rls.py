"""Recursive least squares in a network: one agent is weighted least squares; sums that are exchanged are those of all data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.network import complete, metropolis, ring
from vieta.network.agent_data import AgentData, as_agent_data, design_of, regressions
from vieta.network.combination import Combination
from vieta.network.diffusion_rls import (
    HELD,
    MARKS,
    Rule,
    advance,
    combine_coefficients,
    combine_sums,
    init,
    normal_equations,
)

THETA = np.array([-2.0, 5.0, 8.0])


def drawn(n, N, seed, theta=THETA, sd=0.5, runs=1):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(runs, n, N))
    sets = psi[..., None] * theta + sd * rng.normal(size=(runs, n, N, len(theta)))
    return as_agent_data(rng.permuted(sets, axis=-1)[..., None], psi, n, len(theta), 1)


def rule_for(data, links=None, *, weighted=True, information=False, failing=0.0):
    n = data.sets.shape[1]
    weights = np.eye(1) if n == 1 else metropolis(links if links is not None else ring(n))
    return Rule(design_of(data), Combination.of(weights, failing), weighted, information, 0)


@pytest.mark.parametrize("information", [False, True])
def test_one_agent_without_weights_is_least_squares(information):
    data = drawn(1, 700, 0)
    rule = rule_for(data, weighted=False, information=information)
    state = advance(rule, init(rule, data[:0]), data)
    seen = regressions(rule.design, data)
    d = np.arange(3)
    expected = (seen.A[0, 0][:, d, d] * seen.z[0, 0]).sum(axis=0) / (seen.A[0, 0][:, d, d] ** 2).sum(axis=0)
    assert_allclose(state.coefficients[0, 0], expected, rtol=1e-9)
    assert_allclose(state.spread, [[700.0]])


@pytest.mark.parametrize("information", [False, True])
@pytest.mark.parametrize("failing", [0.0, 0.3])
def test_the_result_does_not_depend_on_how_a_stream_is_cut(information, failing):
    data = drawn(4, 420, 1, runs=2)
    rule = rule_for(data, information=information, failing=failing)
    whole = advance(rule, init(rule, data[:0]), data)
    state = init(rule, data[:0])
    for a, b in zip([0, 1, 31, 33, 200, 257, 258], [1, 31, 33, 200, 257, 258, 420]):
        state = advance(rule, state, data[a:b])
    assert np.array_equal(state.coefficients, whole.coefficients)
    assert np.array_equal(state.noise, whole.noise)
    assert state.messages == whole.messages
    assert len(state.held) == 0


def test_sets_are_held_until_they_are_not_needed():
    data = drawn(2, 300, 2)
    rule = rule_for(data)
    state = advance(rule, init(rule, data[:0]), data[:31])
    assert len(state.held) == 31
    assert np.isnan(state.coefficients).all()
    state = advance(rule, state, data[31:200])
    assert len(state.held) == 200
    assert len(advance(rule, state, data[200:HELD]).held) == 0
    assert MARKS[:6] == [32, 64, 128, 256, 320, 400]


def test_agents_that_all_hear_each_other_have_the_sums_of_all_data():
    """With uniform weights the information is the mean over the agents after every step, whatever the weights of sets."""
    data = drawn(5, 300, 3)
    rule = rule_for(data, complete(5), information=True)
    state = advance(rule, init(rule, data[:0]), data)
    assert_allclose(state.information, np.broadcast_to(state.information[:, :1], state.information.shape), rtol=1e-12)
    mark = advance(rule, init(rule, data[:0]), data[:HELD])
    G, s = normal_equations(rule, regressions(rule.design, data[HELD:]), mark.theta, mark.noise)
    assert_allclose(state.information[0, 0] - mark.information[0, 0], G[0].mean(axis=0).sum(axis=0), rtol=1e-9)
    assert_allclose(state.moment[0, 0] - mark.moment[0, 0], s[0].mean(axis=0).sum(axis=0), rtol=1e-9)


def test_the_kernels_are_their_equations():
    rng = np.random.default_rng(4)
    R, n, N, M = 1, 3, 4, 2
    B = rng.normal(size=(R, n, N, M, M))
    G, s = B @ np.swapaxes(B, -1, -2), rng.normal(size=(R, n, N, M))
    H, lam, b = np.tile(np.eye(M), (R, n, 1, 1)), rng.normal(size=(R, n, M)), rng.normal(size=(R, n, M))
    C = np.stack([metropolis(ring(3)), np.eye(3), np.roll(np.eye(3), 1, axis=0), metropolis(ring(3))])[:, None]
    one, H1, x = lam.copy(), H.copy(), lam[0].copy()
    combine_coefficients(one, H1, b.copy(), G, s, C)
    h, hs, bs = H[0].copy(), H[0].copy(), b[0].copy()
    for k in range(N):
        h = h + G[0, :, k]
        phi = x + np.linalg.solve(h, (s[0, :, k] - np.einsum("iab,ib->ia", G[0, :, k], x))[..., None])[..., 0]
        x = C[k, 0] @ phi
        hs, bs = np.tensordot(C[k, 0], hs + G[0, :, k], 1), C[k, 0] @ (bs + s[0, :, k])
    assert_allclose(one[0], x, rtol=1e-10)
    assert_allclose(H1[0], h)
    two, H2, b2 = lam.copy(), H.copy(), b.copy()
    combine_sums(two, H2, b2, G, s, C)
    assert_allclose(H2[0], hs)
    assert_allclose(two[0], np.linalg.solve(hs, bs[..., None])[..., 0], rtol=1e-10)


def test_weights_of_vectors_are_those_of_the_covariance():
    rng = np.random.default_rng(5)
    psi, theta = rng.normal(size=(1, 2, 3, 2)), rng.normal(size=(2, 2))
    data = AgentData(rng.normal(size=(1, 2, 3, 2, 1)), psi[..., None, :], 2)
    rule = rule_for(data)
    seen = regressions(rule.design, data)
    noise = np.full((1, 2, 1, 1), 0.3)
    G, s = normal_equations(rule, seen, np.tile(theta, (1, 2, 1, 1)), noise)
    V = rule.design.transform.covariance(theta, psi[0, 1, 2][None, None], np.array([[0.3]]))[0]
    A, z = seen.A[0, 1, 2], seen.z[0, 1, 2]
    assert_allclose(G[0, 1, 2], A.T @ np.linalg.solve(V, A), rtol=1e-8)
    assert_allclose(s[0, 1, 2], A.T @ np.linalg.solve(V, z), rtol=1e-8)
