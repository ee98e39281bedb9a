from itertools import combinations_with_replacement

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests import naive as twins
from tests.symmetric.cases import SEEDS, checked, distance, separated
from vieta.symmetric import tensor, tensor_size


def monomials(u, degree):
    return np.array([np.prod(u[list(m)]) for m in combinations_with_replacement(range(len(u)), degree)])


@pytest.mark.parametrize(("L", "D"), [(1, 3), (2, 2), (3, 2), (3, 3), (4, 1)])
def test_it_expands_the_elementary_polynomials_along_every_direction(L, D):
    t = tensor(L, D, D)

    @checked
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        rng = np.random.default_rng(seed)
        y, u = rng.normal(size=(L, D)), rng.normal(size=D)
        z = t.transform(y)
        e = [z[block] @ monomials(u, d) for d, block in enumerate(t.readings.blocks, start=1)]
        size = twins.elementary(abs(y) @ abs(u)).max()
        assert_allclose(e, twins.elementary(y @ u), rtol=0, atol=1e-13 * size)

    holds()


@pytest.mark.parametrize(("L", "D"), [(1, 1), (2, 3), (4, 10), (3, 5)])
def test_number_of_coefficients(L, D):
    assert tensor_size(L, D) == len([m for d in range(1, L + 1) for m in combinations_with_replacement(range(D), d)])
    assert tensor(L, 1, D).parameters.size == tensor_size(L, D)
    assert tensor(L, 1, D).readings.size == L


@pytest.mark.parametrize(("p", "D"), [(1, 2), (1, 3), (2, 1), (2, 3), (3, 2), (3, 3)])
def test_inputs_of_any_shape_have_a_linear_model(p, D):
    t = tensor(3, p, D)

    @checked
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        rng = np.random.default_rng(seed)
        theta, psi = rng.normal(size=(3, D)), rng.normal(size=(4, p, D))
        sizes = [twins.tensor(abs(theta) @ abs(P.T)) for P in psi]
        difference = t.mean(theta, psi) - [twins.tensor(theta @ P.T) for P in psi]
        assert np.all(abs(difference) <= 1e-12 * np.array(sizes))

    holds()


def test_gains_are_the_symmetric_powers_in_symbols():
    p = sympy.symbols("p11 p12 p13 p21 p22 p23")
    psi, w = sympy.Matrix(2, 3, p), sympy.Matrix(sympy.symbols("w1 w2"))
    v = psi.T * w
    numbers = np.random.default_rng(0).integers(-4, 5, size=(1, 2, 3)).astype(float)
    at = dict(zip(p, numbers.ravel().astype(int).tolist()))
    for d, A in enumerate(tensor(3, 2, 3).gains(numbers), start=1):
        for column, m in enumerate(combinations_with_replacement(range(3), d)):
            polynomial = sympy.Poly(sympy.prod(v[i] for i in m).subs(at), *w)
            for row, powers in enumerate((d - k, k) for k in range(d + 1)):
                coefficient = polynomial.coeff_monomial(w[0] ** powers[0] * w[1] ** powers[1])
                assert A[0, row, column] == float(coefficient)


def test_gains_compose_as_the_inputs_do():
    first, second = np.random.default_rng(1).normal(size=(2, 1, 3, 3))
    t = tensor(3, 3, 3)
    for A, B, C in zip(t.gains(first), t.gains(second), t.gains(first @ second)):
        assert_allclose(A @ B, C, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shared", [1, 2])
def test_rows_may_share_their_first_coordinates(shared, seed):
    theta = separated(np.random.default_rng(seed), 3, 3, gap=1.0)
    theta[:, :shared] = 2.0
    t = tensor(3, 1, 3)
    found = t.inverse(t.parameters.transform(theta))
    assert distance(found.theta, theta) < 1e-8
    assert found.condition < 1e6


@pytest.mark.parametrize("seed", SEEDS)
def test_scalar_readings_identify_vectors_by_regression(seed):
    """p = 1: exact coefficients from as many noise-free readings as unknowns, and the vectors from those."""
    rng = np.random.default_rng(seed)
    theta, t = separated(rng, 3, 2, gap=1.0), tensor(3, 1, 2)
    psi = rng.normal(size=(50, 1, 2))
    z = t.transform(np.einsum("npd,ld->nlp", psi, theta))
    lam = [np.linalg.lstsq(A[:, 0], z[:, d])[0] for d, A in enumerate(t.gains(psi))]
    assert distance(t.inverse(np.concatenate(lam)).theta, theta) < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
def test_coordinates_shuffled_independently_do_no_harm_to_scalar_readings(seed):
    """The rows of one input may lose their labels separately: each is a regression of its own."""
    rng = np.random.default_rng(seed)
    theta, t = separated(rng, 2, 2, gap=1.0), tensor(2, 1, 2)
    psi = rng.normal(size=(40, 2, 2))
    y = rng.permuted(np.einsum("npd,ld->nlp", psi, theta), axis=1)  # each coordinate in an order of its own
    rows, z = psi.reshape(-1, 1, 2), t.transform(np.swapaxes(y, 1, 2).reshape(-1, 2, 1))
    lam = [np.linalg.lstsq(A[:, 0], z[:, d])[0] for d, A in enumerate(t.gains(rows))]
    assert distance(t.inverse(np.concatenate(lam)).theta, theta) < 1e-8
