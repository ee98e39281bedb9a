"""Lemma 1 as printed and as corrected: simulation decides between them."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from vieta.coefficients.bank import bank
from vieta.errors import CoincidentSystemsError
from vieta.laws import inputs, noise
from vieta.paper.lemma1 import lemma1, lemma1_printed
from vieta.symmetric import elementary, roots
from vieta.theory import labeled_lms_covariance, lms_covariance

CASES = [(1.0, 5.0, 0.5), (4.0, 5.0, 0.1), (-2.0, 1.0, 1.0), (-3.0, 3.0, 2.0)]


@pytest.mark.parametrize(("a", "b", "sd"), CASES)
def test_the_corrected_lemma_is_the_general_prediction(a, b, sd):
    trace = np.trace(lms_covariance([a, b], sd**2, inputs.Gaussian()).covariance)
    assert_allclose(lemma1(a, b, sd), trace, rtol=1e-9)
    assert abs(lemma1_printed(a, b, sd) / trace - 1) > 0.04 or a == -b


def lemma_by_algebra(R):
    """Tr(G Sigma G') with Sigma the solution of Lyapunov's equation for Q = diag(1, 3)."""
    a, b = sp.symbols("a b")
    G = sp.Matrix([a + b, a * b]).jacobian([a, b]).inv()
    sigma = sp.Matrix(2, 2, lambda i, j: R[i, j] / ([1, 3][i] + [1, 3][j]))
    return sp.simplify((G * sigma * G.T).trace())


def test_both_lemmas_by_algebra():
    """The paper's own steps give the printed formula from a diagonal R, and the corrected one from the full R."""
    a, b, s = sp.symbols("a b s")
    full = sp.Matrix([[2 * s**2, 3 * s**2 * (a + b)], [3 * s**2 * (a + b), 15 * s**2 * (a**2 + b**2) + 3 * s**4]])
    values = {a: 1.0, b: 5.0, s: 0.5}
    assert float(lemma_by_algebra(full).subs(values)) == pytest.approx(lemma1(1, 5, 0.5), rel=1e-12)
    diagonal = sp.diag(full[0, 0], full[1, 1])
    assert float(lemma_by_algebra(diagonal).subs(values)) == pytest.approx(lemma1_printed(1, 5, 0.5), rel=1e-12)


def test_the_infimum_is_three_times_labeled_lms():
    sd = 0.7
    assert lemma1(-1e6, 1e6, sd) == pytest.approx(3 * sd**2, rel=1e-9)
    assert lemma1(-1e6, 1e6, sd) == pytest.approx(3 * np.trace(labeled_lms_covariance([-1e6, 1e6], sd**2).covariance))
    assert all(lemma1(a, b, s) > 3 * s**2 for a, b, s in CASES)


def squared_errors(law, seed, runs, step=2e-4, n=10_000):
    """Squared errors (runs,) over the step, of LMS that starts at the truth 1, 5 with noise of deviation 1/2."""
    rng = np.random.default_rng(seed)
    theta = np.array([[1.0], [5.0]])
    found = np.tile(elementary(2).transform(theta), (runs, 1))
    for lam in found:
        psi = rng.standard_normal(n)
        sets = psi[:, None, None] * theta + law.draw(rng, n, 2, 1)
        bank(2)(lam, sets, psi, np.full(2, step), 0.0, 1.0)
    return ((np.sort(roots(found).real, axis=1) - [1.0, 5.0]) ** 2).sum(axis=1) / step


@pytest.mark.parametrize("law", [noise.Gaussian(0.25), noise.Laplace(0.25)], ids=["normal", "Laplace"])
def test_simulation_decides_for_the_corrected_lemma(law):
    errors = np.concatenate([squared_errors(law, seed, runs=400) for seed in (0, 1)])
    tolerance = 5 * errors.std() / np.sqrt(len(errors))
    assert abs(errors.mean() - lemma1(1, 5, 0.5)) < tolerance
    assert abs(errors.mean() - lemma1_printed(1, 5, 0.5)) > tolerance


def test_what_may_not_be_given():
    with pytest.raises(CoincidentSystemsError, match="coincide"):
        lemma1(2, 2, 1)
    with pytest.raises(ValueError, match="`noise_sd` must be one number between 0 and inf"):
        lemma1_printed(1, 2, -1)
