"""Root sensitivities by algebra and by differences, and what steps the inputs allow."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests import naive
from vieta.errors import CoincidentSystemsError, InputError
from vieta.laws import inputs
from vieta.symmetric import roots
from vieta.theory import Moments, even_moments, root_sensitivity, step_bounds


@pytest.mark.parametrize("L", [2, 3, 4])
def test_the_formula_inverts_the_jacobian_symbolically(L):
    theta = sp.symbols(f"t1:{L + 1}")
    s = sp.Symbol("s")
    product = sp.Poly(sp.prod([1 + s * t for t in theta]), s)
    coefficients = sp.Matrix([product.coeff_monomial(s**d) for d in range(1, L + 1)])
    formula = sp.Matrix(
        L, L, lambda i, m: (-theta[i]) ** (L - m - 1) / sp.prod([theta[j] - theta[i] for j in range(L) if j != i])
    )
    assert sp.simplify(formula * coefficients.jacobian(theta) - sp.eye(L)) == sp.zeros(L)
    values = dict(zip(theta, [sp.Rational(7, 3), -1, 4, sp.Rational(1, 2)]))
    expected = np.array(formula.subs(values).tolist(), dtype=float)
    assert_allclose(root_sensitivity([float(values[t]) for t in theta]), expected, rtol=1e-12)


def as_printed(theta):
    """Theorem 6 read literally: (-1)^(l+1) th^(L-l) / (d/d th of S(-th)), S(s) = prod(s + th_j)."""
    L = len(theta)
    slopes = np.polyval(np.polyder(np.poly(-theta) * (-1.0) ** np.arange(L, -1, -1)), theta)
    return (-1.0) ** np.arange(2, L + 2) * theta[:, None] ** np.arange(L - 1, -1, -1) / slopes[:, None]


def test_the_theorem_as_printed_has_the_wrong_sign_for_odd_numbers_of_systems():
    even, odd = np.array([1.0, 4.0]), np.array([-2.0, 5.0, 8.0])
    assert_allclose(as_printed(even), root_sensitivity(even), rtol=1e-12)
    assert_allclose(as_printed(odd), -root_sensitivity(odd), rtol=1e-12)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(st.floats(0.3, 2.0), min_size=2, max_size=4), st.floats(-4.0, 2.0))
def test_against_numerical_differentiation_of_the_roots(gaps, start):
    theta = start + np.cumsum(gaps)
    found = root_sensitivity(theta)
    numerical = naive.derivative(lambda lam: np.sort(roots(lam).real), naive.elementary(theta), step=1e-6)
    assert_allclose(found, numerical, rtol=1e-4, atol=1e-4 * abs(found).max())
    assert np.max(abs(found + numerical)) > 0.1 * abs(found).max()  # another sign would be seen


def test_rows_keep_the_order_given():
    assert_allclose(root_sensitivity([8, -2, 5]), root_sensitivity([-2, 5, 8])[[2, 0, 1]])


def test_what_has_no_sensitivity():
    with pytest.raises(CoincidentSystemsError, match="variance of such a pair is infinite"):
        root_sensitivity([3, 3])
    with pytest.raises(ValueError, match=r"one parameter a system, got shape \(2, 2\)"):
        root_sensitivity([[1, 2], [3, 4]])


def test_bounds_are_where_the_mean_square_no_longer_contracts():
    for law in (inputs.Gaussian(0.3, 0.5), inputs.Uniform(-1.0, 2.0), np.array([0.5, -1.0, 2.0])):
        psi_moments = np.r_[1.0, even_moments(law, 6)]
        bounds = step_bounds(Moments(even_moments(law, 6)), n_systems=3)
        for d, bound in enumerate(bounds, start=1):
            assert 1 - 2 * bound * psi_moments[d] + bound**2 * psi_moments[2 * d] == pytest.approx(1.0, abs=1e-12)


def test_bounds_for_matrices_and_for_no_inputs():
    assert_allclose(step_bounds(n_systems=3), [2.0, 2.0, 2.0])
    psi = np.random.default_rng(0).normal(size=100)
    scaled = step_bounds(psi[:, None, None] * np.eye(2), n_systems=2, dim=2, transform="tensor")
    assert_allclose(scaled, step_bounds(Moments(even_moments(psi, 4)), n_systems=2, dim=2), rtol=1e-9)


def test_simulation_on_both_sides_of_the_bound():
    """The mean of squared errors, over inputs alone, grows above the bound and shrinks below it."""
    psi = np.random.default_rng(0).uniform(-1.7, 1.7, size=(200_000, 12))
    bounds = step_bounds(inputs.Uniform(-1.7, 1.7), n_systems=2)
    for d, bound in enumerate(bounds, start=1):
        for factor, grows in ((0.9, False), (1.1, True)):
            left = np.prod(1 - factor * bound * psi ** (2 * d), axis=1) ** 2
            assert (left.mean() > 1) == grows


def test_bounds_need_more_moments_than_errors():
    with pytest.raises(
        InputError, match=r"4 even moments of the inputs are needed, from E psi\^2 to E psi\^8"
    ) as caught:
        step_bounds(Moments([1.0, 3.0, 15.0]), n_systems=2)
    assert caught.value.code == "moments-too-few"
    with pytest.raises(ValueError, match="`n_systems` must be an integer of at least 1"):
        step_bounds(n_systems=0)
