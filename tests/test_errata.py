"""Errors of the paper that no other test meets; docs/errata.md lists them all, each with the test that shows it.

Everything here is written from the paper's formulas and from definitions: symbols, enumeration, quadrature.
"""

import ast
import re
from itertools import permutations, product
from math import prod
from pathlib import Path

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq

from tests import naive
from vieta.laws import inputs
from vieta.laws.noise import Gaussian
from vieta.likelihood import log_likelihood
from vieta.paper.baselines import direct_gradient
from vieta.paper.lemma1 import lemma1
from vieta.scenarios import simulate
from vieta.symmetric import convolution, inverse_by_columns, roots
from vieta.theory import lms_covariance

ROOT = Path(__file__).parent.parent
EXAMPLE_3 = np.array([[-2.0, 6.0], [4.0, 5.0]])
GHOST = np.array([[-2.0, 5.0], [4.0, 6.0]])


def symbols(name, rows, columns):
    return sympy.Matrix(rows, columns, lambda i, j: sympy.Symbol(f"{name}{i + 1}{j + 1}"))


def product_of_rows(rows):
    """Coefficients, constant first, of the product of polynomials in t with the given rows as coefficients."""
    t = sympy.Symbol("t")
    polynomial = sympy.Poly(sympy.prod(sum(x * t**i for i, x in enumerate(row)) for row in rows), t)
    size = sum(len(row) - 1 for row in rows) + 1
    return [polynomial.coeff_monomial(t**m) for m in range(size)]


def coefficient(expression, *factors):
    """Of the product of the factors, in an expanded sum of such products."""
    return sympy.Poly(expression, *factors).coeff_monomial(sympy.prod(factors)).subs(dict.fromkeys(factors, 0))


# --- the page -------------------------------------------------------------------------------------------------------


def test_every_test_that_the_page_names_exists():
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text))
    assert len(named) > 50
    for path in {path for path, _ in named}:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert {name for other, name in named if other == path} <= defined, path


def test_every_numbered_error_of_the_page_names_a_test_and_every_test_here_is_named():
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    entries = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [int(entry.split(".")[0]) for entry in entries] == list(range(1, len(entries) + 1))
    for entry in entries:
        assert all(word in entry for word in ("**Where.**", "**Printed.**", "**Holds.**", "**Shown by**")), entry[:60]
        assert "`tests/" in entry, entry[:60]
    here = set(re.findall(r"^def (test_\w+)", Path(__file__).read_text(encoding="utf-8"), flags=re.MULTILINE))
    about_the_page = {name for name in here if "page" in name}
    assert here - about_the_page <= set(re.findall(r"`tests/test_errata\.py::(\w+)`", text))


# --- the model ------------------------------------------------------------------------------------------------------


def test_rows_stacked_from_separately_shuffled_readings_pair_wrongly():
    """Two systems in the plane, no noise; the two coordinates of a set lose their labels one by one."""
    t = convolution(2, 2)
    stacked = [
        np.stack([EXAMPLE_3[list(first), 0], EXAMPLE_3[list(second), 1]], axis=1)
        for first, second in product(permutations(range(2)), repeat=2)
    ]
    lam = np.mean([t.transform(y) for y in stacked], axis=0)
    assert_allclose(lam[2:], [-8.0, (14.0 + 8.0) / 2, 30.0])
    assert_allclose(inverse_by_columns(t, lam).theta, [[-2.0, 5.5], [4.0, 5.5]])
    together = [EXAMPLE_3[list(order)] for order in permutations(range(2))]
    lam = np.mean([t.transform(y) for y in together], axis=0)
    assert_allclose(inverse_by_columns(t, lam).theta, EXAMPLE_3)


def test_the_shapes_of_the_mixture_model():
    """Rows y_l' = (Psi theta_l)' are theta Psi', and perm Psi theta has no meaning for three systems in the plane."""
    rng = np.random.default_rng(0)
    theta, psi, order = rng.normal(size=(3, 2)), rng.normal(size=(2, 2)), np.eye(3)[[2, 0, 1]]
    rows = np.array([psi @ row for row in theta])
    assert_allclose(theta @ psi.T, rows)
    assert abs(theta @ psi - rows).max() > 0.1
    with pytest.raises(ValueError, match="mismatch"):
        order @ psi @ theta


