"""The two-variable transform: which inputs it can take, what it would cost to ignore that, and its two inverses."""

from itertools import product
from math import comb

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests import naive as twins
from tests.symmetric.cases import SEEDS, checked, distance, family, separated
from vieta.errors import NotClosedError
from vieta.symmetric import convolution, inverse_by_columns, is_closed, tensor

EXAMPLE_4 = np.array(
    [
        [1, 3, 4, 5, 7, 9, 10, 11, 12, 13],
        [2, 4, 5, 10, 8, 7, 1, 8, 9, 10],
        [3, 1, 2, 7, 6, 5, 4, 5, 7, 9],
        [6, 12, 18, 24, 36, 43, 50, 10, 1, 3],
    ],
    dtype=float,
)


@pytest.mark.parametrize(("L", "D"), [(1, 1), (2, 2), (3, 3), (4, 10)])
def test_number_of_coefficients(L, D):
    t = convolution(L, D)
    assert t.parameters.size == L + (D - 1) * L * (L + 1) // 2
    assert [b.stop - b.start for b in t.parameters.blocks] == [d * (D - 1) + 1 for d in range(1, L + 1)]


# --- two dimensions: every input ------------------------------------------------------------------------------------


def plane_symbols(l):
    psi = sympy.Matrix(2, 2, sympy.symbols("p11 p12 p21 p22"))
    theta = [sympy.Matrix(sympy.symbols(f"a{i} b{i}")) for i in range(l)]
    return psi, theta, sympy.Symbol("t")


def product_of_polynomials(points, t):
    """Coefficients of prod (x + y t), constant first: the top degree of the transform."""
    polynomial = sympy.Poly(sympy.prod(x + y * t for x, y in points), t)
    return [polynomial.coeff_monomial(t**m) for m in range(len(points) + 1)]


@pytest.mark.parametrize("l", [2, 3])
def test_the_map_from_columns_is_right_and_the_printed_one_from_rows_is_wrong(l):
    psi, theta, t = plane_symbols(l)
    lam = product_of_polynomials(theta, t)
    truth = product_of_polynomials([psi * x for x in theta], t)
    from_columns = [product_of_polynomials([psi.col(0)] * (l - n) + [psi.col(1)] * n, t) for n in range(l + 1)]
    from_rows = [product_of_polynomials([psi.row(0)] * (l - m) + [psi.row(1)] * m, t) for m in range(l + 1)]
    for m in range(l + 1):
        right = sum(from_columns[n][m] * lam[n] for n in range(l + 1))
        printed = sum(from_rows[m][n] * lam[n] for n in range(l + 1))
        assert sympy.expand(right - truth[m]) == 0
        assert sympy.expand(printed - truth[m]) != 0
    numbers = np.random.default_rng(l).normal(size=(2, 2))
    at = dict(zip(psi, numbers.ravel()))
    expected = [[float(from_columns[n][m].subs(at)) for n in range(l + 1)] for m in range(l + 1)]
    assert_allclose(convolution(l, 2).gains(numbers[None])[-1][0], expected, rtol=1e-12)


@checked
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_every_input_of_the_plane_has_a_linear_model(seed, L):
    rng = np.random.default_rng(seed)
    theta, psi = rng.normal(size=(L, 2)), rng.normal(size=(3, 2, 2))
    assert is_closed(psi).all()
    expected = [twins.convolution(theta @ P.T) for P in psi]
    assert_allclose(convolution(L, 2).mean(theta, psi), expected, rtol=1e-9, atol=1e-9 * (1 + abs(psi).max()) ** L)


# --- three dimensions and more: a thin family only ------------------------------------------------------------------


def shift(D, b):
    """t -> t + b: column j holds the coefficients of (t + b)^j."""
    return np.array([[comb(j, i) * b ** (j - i) if i <= j else 0.0 for j in range(D)] for i in range(D)])


