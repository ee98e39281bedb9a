import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive as twins
from tests.symmetric.cases import assert_rounding, checked
from vieta.symmetric import elementary, root_sensitivity


@checked
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=7), st.randoms())
def test_elementary_is_the_definition_in_any_order(y, random):
    shuffled = np.array(random.sample(y, len(y)))[:, None]
    assert_rounding(elementary(len(y)).transform(shuffled), twins.elementary(y), twins.elementary(list(map(abs, y))))


@checked
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5), st.floats(-3, 3))
def test_degree_d_scales_as_the_dth_power(y, c):
    L, y = len(y), np.array(y)[:, None]
    scaled = elementary(L).transform(c * y)
    size = twins.scalar(abs(c * y))
    assert_rounding(scaled, c ** np.arange(1, L + 1) * elementary(L).transform(y), size)


def test_coefficients_belong_to_minus_the_roots_of_the_descending_polynomial():
    """Of (-2, 5, 8): read with ascending powers, the same coefficients give other numbers altogether."""
    lam = elementary(3).transform(np.array([[-2.0], [5.0], [8.0]]))
    assert_array_equal(lam, [11.0, 14.0, -80.0])
    assert_allclose(np.sort(-np.roots([1.0, *lam])), [-2.0, 5.0, 8.0])
    ascending = np.sort(np.roots([1.0, *lam[::-1]]).real)
    assert_allclose(ascending, [-0.293, 0.470, 79.82], rtol=2e-3)
    assert_allclose(elementary(3).inverse(lam).theta.ravel(), [-2.0, 5.0, 8.0])


def symbolic_sensitivity(L):
    """d theta / d lambda as the inverse of the Jacobian of the elementary polynomials, in symbols."""
    t = sympy.symbols(f"t1:{L + 1}")
    s = sympy.Symbol("s")
    e = sympy.Poly(sympy.prod(1 + s * x for x in t), s).all_coeffs()[::-1][1:]
    return t, sympy.Matrix(e).jacobian(t)


def paper_derivative(t, i):
    """The slope that the paper divides by, read literally: d/dx of prod_j (t_j - x) at t_i."""
    x = sympy.Symbol("x")
    return sympy.prod(tj - x for tj in t).diff(x).subs(x, t[i])


@pytest.mark.parametrize("L", [2, 3, 4])
def test_closed_form_of_the_sensitivity_in_symbols(L):
    t, J = symbolic_sensitivity(L)
    closed = sympy.Matrix(
        L, L, lambda i, m: (-t[i]) ** (L - m - 1) / sympy.prod(t[j] - t[i] for j in range(L) if j != i)
    )
    assert (closed * J).applyfunc(sympy.cancel) == sympy.eye(L)
    values = sympy.Matrix(closed).subs(dict(zip(t, range(-1, 2 * L, 2))))
    expected = np.array(values.tolist(), dtype=float)
    assert_allclose(root_sensitivity(np.arange(-1.0, 2 * L - 1, 2)[:L]), expected, rtol=1e-13)


@pytest.mark.parametrize("L", [2, 3, 4])
def test_the_papers_signs_of_the_sensitivity_are_refuted(L):
    """Its displayed formula is off by (-1)^m, and its Theorem 6 by (-1)^L: right for even L only."""
    t, J = symbolic_sensitivity(L)
    point = dict(zip(t, [1, 4, 6, 9]))
    truth = J.subs(point).inv()
    slopes = [paper_derivative(t, i) for i in range(L)]
    displayed = sympy.Matrix(L, L, lambda i, m: (-1) ** (m + 2) * (-t[i]) ** (L - m - 1) / slopes[i]).subs(point)
    theorem = sympy.Matrix(L, L, lambda i, m: (-1) ** (m + 2) * t[i] ** (L - m - 1) / slopes[i]).subs(point)
    assert displayed == sympy.Matrix(L, L, lambda i, m: (-1) ** (m + 1) * truth[i, m])
    assert theorem == (-1) ** L * truth
    assert displayed != truth
    assert (theorem == truth) == (L % 2 == 0)


@pytest.mark.parametrize("L", range(1, 8))
def test_closed_form_is_the_inverse_of_the_jacobian(L):
    theta = np.random.default_rng(L).permutation(np.arange(L)) + np.linspace(0.0, 0.3, L)
    e = elementary(L)
    inverse = np.linalg.inv(e.jacobian(theta[:, None]))
    assert_allclose(root_sensitivity(theta), inverse, rtol=1e-7, atol=1e-8 * abs(inverse).max())
    assert_allclose(root_sensitivity(theta) @ e.jacobian(theta[:, None]), np.eye(L), atol=1e-8)


@pytest.mark.parametrize("L", [2, 3, 4, 5])
def test_determinant_of_the_jacobian_is_the_product_of_the_gaps(L):
    t, J = symbolic_sensitivity(L)
    gaps = sympy.prod(t[i] - t[j] for i in range(L) for j in range(i + 1, L))
    point = dict(zip(t, [2, -3, 5, 11, 7]))
    assert J.subs(point).det() == gaps.subs(point)
    theta = np.array([2.0, -3.0, 5.0, 11.0, 7.0])[:L, None]
    assert_allclose(np.linalg.det(elementary(L).jacobian(theta)), float(gaps.subs(point)))