def test_undoing_the_input_changes_the_noise():
    """v of covariance I becomes Psi^-1 v: its parts are correlated, so the likelihood is no product over them."""
    psi = np.array([[1.0, 1.0], [0.0, 1.0]])
    covariance = np.linalg.inv(psi) @ np.linalg.inv(psi).T
    assert_allclose(covariance, [[2.0, -1.0], [-1.0, 1.0]])
    v = np.random.default_rng(0).standard_normal((200_000, 2))
    sampled = np.cov((v @ np.linalg.inv(psi).T).T)
    assert_allclose(sampled, covariance, atol=0.03)
    assert abs(sampled - np.eye(2)).max() > 0.9


# --- the vector transform and its homogeneity -----------------------------------------------------------------------


def test_powers_of_s_run_against_the_number_of_factors():
    """At s^(l-1) stands a sum of products of L - l + 1 rows: M_l = 7, 5, 3 coefficients where l rows make 3, 5, 7."""
    L, D = 3, 3
    s, t = sympy.symbols("s t")
    alpha = symbols("a", L, D)
    both = sympy.Poly(sympy.prod(s + sum(alpha[l, i] * t**i for i in range(D)) for l in range(L)), s, t)
    at_power = [[m for (power, m), _ in both.terms() if power == l - 1] for l in range(1, L + 1)]
    assert [max(powers) + 1 for powers in at_power] == [(L - l) * (D - 1) + D for l in range(1, L + 1)] == [7, 5, 3]
    by_convolution = [len(product_of_rows([alpha.row(0)] * l)) for l in range(1, L + 1)]
    assert by_convolution == [l * (D - 1) + 1 for l in range(1, L + 1)] == [3, 5, 7]
    scalars = sympy.Poly(sympy.prod(s + alpha[l, 0] for l in range(L)), s)
    assert scalars.coeff_monomial(s**0) == sympy.prod(alpha[l, 0] for l in range(L))  # and not the sum, S_1
    assert scalars.coeff_monomial(s ** (L - 1)) == sum(alpha[l, 0] for l in range(L))


def test_sums_over_ordered_indices_are_not_symmetric():
    """theta_1i theta_2j over i <= j alone, as under the homogeneity formula, changes when the systems are exchanged."""
    theta = symbols("t", 2, 2)
    ordered = sum(theta[0, i] * theta[1, j] for i in range(2) for j in range(i, 2) if i + j == 1)
    every = sum(theta[0, i] * theta[1, j] for i in range(2) for j in range(2) if i + j == 1)
    exchange = dict(zip([*theta.row(0), *theta.row(1)], [*theta.row(1), *theta.row(0)]))
    assert sympy.expand(ordered.subs(exchange, simultaneous=True) - ordered) != 0
    assert sympy.expand(every.subs(exchange, simultaneous=True) - every) == 0


def test_a_product_of_symmetric_sums_is_not_the_sum_of_products():
    """The step of the proof, at t^1 with the first row of Psi twice: it counts p11 p12 two times."""
    psi, theta = symbols("p", 2, 2), symbols("t", 2, 2)
    pairs = [(0, 1), (1, 0)]
    truth = sum(psi[0, p] * psi[0, q] * theta[0, p] * theta[1, q] for p, q in pairs)
    printed = product_of_rows([psi.row(0), psi.row(0)])[1] * product_of_rows([theta.row(0), theta.row(1)])[1]
    assert sympy.expand(printed - 2 * truth) == 0
    assert sympy.expand(printed - truth) != 0


def response(psi, theta, rows):
    """The sum over distinct orders of rows of prod_l (Psi theta_l)_row."""
    orders = set(permutations(rows))
    return sympy.expand(sum(sympy.prod((psi * theta.row(l).T)[r] for l, r in enumerate(order)) for order in orders))


