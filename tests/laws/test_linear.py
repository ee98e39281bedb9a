import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.laws.linear import apply, respond, root


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_apply_is_the_matrix_product(n, p, D, seed):
    rng = np.random.default_rng(seed)
    A, x = rng.standard_normal((n, p, D)), rng.standard_normal((n, D))
    assert_allclose(apply(A, x), np.einsum("npd,nd->np", A, x), rtol=1e-12, atol=1e-12)


def test_apply_leaves_its_arguments_alone():
    A, x = np.ones((2, 2)), np.ones(2)
    apply(A, x)
    assert_array_equal(A, np.ones((2, 2)))
    assert_array_equal(x, np.ones(2))


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_root_is_symmetric_and_squares_to_the_covariance(p, rank, seed):
    half = np.random.default_rng(seed).standard_normal((p, rank))
    covariance = half @ half.T  # singular when rank < p
    S = root(covariance)
    assert_allclose(S, S.T, atol=1e-12)
    assert_allclose(S @ S, covariance, atol=1e-12 * max(1.0, np.abs(covariance).max()))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_the_response_is_the_product(n, L, p, D, seed):
    rng = np.random.default_rng(seed)
    theta, matrices = rng.standard_normal((n, L, D)), rng.standard_normal((n, p, D))
    assert_allclose(respond(matrices, theta), np.einsum("npd,nld->nlp", matrices, theta), atol=1e-12)
    assert_allclose(respond(matrices[:, 0], theta)[..., 0], np.einsum("nd,nld->nl", matrices[:, 0], theta), atol=1e-12)
    assert_array_equal(respond(matrices[:, 0, 0], theta), matrices[:, :1, :1] * theta)
    assert_array_equal(respond(None, theta), theta)
