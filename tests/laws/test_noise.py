import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.laws.noise import Finite, Gaussian, Laplace, Skewed, StudentT, Uniform

N = 20_000
LAWS = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "uniform": Uniform,
    "student": lambda variance: StudentT(variance, df=12),
    "skewed": lambda variance: Skewed(variance, skewness=1.5),
    "skewed to the left": lambda variance: Skewed(variance, skewness=-1.0),
    "finite": lambda variance: Finite(variance, values=(-3, 0, 1), probabilities=(0.2, 0.2, 0.6)),
}
MATRIX = np.array([[2.0, -0.6], [-0.6, 0.5]])
VARIANCES = {
    "number": (0.25, 3, 2, np.broadcast_to(0.25 * np.eye(2), (3, 2, 2))),
    "per system": ([0.1, 1.0, 9.0], 3, 2, np.array([0.1, 1.0, 9.0])[:, None, None] * np.eye(2)),
    "matrix": (MATRIX, 3, 2, np.broadcast_to(MATRIX, (3, 2, 2))),
    "matrix per system": (np.stack([MATRIX, np.eye(2)]), 2, 2, np.stack([MATRIX, np.eye(2)])),
    "scalar readings": (4.0, 1, 1, np.full((1, 1, 1), 4.0)),
}


def agrees(samples, expected):
    """The means of samples (n, ...) lie within five of their own standard errors of what is expected."""
    error = samples.std(axis=0) / np.sqrt(len(samples))
    return np.all(np.abs(samples.mean(axis=0) - expected) < 5 * error + 1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("shape", VARIANCES)
@pytest.mark.parametrize("name", LAWS)
def test_mean_and_covariance_are_as_declared(name, shape, seed):
    variance, L, p, covariance = VARIANCES[shape]
    v = LAWS[name](variance).draw(np.random.default_rng(seed), N, L, p)
    products = v[..., :, None] * v[..., None, :]
    assert v.shape == (N, L, p)
    assert agrees(v, 0.0)
    assert agrees(products, covariance)
    assert not agrees(products, 1.25 * covariance)  # the test can fail
    assert not agrees(v, 0.25 * np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1)))


@pytest.mark.parametrize("name", LAWS)
def test_systems_are_independent(name):
    v = LAWS[name](1.0).draw(np.random.default_rng(3), N, 2, 1)[..., 0]
    assert agrees(v[:, 0] * v[:, 1], 0.0)


@pytest.mark.parametrize("skewness", [1.5, -0.8])
def test_skewness_is_as_declared(skewness):
    v = Skewed(1.0, skewness=skewness).draw(np.random.default_rng(0), N, 2, 1)
    assert agrees(v**3, skewness)
    assert not agrees(v**3, 1.5 * skewness)


@pytest.mark.parametrize(
    ("law", "kurtosis"), [(Gaussian(), 3.0), (Laplace(), 6.0), (Uniform(), 1.8), (StudentT(df=20), 3.375)]
)
def test_fourth_moments_tell_the_laws_apart(law, kurtosis):
    v = law.draw(np.random.default_rng(1), 5 * N, 1, 1)
    assert agrees(v**4, kurtosis)


def test_finite_noise_takes_its_values_only():
    v = Finite(variance=4.0, values=(-1, 1)).draw(np.random.default_rng(0), 100, 2, 1)
    assert_array_equal(np.unique(v), [-2.0, 2.0])


@pytest.mark.parametrize("name", LAWS)
def test_variance_zero_is_silence(name):
    assert_array_equal(LAWS[name](0.0).draw(np.random.default_rng(0), 5, 2, 2), np.zeros((5, 2, 2)))


def test_a_singular_covariance_keeps_noise_on_its_line():
    v = Gaussian(np.ones((2, 2))).draw(np.random.default_rng(0), 100, 1, 2)
    assert_allclose(v[..., 0], v[..., 1], atol=1e-7)


@given(st.sampled_from(sorted(LAWS)), st.integers(1, 6), st.integers(1, 5), st.integers(1, 4), st.integers(0, 99))
def test_a_longer_draw_begins_with_the_shorter(name, n, L, p, seed):
    law = LAWS[name](np.eye(p))
    short = law.draw(np.random.default_rng(seed), n, L, p)
    assert short.shape == (n, L, p)
    assert_array_equal(law.draw(np.random.default_rng(seed), 2 * n, L, p)[:n], short)


def test_laws_compare_by_value():
    assert Gaussian(np.eye(2)) == Gaussian([[1, 0], [0, 1]])
    assert Gaussian(1.0) != Laplace(1.0)
    assert hash(StudentT(2.0, df=7)) == hash(StudentT(2.0, df=7.0))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Gaussian(-1.0), "`variance` must not be negative, got -1.0"),
        (lambda: Laplace([1.0, -1.0]), "`variance` must not be negative"),
        (lambda: Gaussian(np.nan), "`variance` must be finite"),
        (lambda: Gaussian([[1.0, 2.0], [2.0, 1.0]]), "positive semidefinite, got least eigenvalue -1"),
        (lambda: Gaussian([[1.0, 0.5], [0.0, 1.0]]), "must be symmetric"),
        (lambda: Gaussian(np.ones((2, 3))), r"must have shape \(\), \(L,\), \(p, p\) or \(L, p, p\), got \(2, 3\)"),
        (lambda: StudentT(df=2), "`df` must be one number between 2"),
        (lambda: Skewed(skewness=0), "Use Gaussian for a symmetric law"),
        (lambda: Finite(values=(0, 1)), "mean zero, got mean 0.5. Subtract it"),
        (lambda: Finite(values=(0, 0)), "positive variance"),
        (lambda: Finite(values=(-1, 1), probabilities=(0.5, 0.4)), "add up to 1"),
        (lambda: Finite(values=(-1, 0, 1), probabilities=(0.5, 0.5)), r"one length, got \(3,\), \(2,\)"),
    ],
)
def test_bad_settings_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("variance", [[1.0, 2.0], np.eye(3), np.ones((2, 1, 1))])
def test_a_variance_that_does_not_fit_is_refused(variance):
    with pytest.raises(ValueError, match="3 systems with readings of dimension 2 need"):
        Gaussian(variance).draw(np.random.default_rng(0), 5, 3, 2)