def test_the_worked_example_of_the_homogeneity_formula():
    """Three systems in three dimensions, in the paper's names: lambda_11, lambda_12 and the first two responses."""
    psi, theta = symbols("p", 3, 3), symbols("t", 3, 3)
    p11, p12, p21, p22 = psi[0, 0], psi[0, 1], psi[1, 0], psi[1, 1]
    first, second = response(psi, theta, (0, 0, 0)), response(psi, theta, (0, 0, 1))
    in_lambda_11, in_lambda_12 = (theta[0, 0], theta[1, 0], theta[2, 0]), (theta[0, 0], theta[1, 0], theta[2, 1])
    assert sympy.expand(coefficient(first, *in_lambda_11) - p11**3) == 0  # this one is right
    assert sympy.expand(coefficient(first, *in_lambda_12) - p11**2 * p12) == 0  # printed three times as large
    assert sympy.expand(coefficient(second, *in_lambda_11) - 3 * p11**2 * p21) == 0  # printed a third of it
    of_the_matrix = product_of_rows([psi.row(0), psi.row(0), psi.row(1)])[1]
    assert sympy.expand(of_the_matrix - (p11**2 * p22 + 2 * p11 * p12 * p21)) == 0
    assert sympy.expand(of_the_matrix - (p11**2 * p12 + 2 * p11 * p12 * p21)) != 0  # as printed


def test_in_three_dimensions_one_coefficient_would_need_two_weights():
    """[1, 1, 3] and [1, 2, 2] are one coefficient of theta, and come back with unequal factors of Psi."""
    psi, theta = symbols("p", 3, 3), symbols("t", 3, 3)
    lam = product_of_rows([theta.row(l) for l in range(3)])[2]
    one, other = (theta[0, 0], theta[1, 0], theta[2, 2]), (theta[0, 0], theta[1, 1], theta[2, 1])
    assert coefficient(lam, *one) == coefficient(lam, *other) == 1
    first = response(psi, theta, (0, 0, 0))
    assert sympy.expand(coefficient(first, *one) - psi[0, 0] ** 2 * psi[0, 2]) == 0
    assert sympy.expand(coefficient(first, *other) - psi[0, 0] * psi[0, 1] ** 2) == 0


def test_the_matrix_in_the_proof_and_its_last_power():
    """Columns i, j, k of the proof's matrix are rows of Psi: its first line must read p_i1, p_j1, p_k1, not p_i1, p_j2, p_k3."""
    psi = symbols("p", 3, 3)
    right = sympy.Matrix.hstack(psi.row(0).T, psi.row(0).T, psi.row(1).T)
    printed = right.copy()
    printed[0, 1], printed[0, 2] = psi[0, 1], psi[1, 2]
    columns = lambda matrix: product_of_rows([matrix.col(j) for j in range(3)])  # noqa: E731
    assert sympy.expand(columns(right)[0] - psi[0, 0] ** 2 * psi[1, 0]) == 0  # the paper's own S_11{psi^12}
    assert sympy.expand(columns(printed)[0] - psi[0, 0] ** 2 * psi[1, 0]) != 0
    assert len(columns(right)) == 7  # so the last power of t is M_l - 1 = 6


def literal_update(lam, z, A, step):
    """lambda_m += eps A_mm sum over m' of the residuals, as printed: m is free and summed over."""
    return lam + step * np.diag(A) * (z - A @ lam).sum()


def test_the_printed_vector_update_gives_a_whole_block_one_increment():
    """Psi = I, no noise: differences within a block never change, whatever the data."""
    truth, start = np.array([-8.0, 14.0, 30.0]), np.array([0.0, 1.0, 5.0])
    printed, right = start, start
    for _ in range(2000):
        printed = literal_update(printed, truth, np.eye(3), 0.01)
        right = right + 0.01 * (truth - right)
    assert_allclose(np.diff(printed), np.diff(start), atol=1e-9)
    assert abs(printed - truth).max() > 10
    assert_allclose(right, truth, atol=1e-6)


def test_the_mean_recursion_has_the_other_product():
    """Two inputs in turn: the error is multiplied by I - eps E[Psi' Psi], which E[Psi Psi'] does not tell."""
    psi = np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]])
    inner, outer = (np.mean([P.T @ P for P in psi], axis=0), np.mean([P @ P.T for P in psi], axis=0))
    truth, lam, step = np.array([3.0, -1.0]), np.array([0.5, 2.0]), 0.1
    after = np.mean([lam + step * P.T @ (P @ truth - P @ lam) for P in psi], axis=0)
    assert_allclose(after - truth, (np.eye(2) - step * inner) @ (lam - truth))
    assert abs((after - truth) - (np.eye(2) - step * outer) @ (lam - truth)).max() > 0.1


