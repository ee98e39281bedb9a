"""The multiplication table itself, and the paper's table for three systems in three dimensions."""

from itertools import permutations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_array_equal

from tests.symmetric.cases import ALL, LARGEST, build, symbolic
from vieta.symmetric import Algebra, convolution
from vieta.symmetric.algebra import Term

THETA = [[sympy.Symbol(f"theta_{l}{i}") for i in (1, 2, 3)] for l in (1, 2, 3)]
EXTENDED = [[sympy.Integer(1), *row] for row in THETA]  # theta_l0 = 1

# The paper's lambda_{l,m} stands at s^(l-1) t^(m-1) and so has degree 4 - l; here by degree, then by power of t.
TABLE = {
    1: [["001"], ["002"], ["003"]],
    2: [["011"], ["012"], ["013", "022"], ["023"], ["033"]],
    3: [["111"], ["112"], ["113", "122"], ["123", "222"], ["133", "223"], ["233"], ["333"]],
}


def bracket(indices, orders=None):
    """[a, b, c]: theta_1a theta_2b theta_3c summed over the orders, by default the distinct permutations."""
    orders = set(permutations(indices)) if orders is None else orders
    return sum(sympy.prod(row[int(i)] for row, i in zip(EXTENDED, order)) for order in orders)


def three_by_three():
    algebra = convolution(3, 3).parameters
    found = symbolic(algebra, THETA)
    return {d: found[block] for d, block in enumerate(algebra.blocks, start=1)}


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_table_for_three_systems_in_three_dimensions(degree):
    found = three_by_three()[degree]
    assert len(found) == len(TABLE[degree])
    for coefficient, brackets in zip(found, TABLE[degree]):
        assert sympy.expand(coefficient - sum(map(bracket, brackets))) == 0


def test_the_table_has_fifteen_entries():
    assert sum(map(len, TABLE.values())) == convolution(3, 3).parameters.size == 15


def test_brackets_count_distinct_permutations_only():
    """Six terms for every bracket, as they are displayed, count [1, 1, 2] twice and [1, 1, 1] six times."""
    found = three_by_three()[3]
    every = {b: bracket(b, list(permutations(b))) for b in ("111", "112", "123")}
    assert sympy.expand(every["111"] - 6 * found[0]) == 0
    assert sympy.expand(every["112"] - 2 * found[1]) == 0
    assert sympy.expand(every["123"] + bracket("222") - found[3]) == 0


def test_the_printed_expansion_of_lambda_23_is_three_terms_short():
    t = THETA
    printed = (
        t[0][0] * t[1][2]
        + t[1][0] * t[2][2]
        + t[0][0] * t[2][2]
        + t[0][1] * t[1][1]
        + t[0][1] * t[2][1]
        + t[1][1] * t[2][1]
    )
    missing = t[1][0] * t[0][2] + t[2][0] * t[0][2] + t[2][0] * t[1][2]
    found = three_by_three()[2][2]
    assert len(printed.args) == 6
    assert len(found.args) == 9
    assert sympy.expand(found - printed - missing) == 0


@pytest.mark.parametrize(
    ("name", "L", "D"), [("elementary", 4, 1), ("planar", 3, 2), ("tensor", 3, 2), ("naive", 2, 2)]
)
def test_jacobian_against_symbolic_derivatives(name, L, D):
    algebra = build(name, L, D).transform.parameters
    y = [[sympy.Symbol(f"y_{l}{i}") for i in range(D)] for l in range(L)]
    flat = [symbol for row in y for symbol in row]
    derivative = sympy.lambdify([flat], sympy.Matrix(symbolic(algebra, y)).jacobian(flat))
    for seed in (0, 1, 2):
        points = np.random.default_rng(seed).integers(-5, 6, size=(L, D)).astype(float)
        # Small integers: every product and sum is exact.
        assert_array_equal(algebra.jacobian(points).reshape(algebra.size, -1), derivative(points.ravel()))


@pytest.mark.parametrize(("name", "L", "D"), ALL)
def test_generators_commute_and_raise_the_degree_by_one(name, L, D):
    algebra = build(name, L, D).transform.parameters
    raised = algebra.degree[algebra.target] - algebra.degree[algebra.source]
    assert_array_equal(raised, 1)
    assert np.all(np.diff(algebra.degree[algebra.source]) <= 0)  # the order the in-place product relies on
    X = np.zeros((D, len(algebra.degree), len(algebra.degree)))
    np.add.at(X, (algebra.generator, algebra.target, algebra.source), algebra.weight)
    for i in range(D):
        for j in range(i):
            np.testing.assert_allclose(X[i] @ X[j], X[j] @ X[i], rtol=0, atol=1e-15)


@pytest.mark.parametrize(("name", "L", "D"), LARGEST)
def test_too_many_factors_would_be_cut_off_and_too_few_points_are_refused(name, L, D):
    algebra = build(name, L, D).transform.parameters
    with pytest.raises(ValueError, match="one row a system, one column a coordinate"):
        algebra.jacobian(np.zeros((L, D + 1)))
    with pytest.raises(ValueError, match="one row a system"):
        algebra.covariance(np.zeros((L + 1, D)), np.eye(D))


def test_a_table_in_any_order_makes_the_same_algebra():
    terms = [Term(0, 0, 1), Term(0, 1, 2), Term(0, 2, 3)]
    y = np.array([[2.0], [3.0], [5.0]])
    for order in permutations(terms):
        algebra = Algebra.from_terms(3, [0, 1, 2, 3], [0], list(order), [1, 2, 3])
        assert_array_equal(algebra.transform(y), [10.0, 31.0, 30.0])


def test_a_negative_eigenvalue_of_rounding_does_no_harm_to_the_covariance():
    algebra = build("tensor", 2, 2).transform.parameters
    v = np.array([1.0, 1.0 / 3.0])
    singular = np.outer(v, v) - 1e-17 * np.eye(2)
    result = algebra.covariance(np.ones((2, 2)), singular)
    assert np.all(np.isfinite(result))
    np.testing.assert_allclose(result, algebra.covariance(np.ones((2, 2)), np.outer(v, v)), atol=1e-14)
