import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive as twins
from tests.symmetric.cases import SEEDS, assert_rounding, checked, distance, points, separated
from vieta.symmetric import convolution, inverse_by_columns, polarized, undo_inputs
from vieta.symmetric.polarized import best_direction, generic_directions


@checked
@given(points(3, 2), points(4, 2, bound=1.0))
def test_directions_of_ones_own(y, u):
    t = polarized(3, 2, u)
    assert t.parameters.size == 3 * 4 * 2
    assert_rounding(t.transform(y), twins.polarized(y, u), twins.polarized(abs(y), abs(u)))


@checked
@given(points(4, 3))
def test_coefficients_are_gradients_of_elementary_polynomials(y):
    u = generic_directions(3, 3)
    z = polarized(4, 3).transform(y).reshape(4, 3, 3)
    for k in range(3):
        e = np.einsum("dj,j->d", z[:, k], u[k]) / np.arange(1, 5)
        assert_rounding(e, twins.elementary(y @ u[k]), twins.elementary(abs(y) @ abs(u[k])), factor=300)


def test_one_direction_has_as_many_numbers_as_unknowns():
    assert polarized(4, 10, np.eye(10)[:1]).parameters.size == 40
    assert polarized(5, 1).parameters.size == 5


@pytest.mark.parametrize(("dim", "count"), [(1, 1), (2, 3), (2, 7), (3, 6), (10, 20)])
def test_generic_directions_are_unit_vectors_in_general_position(dim, count):
    u = generic_directions(dim, count)
    assert u.shape == (count, dim)
    assert_allclose(np.linalg.norm(u, axis=1), 1.0)
    assert_array_equal(u, generic_directions(dim, count))
    if dim > 1:
        between = abs(u @ u.T) - np.eye(count)
        assert between.max() < 1 - 1e-3  # no two of them are parallel
        assert np.linalg.matrix_rank(u[:dim]) == min(dim, count)
        assert abs(u).min() > 1e-4  # none lies in a coordinate plane
        assert abs(np.diff(u, axis=1)).max(axis=0).min() > 0.1  # nor do two coordinates always go together


@pytest.mark.parametrize("D", [3, 8, 10])
def test_rows_that_differ_in_two_coordinates_only_are_told_apart(D):
    t, theta = polarized(2, D), np.ones((2, D))
    for i in range(D):
        for j in range(i):
            moved = theta.copy()
            moved[1, i] += 1.0
            moved[1, j] -= 1.0
            assert distance(t.inverse(t.transform(moved)).theta, moved) < 1e-8


def test_best_direction_has_the_largest_smallest_gap():
    theta = np.array([[0.0, 0.0], [0.0, 1.0], [0.1, 3.0]])
    assert best_direction(theta @ np.eye(2)) == 1
    assert best_direction(theta[:1] @ np.eye(2)) == 0
    assert_array_equal(best_direction(np.stack([theta, theta[:, ::-1]])), [1, 0])
    pair = np.array([[1 + 1j, 0.0], [1 - 1j, 0.1]])
    assert best_direction(pair) == 1  # a complex pair counts as not separated


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_rows_may_share_a_coordinate(axis, seed):
    theta = separated(np.random.default_rng(seed), 3, 3, gap=1.0)
    theta[:, axis] = 1.0
    t = polarized(3, 3)
    found = t.inverse(t.transform(theta))
    assert distance(found.theta, theta) < 1e-8
    assert found.condition < 1e6


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_share_the_first_coordinate_break_the_columns_only(seed):
    theta = separated(np.random.default_rng(seed), 2, 2, gap=1.0)
    theta[1, 0] = theta[0, 0] = 1.0
    columns, t = convolution(2, 2), polarized(2, 2)
    try:
        error = distance(inverse_by_columns(columns, columns.transform(theta)).theta, theta)
    except np.linalg.LinAlgError:
        error = np.inf
    assert error > 1e-2
    assert distance(t.inverse(t.transform(theta)).theta, theta) < 1e-10


def test_along_a_single_direction_that_does_not_separate_the_condition_says_so():
    theta = np.array([[1.0, 5.0], [1.0, -2.0]])
    blind, seeing = polarized(2, 2, np.eye(2)[:1]), polarized(2, 2)
    assert blind.inverse(blind.transform(theta)).condition > 1e7
    assert seeing.inverse(seeing.transform(theta)).condition < 1e3


# --- undoing inputs -------------------------------------------------------------------------------------------------


def test_the_identity_is_left_alone():
    sets = np.random.default_rng(0).normal(size=(4, 3, 2))
    undone, c = undo_inputs(sets, np.broadcast_to(np.eye(2), (4, 2, 2)))
    assert_array_equal(undone, sets)
    assert_array_equal(c, 1.0)


@checked
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_noise_free_sets_become_scaled_parameters_and_noise_does_not_grow(seed, L, D):
    rng = np.random.default_rng(seed)
    psi, theta = rng.normal(size=(5, D, D)), rng.normal(size=(L, D))
    condition = np.linalg.cond(psi).max()
    undone, c = undo_inputs(np.einsum("npd,ld->nlp", psi, theta), psi)
    assert_allclose(c, 1 / np.linalg.norm(np.linalg.inv(psi), ord=2, axis=(-2, -1)), rtol=1e-12 * condition)
    assert_allclose(undone, c[:, None, None] * theta, atol=1e-13 * condition * (1 + abs(psi).max()))
    v = rng.normal(size=(5, L, D))
    noise, _ = undo_inputs(v, psi)
    assert np.all(np.linalg.norm(noise, axis=-1) <= np.linalg.norm(v, axis=-1) * (1 + 1e-12 * condition))


def test_undone_sets_obey_the_polarized_model():
    rng = np.random.default_rng(2)
    psi, theta = rng.normal(size=(6, 3, 3)), rng.normal(size=(2, 3))
    undone, c = undo_inputs(np.einsum("npd,ld->nlp", psi, theta), psi)
    t = polarized(2, 3)
    assert_allclose(t.transform(undone), t.mean(theta, c[:, None, None] * np.eye(3)), rtol=1e-9, atol=1e-12)


def test_a_singular_input_is_named():
    psi = np.stack([np.eye(2), np.ones((2, 2)), np.zeros((2, 2))])
    with pytest.raises(ValueError, match=r"inputs\[1\] is a singular matrix.*\(2 such in all\).*Drop.*'tensor'"):
        undo_inputs(np.ones((3, 2, 2)), psi)