def test_the_equations_of_the_inverse_are_affine():
    """Three dimensions, third column: products of the second column stand in them and must be taken off first."""
    theta = symbols("t", 2, 3)
    equation = product_of_rows([theta.row(0), theta.row(1)])[2]
    constant = equation.subs(dict.fromkeys(theta.col(2), 0))
    assert sympy.expand(constant - theta[0, 1] * theta[1, 1]) == 0
    third_column_only = theta[0, 2] * theta[1, 2]  # S_2 of that column alone, as the equations are written
    assert sympy.expand(equation - third_column_only) != 0


@pytest.mark.parametrize("seed", range(3))
def test_equal_parameters_are_not_estimable_at_the_usual_rate(seed):
    """Coefficients off by sqrt(eps) move a double root by eps^(1/4), and make it complex half of the time."""
    noise = np.random.default_rng(seed).standard_normal((20_000, 2))
    spread, share = [], []
    for eps in (1e-4, 1e-6):
        found = roots(np.array([4.0, 4.0]) + np.sqrt(eps) * noise)  # (s + 2)²
        spread.append(np.sqrt(np.mean((found.real - 2.0) ** 2)))
        share.append(np.mean(abs(found.imag).max(axis=1) > 0))
    assert_allclose(spread[1] / spread[0], 0.01**0.25, rtol=0.05)
    assert abs(spread[1] / spread[0] - 0.01**0.5) > 0.1
    assert_allclose(share, 0.5, atol=0.02)


def test_the_vector_transform_holds_the_element_wise_one_in_the_plane_only():
    """e_2 of the middle of three coordinates is no combination of the coefficients: it is merged with [1, 3]."""
    for D, middle_is_there in ((2, None), (3, False)):
        theta = symbols("t", 2, D)
        lam = product_of_rows([theta.row(0), theta.row(1)])
        for j in range(D):
            weights = sympy.symbols(f"w:{len(lam)}")
            gap = sympy.Poly(sum(w * x for w, x in zip(weights, lam)) - theta[0, j] * theta[1, j], *theta)
            solvable = bool(sympy.linsolve(gap.coeffs(), *weights))
            assert solvable == (middle_is_there is None or j != 1)


