import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.errors import InputError
from vieta.laws.inputs import (
    DRAWS,
    Affine,
    Constant,
    Gaussian,
    Given,
    Identity,
    Line,
    Matrices,
    Rows,
    ScalarMatrices,
    Sign,
    Uniform,
)

LAWS = {
    "constant": (Constant(2.0), lambda n, D: (n,)),
    "gaussian": (Gaussian(mean=1.0, variance=4.0), lambda n, D: (n,)),
    "uniform": (Uniform(-1, 3), lambda n, D: (n,)),
    "sign": (Sign(), lambda n, D: (n,)),
    "rows": (Rows(variance=0.25), lambda n, D: (n, D)),
    "square matrices": (Matrices(), lambda n, D: (n, D, D)),
    "wide matrices": (Matrices(rows=5), lambda n, D: (n, 5, D)),
    "scalar matrices": (ScalarMatrices(Sign()), lambda n, D: (n, D, D)),
}


@given(st.sampled_from(sorted(LAWS)), st.integers(1, 8), st.integers(1, 4), st.integers(0, 99))
def test_shape_and_prefix(name, n, D, seed):
    law, shape = LAWS[name]
    short = law.draw(np.random.default_rng(seed), n, D)
    assert short.shape == shape(n, D)
    assert_array_equal(law.draw(np.random.default_rng(seed), n + 5, D)[:n], short)


@pytest.mark.parametrize(
    ("law", "mean", "variance"),
    [
        (Gaussian(mean=1.0, variance=4.0), 1.0, 4.0),
        (Uniform(-1, 3), 1.0, 16 / 12),
        (Sign(), 0.0, 1.0),
        (Rows(variance=0.25), 0.0, 0.25),
        (Matrices(rows=2, variance=9.0), 0.0, 9.0),
    ],
)
def test_mean_and_variance_are_as_declared(law, mean, variance):
    n = 40_000
    x = law.draw(np.random.default_rng(0), n, 2).reshape(n, -1)
    square = (x - mean) ** 2
    error = square.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(x.mean(axis=0) - mean) < 5 * np.sqrt(variance / n))
    assert np.all(np.abs(square.mean(axis=0) - variance) < 5 * error + 5 * variance / n)
    assert np.all(np.abs(square.mean(axis=0) - 1.25 * variance) > 5 * error)  # the test can fail


def test_signs_and_bounds():
    rng = np.random.default_rng(0)
    assert set(Sign().draw(rng, 100, 1)) == {-1.0, 1.0}
    x = Uniform(-1, 3).draw(rng, 1000, 1)
    assert x.min() >= -1
    assert x.max() < 3


def test_a_line_is_one_and_time():
    assert_allclose(Line(step=0.5).draw(np.random.default_rng(0), 3, 2), [[1, 0], [1, 0.5], [1, 1]])


def test_an_affine_input_is_one_and_a_number():
    drawn = Affine(Uniform(-1, 3)).draw(np.random.default_rng(0), 5, 2)
    assert_array_equal(drawn[:, 0], 1.0)
    assert_array_equal(drawn[:, 1], Uniform(-1, 3).draw(np.random.default_rng(0), 5, 2))
    with pytest.raises(ValueError, match="value at zero and slope, got D = 3"):
        Affine().draw(np.random.default_rng(0), 5, 3)
    with pytest.raises(ValueError, match="`x` must be a law of numbers"):
        Affine(Rows())


def test_given_inputs_are_cut_and_copied():
    array = np.arange(12.0).reshape(6, 2)
    drawn = Given(array).draw(np.random.default_rng(0), 4, 2)
    assert_array_equal(drawn, array[:4])
    drawn[0] = 0.0
    assert_array_equal(Given(array).draw(np.random.default_rng(0), 1, 2), array[:1])


def test_scalar_matrices_are_the_scalars_times_identity():
    matrices = ScalarMatrices(Gaussian()).draw(np.random.default_rng(4), 7, 3)
    scalars = Gaussian().draw(np.random.default_rng(4), 7, 3)
    assert_array_equal(matrices, scalars[:, None, None] * np.eye(3))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Gaussian(variance=0.0), "`variance` must be one number between 0"),
        (lambda: Uniform(3, 1), "`high` must be one number between 3"),
        (lambda: Constant(np.inf), "`value` must be finite"),
        (lambda: Matrices(rows=0), "`rows` must be an integer of at least 1, got 0"),
        (lambda: Line(step=-1.0), "`step` must be one number between 0"),
        (lambda: Given(3.0), r"shape \(M,\), \(M, D\) or \(M, p, D\), got \(\)"),
        (lambda: Line().draw(np.random.default_rng(0), 5, 3), "Line needs D = 2"),
        (lambda: Given(np.ones(3)).draw(np.random.default_rng(0), 5, 1), "holds 3 inputs, but n = 5"),
        (lambda: Given(np.ones((9, 2))).draw(np.random.default_rng(0), 5, 3), "last axis must be D = 3"),
    ],
)
def test_bad_settings_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("law", [Rows(2.0), Affine(Uniform(0, 3)), Matrices(rows=2), ScalarMatrices(Sign())], ids=str)
def test_laws_of_rows_and_matrices_are_averaged_over_a_fixed_sample(law):
    points, again = law.points(2), law.points(2)
    assert points.psi.shape[0] == len(points.weights) == DRAWS
    assert_allclose(points.weights, 1.0 / DRAWS)
    assert_array_equal(points.psi, again.psi)
    flat = law.draw(np.random.default_rng(1), DRAWS, 2).reshape(DRAWS, -1)
    for mine, theirs in ((points.psi.reshape(DRAWS, -1), flat), (points.psi.reshape(DRAWS, -1) ** 2, flat**2)):
        error = np.hypot(mine.std(axis=0), theirs.std(axis=0)) / np.sqrt(DRAWS)
        assert np.all(abs(mine.mean(axis=0) - theirs.mean(axis=0)) < 5 * error + 1e-12)


def test_points_of_the_simple_laws():
    assert Identity().points(3).psi.tolist() == [1.0]
    assert Constant(-2.0).points(1).psi.tolist() == [-2.0]
    assert sorted(Sign().points(1).psi.tolist()) == [-1.0, 1.0]
    assert Given([[1.0, 2.0], [3.0, 4.0]]).points(2).psi.tolist() == [[[1.0, 2.0]], [[3.0, 4.0]]]
    with pytest.raises(InputError) as caught:
        Line().points(2)
    assert caught.value.code == "inputs-grow"