ACCEPTED = {
    "scalar": lambda D, rng: rng.normal() * np.eye(D),
    "geometric diagonal": lambda D, rng: rng.normal() * np.diag(rng.uniform(-2, 2) ** np.arange(D)),
    "reversal": lambda D, rng: rng.normal() * np.eye(D)[::-1],
    "shift": lambda D, rng: shift(D, rng.normal()),
    "rank one": lambda D, rng: np.outer(rng.normal(size=D), rng.normal() ** np.arange(D)),
    "general": lambda D, rng: family(D, rng, 1)[0],
}
REFUSED = {
    "generic diagonal": lambda D, rng: np.diag(np.arange(1.0, D + 1)),
    "cyclic permutation": lambda D, rng: np.roll(np.eye(D), 1, axis=0),
    "swap": lambda D, rng: np.eye(D)[[1, 0, *range(2, D)]],
    "generic rank one": lambda D, rng: np.outer(rng.normal(size=D), np.arange(1.0, D + 1)),
    "random": lambda D, rng: rng.normal(size=(D, D)),
    "nearly scalar": lambda D, rng: np.eye(D) + 1e-6 * rng.normal(size=(D, D)),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("D", [3, 4, 5])
@pytest.mark.parametrize("kind", ACCEPTED)
def test_the_family_is_accepted_and_exact(kind, D, seed):
    rng = np.random.default_rng(seed)
    psi, theta = ACCEPTED[kind](D, rng), rng.normal(size=(3, D))
    assert is_closed(psi[None]).all()
    expected = twins.convolution(theta @ psi.T)
    size = twins.convolution(abs(theta) @ abs(psi.T)).max()
    assert_allclose(convolution(3, D).mean(theta, psi[None])[0], expected, rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize("D", [3, 4, 5])
@pytest.mark.parametrize("kind", REFUSED)
def test_others_are_refused_and_two_transforms_named_that_take_them(kind, D):
    psi = np.stack([np.eye(D), REFUSED[kind](D, np.random.default_rng(D))])
    assert is_closed(psi).tolist() == [True, False]
    with pytest.raises(NotClosedError, match=r"inputs\[1\].*\(1 of 2 inputs\).*'tensor'.*'polarized'"):
        convolution(2, D).gains(psi)
    assert issubclass(NotClosedError, ValueError)


def test_one_system_takes_any_square_input():
    psi = np.random.default_rng(0).normal(size=(4, 3, 3))
    theta = np.array([[1.0, -2.0, 3.0]])
    assert_allclose(convolution(1, 3).mean(theta, psi), psi @ theta[0])


def test_inputs_that_are_not_square_are_refused():
    with pytest.raises(NotClosedError, match=r"square inputs, and 1 x 3 ones were given.*'tensor'"):
        convolution(2, 3).gains(np.ones((5, 1, 3)))


def test_a_refused_input_has_no_linear_model_at_all():
    """[1, 3] and [2, 2] share one power of t, so they look alike before the input and different after it."""
    top = lambda *rows: twins.convolution(rows)[3:]  # noqa: E731
    u, v, w = np.eye(3)
    assert_allclose(top(u, w), top(v, v))
    psi = REFUSED["cyclic permutation"](3, None)
    assert abs(top(psi @ u, psi @ w) - top(psi @ v, psi @ v)).max() == 1.0
    shifted = ACCEPTED["shift"](3, np.random.default_rng(0))
    assert_allclose(top(shifted @ u, shifted @ w), top(shifted @ v, shifted @ v))


# --- the bias of looking away ---------------------------------------------------------------------------------------


def product_of_columns(psi, choice):
    """Coefficients (N, d(D-1)+1) of the product of the chosen columns, for each input."""
    D = psi.shape[-1]
    result = np.ones((len(psi), 1))
    for j in choice:
        wide = np.zeros((len(psi), result.shape[1] + D - 1))
        for i in range(D):
            wide[:, i : i + result.shape[1]] += psi[:, i, j, None] * result
        result = wide
    return result


def averaged_map(psi, degree):
    """Column n: the product of d columns of Psi averaged over all ordered choices whose indices add up to n."""
    D = psi.shape[-1]
    choices = list(product(range(D), repeat=degree))
    columns = [[product_of_columns(psi, c) for c in choices if sum(c) == n] for n in range(degree * (D - 1) + 1)]
    return np.stack([np.mean(column, axis=0) for column in columns], axis=-1)


def canonical_map(psi, degree):
    """Column n: the product of d columns with indices as even as possible."""
    choices = [[(n + i) // degree for i in range(degree)] for n in range(degree * (psi.shape[-1] - 1) + 1)]
    return np.stack([product_of_columns(psi, choice) for choice in choices], axis=-1)


def least_squares(A, z):
    """Coefficients and their standard errors, whatever the noise."""
    inverse = np.linalg.inv(np.einsum("nij,nik->jk", A, A))
    found = inverse @ np.einsum("nij,ni->j", A, z)
    score = np.einsum("nij,ni->nj", A, z - A @ found)
    return found, np.sqrt(np.diag(inverse @ (score.T @ score) @ inverse))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("theta", [[[1.0, 2, 3], [-2, 1, 4]], [[-2.0, 6, 1], [4, 5, -3]]])
def test_with_gaussian_inputs_in_three_dimensions_it_would_be_biased_and_the_tensor_is_not(theta, seed):
    n, rng, theta = 40_000, np.random.default_rng(seed), np.array(theta)
    psi = rng.normal(size=(n, 3, 3))
    y = np.einsum("npd,ld->nlp", psi, theta) + 0.1 * rng.normal(size=(n, 2, 3))
    z = convolution(2, 3).transform(y)[:, 3:]
    truth = convolution(2, 3).transform(theta)[3:]

    found, error = least_squares(averaged_map(psi, 2), z)
    assert (abs(found - truth) / error).max() > 20
    # Exact moments of Gaussian inputs: the middle product stands for two monomials of unequal weight.
    L13, L22 = theta[0, 0] * theta[1, 2] + theta[0, 2] * theta[1, 0], theta[0, 1] * theta[1, 1]
    limit = truth - (L13 - 2 * L22) / 25 * np.array([1.0, 0, 1, 0, 1])
    assert np.all(abs(found - limit) < 5 * error)

    found, error = least_squares(canonical_map(psi, 2), z)
    assert (abs(found - truth) / error).max() > 20

    t = tensor(2, 3, 3)
    found, error = least_squares(t.gains(psi)[1], t.transform(y)[:, t.readings.blocks[1]])
    right = t.parameters.transform(theta)[t.parameters.blocks[1]]
    assert np.all(abs(found - right) < 5 * error)
    assert error.max() < 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_plane_the_map_from_columns_is_unbiased_and_the_printed_one_is_not(seed):
    n, rng, theta = 40_000, np.random.default_rng(seed), np.array([[-2.0, 6.0], [4.0, 5.0]])
    psi = rng.normal(size=(n, 2, 2))
    y = np.einsum("npd,ld->nlp", psi, theta) + 0.1 * rng.normal(size=(n, 2, 2))
    t = convolution(2, 2)
    z, truth = t.transform(y)[:, 2:], t.transform(theta)[2:]
    found, error = least_squares(t.gains(psi)[1], z)
    assert np.all(abs(found - truth) < 5 * error)
    rows = np.swapaxes(t.gains(np.swapaxes(psi, 1, 2))[1], 1, 2)
    found, error = least_squares(rows, z)
    assert (abs(found - truth) / error).max() > 20
    limit = [(52 * truth[0] - 2 * truth[2]) / 45, 0.6 * truth[1], (52 * truth[2] - 2 * truth[0]) / 45]
    assert np.all(abs(found - limit) < 5 * error)


# --- inverses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [2, 1]],  # meet at t = 1
        [[1, 2], [2, 3], [3, 4]],  # all three meet at t = -1
        [[1, 2, 3], [3, 2, 1]],  # meet at both
        [[1, 0, 1], [0, 0, 0], [2, 1, 2]],  # meet at i and -i
        [[1, 1], [1, 2]],  # meet at t = 0: they share their first coordinate
        [[0, 0], [0, 1]],
        [[0, 0], [0, 0.5], [3, 0]],
    ],
)
def test_rows_that_meet_somewhere_on_a_circle_are_told_apart_on_another(rows):
    theta, t = np.array(rows, dtype=float), convolution(*np.shape(rows))
    found = t.inverse(t.transform(theta))
    assert distance(found.theta, theta) < 1e-8
    assert not found.is_complex.any()


@pytest.mark.parametrize(("L", "D"), [(2, 2), (3, 2), (3, 3), (4, 3), (5, 2), (2, 6), (4, 6)])
def test_random_integers_come_back(L, D):
    t = convolution(L, D)
    for seed in range(30):
        theta = np.random.default_rng(seed).integers(-5, 6, size=(L, D)).astype(float)
        if len(np.unique(theta, axis=0)) == L:
            assert distance(t.inverse(t.transform(theta)).theta, theta) < 1e-6


def test_zero_parameters_come_back_as_zero():
    found = convolution(3, 3).inverse(np.zeros(15))
    assert_allclose(found.theta, 0.0, atol=1e-12)
    assert found.condition == np.inf


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("L", "D"), [(1, 1), (1, 4), (3, 1), (2, 2), (3, 3)])
def test_inverse_by_columns_is_exact_where_first_coordinates_differ(L, D, seed):
    t, theta = convolution(L, D), separated(np.random.default_rng(seed), L, D, gap=1.0)
    found = inverse_by_columns(t, np.stack([t.transform(theta)] * 2))
    assert found.theta.shape == (2, L, D)
    assert distance(found.theta[1], theta) < 1e-8
    assert inverse_by_columns(t, np.empty((0, t.parameters.size))).theta.shape == (0, L, D)


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_by_columns_fails_where_first_coordinates_are_shared(seed):
    theta = separated(np.random.default_rng(seed), 3, 3, gap=1.0)
    theta[1, 0] = theta[0, 0]
    t = convolution(3, 3)
    lam = t.transform(theta)
    assert distance(t.inverse(lam).theta, theta) < 1e-8
    try:
        by_columns = inverse_by_columns(t, lam)
    except np.linalg.LinAlgError:
        return
    assert by_columns.condition > 1e6
    assert distance(by_columns.theta, theta) > 1e-8


def test_both_inverses_on_the_exact_coefficients_of_the_papers_example_4():
    t = convolution(4, 10)
    lam = t.transform(EXAMPLE_4)
    robust, by_columns = t.inverse(lam), inverse_by_columns(t, lam)
    assert_allclose(robust.theta, EXAMPLE_4, atol=1e-9)
    assert_allclose(by_columns.theta, EXAMPLE_4, atol=1e-6)
    assert by_columns.condition > 1e10
    assert robust.condition < 1e-3 * by_columns.condition


@pytest.mark.parametrize("seed", range(5))
def test_under_noise_the_columns_degrade_one_by_one_and_the_robust_inverse_does_not(seed):
    n, sigma, t = 400, 0.1, convolution(4, 10)
    y = EXAMPLE_4 + sigma * np.random.default_rng(seed).normal(size=(n, 4, 10))
    lam = t.transform(y).mean(axis=0)
    floor = sigma / np.sqrt(n)  # of an analyst who has the labels
    rms = lambda found: np.sqrt(((found.theta - EXAMPLE_4) ** 2).mean(axis=0))  # noqa: E731
    robust, by_columns = rms(t.inverse(lam)), rms(inverse_by_columns(t, lam))
    labelled = np.sqrt(((y.mean(axis=0) - EXAMPLE_4) ** 2).mean())
    assert np.sqrt((robust**2).mean()) < 1.3 * floor
    assert abs(labelled / floor - 1) < 5 / np.sqrt(2 * EXAMPLE_4.size)
    assert by_columns[0] < 3 * floor
    assert by_columns[9] > 100 * floor
    slope = np.polyfit(np.arange(10), np.log(by_columns), 1)[0]
    assert slope > np.log(2)  # at least twice from column to column