def test_the_element_wise_objective_tells_the_ghost_under_general_inputs():
    """Entries of Psi independent N(0, 1): the ghost costs (14 - 8)² E[psi_1² psi_2²] a row more, 72 in all."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    weights = weights / weights.sum()
    cost = 0.0
    for (a, p), (b, q) in product(zip(nodes, weights), repeat=2):
        row = np.array([a, b])
        gap = naive.elementary(EXAMPLE_3 @ row) - naive.elementary(GHOST @ row)
        cost += 2 * p * q * (gap**2).sum()
    assert_allclose(cost, 72.0)
    at_identity = [naive.elementary(EXAMPLE_3[:, j]) - naive.elementary(GHOST[:, j]) for j in range(2)]
    assert_array_equal(at_identity, np.zeros((2, 2)))  # Psi = I: the ghost costs nothing


# --- convergence and efficiency -------------------------------------------------------------------------------------


def test_a_supremum_from_time_zero_never_shrinks():
    """No noise, psi = 1: the largest error up to any T is that of the start, for every step; after T it vanishes."""
    for step in (0.1, 0.01, 0.001):
        error = (1 - step) ** np.arange(int(20 / step))
        times = step * np.arange(len(error))
        assert error[times <= 10].max() == 1.0
        assert error[times >= 10].max() < 1e-4


def test_the_intervals_of_the_interpolation_overlap():
    """[eps k, (eps + 1) k) has length k; [eps k, eps (k + 1)) puts each time into one interval."""
    k, eps, time = np.arange(1, 1000), 0.125, 3.3
    assert ((eps * k <= time) & (time < (eps + 1) * k)).sum() > 10
    assert ((eps * k <= time) & (time < eps * (k + 1))).sum() == 1


def test_even_powers_of_the_input_are_no_martingale_differences():
    """Nor bounded: assumption (A) leaves out the Gaussian inputs of Lemma 1 and of Examples 1 to 3."""
    psi = np.random.default_rng(0).standard_normal(100_000)
    means = np.mean(psi[:, None] ** [1, 2, 3], axis=0)
    errors = np.std(psi[:, None] ** [1, 2, 3], axis=0) / np.sqrt(len(psi))
    assert np.all(abs(means - [0.0, 1.0, 0.0]) < 5 * errors)
    assert means[1] > 100 * errors[1]
    assert abs(psi).max() > 4.0


def test_the_regressors_second_moment_is_a_mean_and_not_a_covariance():
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    weights = weights / weights.sum()
    for l, double_factorial in ((1, 1.0), (2, 3.0), (3, 15.0)):
        mean = weights @ nodes ** (2 * l)
        variance = weights @ nodes ** (4 * l) - mean**2
        assert_allclose(mean, double_factorial)
        assert variance > 1.5 * double_factorial


def test_three_times_is_the_price_of_gaussian_inputs():
    """Random signs as inputs: sigma² + sigma⁴/(a - b)², in the limit as good as labels."""
    a, b, s = sympy.symbols("a b s", positive=True)
    R = sympy.Matrix([[2 * s**2, s**2 * (a + b)], [s**2 * (a + b), s**2 * (a**2 + b**2) + s**4]])
    J = sympy.Matrix([[1, 1], [b, a]]).inv()
    trace = sympy.simplify((J * R / 2 * J.T).trace())
    assert sympy.simplify(trace - (s**2 + s**4 / (a - b) ** 2)) == 0
    for first, second, sd in ((1.0, 5.0, 0.5), (4.0, 5.0, 0.1)):
        found = np.trace(lms_covariance([first, second], sd**2, inputs.Sign()).covariance)
        assert_allclose(found, float(trace.subs({a: first, b: second, s: sd})), rtol=1e-9)
        assert found < 3 * sd**2
    assert_allclose(
        lemma1(4, 5, 1e-4) / 1e-8, 124.5, rtol=1e-6
    )  # Gaussian inputs and close parameters: far above three


def test_the_reflected_polynomial_lacks_a_sign():
    """S(-s) = (-1)^L (s^L + sum (-1)^l lambda_l s^(L-l)): as printed for even L only."""
    s = sympy.Symbol("s")
    for L in (2, 3, 4, 5):
        theta = sympy.symbols(f"t1:{L + 1}")
        lam = sympy.Poly(sympy.prod(s + x for x in theta), s).all_coeffs()
        reflected = sympy.prod(-s + x for x in theta)
        printed = sum((-1) ** l * c * s ** (L - l) for l, c in enumerate(lam))
        assert sympy.expand(reflected - (-1) ** L * printed) == 0
        assert (sympy.expand(reflected - printed) == 0) == (L % 2 == 0)


def test_the_derivative_in_the_proof_of_the_sensitivity():
    """(t - 1)(t - 4) at 1 has slope -3; with (L - 1) t^(L-1) in place of L t^(L-1) it would be -4."""
    beta, at, L = (4.0, -5.0), 1.0, 2
    rest = sum(m * b * at ** (m - 1) for m, b in enumerate(beta) if m)
    assert L * at ** (L - 1) + rest == np.polyval(np.polyder([1.0, -5.0, 4.0]), at) == -3.0
    assert (L - 1) * at ** (L - 1) + rest == -4.0


# --- anonymity and likelihood ---------------------------------------------------------------------------------------


def posterior(y, theta, sd, moved):
    """Of both orders, from a uniform prior; `moved` says whether the likelihood of an order moves the parameters."""
    orders = [[0, 1], [1, 0]]
    densities = [np.exp(-np.sum((y - (theta[order] if moved else theta)) ** 2) / (2 * sd**2)) for order in orders]
    return np.array(densities) / sum(densities)


def test_the_printed_likelihood_of_an_order_does_not_depend_on_the_order():
    y, theta = np.array([5.1, 3.9]), np.array([4.0, 5.0])
    assert_array_equal(posterior(y, theta, 0.2, moved=False), [0.5, 0.5])
    assert posterior(y, theta, 0.2, moved=True)[1] > 0.999


@pytest.mark.parametrize(("theta", "sd"), [((4.0, 5.0), 1.0), ((1.0, 3.0), 1.0), ((1.0, 3.0), 0.7)])
def test_the_gaussian_likelihood_is_not_concave(theta, sd):
    """Between the two global maxima, at equal parameters, the expected log likelihood curves upwards by d²/(2 sigma⁴)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    v = np.array(list(product(nodes, repeat=2)))
    weights = np.array([prod(pair) for pair in product(weights / weights.sum(), repeat=2)])
    sets, middle, along = np.array(theta) + sd * v, np.full(2, np.mean(theta)), np.array([1.0, -1.0]) / np.sqrt(2)

    def expected(point):
        return weights @ log_likelihood(point, Gaussian(sd**2), sets)

    h = 1e-3
    curvature = (expected(middle + h * along) - 2 * expected(middle) + expected(middle - h * along)) / h**2
    assert_allclose(curvature, (theta[1] - theta[0]) ** 2 / (2 * sd**4), rtol=1e-3)
    assert_allclose(expected(np.array(theta)), expected(np.array(theta[::-1])))
    assert expected(np.array(theta)) > expected(middle)


# --- the examples ---------------------------------------------------------------------------------------------------


def test_ten_times_the_direct_step_of_example_1_is_stable():
    """Larger steps than 1e-7 are said to be unstable."""
    records = simulate("example-1", seed=1)
    ends = [
        direct_gradient(records.sets, records.inputs, step=step, start=[3, 6, 9]).final.ravel() for step in (1e-7, 1e-6)
    ]
    assert np.all(np.isfinite(ends[1]))
    assert abs(ends[1] - records.truth.ravel()).max() < abs(ends[0] - records.truth.ravel()).max()


def where_recursive_em_settles(gap, sd, model_variance, gaussian_inputs, step=5e-5):
    """The gap D of the two parameters at which the mean score is zero, and its standard deviation about it.

    The order of the readings is decided by tanh(psi d D / (2 s²)), d the difference of the readings, so the score of D is
    psi (d tanh(.) - psi D) / s². Here d = psi gap + v_1 - v_2, and v_1 - v_2 of two Laplace laws of scale b has density
    (1 + |x|/b) exp(-|x|/b) / (4 b).
    """
    b = sd / np.sqrt(2)
    x = np.linspace(-30 * b, 30 * b, 6001)
    density = (1 + abs(x) / b) * np.exp(-abs(x) / b) / (4 * b) * (x[1] - x[0])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60) if gaussian_inputs else (np.ones(1), np.ones(1))
    psi, weights = nodes[:, None], weights / weights.sum()
    d = psi * gap + x

    def score(D, power=1):
        one = psi * (d * np.tanh(psi * d * D / (2 * model_variance)) - psi * D) / model_variance
        return weights @ one**power @ density

    settled = brentq(score, 0.1, 20.0)
    slope = (score(settled - 1e-4) - score(settled + 1e-4)) / 2e-4
    return settled, np.sqrt(step * score(settled, 2) / (2 * slope))


def test_the_bias_of_recursive_em_in_example_2_belongs_to_another_setting():
    """Gaussian noise of variance one assumed, Laplace of standard deviation two there: the printed gaps need variance 1/2."""
    printed = {1.0: 5.4559 - 3.5590, 2.0: 3.2658 - 0.7405}  # by the true gap

    def deviations(*setting):
        settled = {gap: where_recursive_em_settles(gap, 2.0, *setting) for gap in printed}
        return np.array([(printed[gap] - mean) / sd for gap, (mean, sd) in settled.items()])

    gaps = [
        where_recursive_em_settles(gap, 2.0, *setting)[0] for setting in ((1.0, True), (0.5, True)) for gap in (1, 2)
    ]
    assert_allclose(gaps, [1.81, 2.48, 1.91, 2.54], atol=0.006)
    assert abs(deviations(1.0, True)).max() > 5  # as stated, with Gaussian inputs
    assert abs(deviations(1.0, False)).min() > 5  # as stated, without inputs
    assert abs(deviations(0.5, True)).max() < 2.5
    assert abs(where_recursive_em_settles(1.0, 2.0, 4.0, True)[0] - 1.0) < 0.08  # the right variance: little bias left
