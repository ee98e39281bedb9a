"""Densities and scores of the laws, against their own draws, quadrature and scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from vieta.laws.noise import Density, Finite, Gaussian, Laplace, Skewed, StudentT, Uniform, as_law
from vieta.scenarios import simulate


def logistic(v):
    return -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v)))


LAWS = {
    "gaussian": (Gaussian, stats.norm()),
    "laplace": (Laplace, stats.laplace(scale=np.sqrt(0.5))),
    "uniform": (Uniform, stats.uniform(-np.sqrt(3), 2 * np.sqrt(3))),
    "student": (lambda c=1.0: StudentT(c, df=5), stats.t(5, scale=np.sqrt(3 / 5))),
    "skewed": (lambda c=1.0: Skewed(c, skewness=1.0), stats.gamma(4, loc=-2, scale=0.5)),
    "density": (lambda c=1.0: Density(logistic, variance=c), stats.logistic(scale=np.sqrt(3) / np.pi)),
}
SMOOTH = [name for name in LAWS if name != "uniform"]
MATRIX = np.array([[2.0, -0.6], [-0.6, 0.5]])
VARIANCES = {
    "number": (0.25, 3, 2, [0.25 * np.eye(2)] * 3),
    "per system": ([0.1, 1.0, 9.0], 3, 2, [0.1 * np.eye(2), np.eye(2), 9.0 * np.eye(2)]),
    "matrix": (MATRIX, 3, 2, [MATRIX] * 3),
    "matrix per system": (np.stack([MATRIX, np.eye(2)]), 2, 2, [MATRIX, np.eye(2)]),
    "scalar readings": (4.0, 1, 1, [4.0 * np.eye(1)]),
}


@pytest.mark.parametrize("name", LAWS)
def test_densities_at_variance_one_are_those_of_scipy(name):
    make, oracle = LAWS[name]
    u = np.random.default_rng(0).normal(size=(50, 3, 1))
    assert_allclose(make().log_density(u), oracle.logpdf(u[..., 0]), rtol=1e-9, atol=1e-9)
    far = np.array([[[-3.0]], [[3.0]]])
    assert_allclose(make().log_density(far), oracle.logpdf(far[..., 0]), rtol=1e-9)


@pytest.mark.parametrize("shape", VARIANCES)
@pytest.mark.parametrize("name", LAWS)
def test_colouring_is_a_change_of_variables(name, shape):
    """log p(C^(1/2) u) = sum log f(u) - log det C / 2, with u what a draw starts from."""
    variance, L, p, covariance = VARIANCES[shape]
    make, _ = LAWS[name]
    v = make(variance).draw(np.random.default_rng(1), 20, L, p)
    u = make(1.0).draw(np.random.default_rng(1), 20, L, p)
    expected = make(1.0).log_density(u) - np.array([0.5 * np.log(np.linalg.det(c)) for c in covariance])
    assert_allclose(make(variance).log_density(v), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shape", VARIANCES)
@pytest.mark.parametrize("name", SMOOTH)
def test_scores_are_derivatives(name, shape):
    variance, L, p, _ = VARIANCES[shape]
    law = LAWS[name][0](variance)
    v = law.draw(np.random.default_rng(2), 10, L, p)
    score, step = law.score(v), 1e-6
    for q in range(p):
        e = step * np.eye(p)[q]
        slope = (law.log_density(v - e) - law.log_density(v + e)) / (2 * step)
        assert_allclose(score[..., q], slope, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "student", "density"])
def test_scores_have_mean_zero_and_turn_a_shift_into_one(name):
    """E s(v) = 0 and E s(v) v' = I: what every density with thin tails satisfies."""
    v = LAWS[name][0](MATRIX).draw(np.random.default_rng(3), 20_000, 1, 2)[:, 0]
    s = LAWS[name][0](MATRIX).score(v)

    def agrees(sample, expected):
        return np.all(abs(sample.mean(axis=0) - expected) < 5 * sample.std(axis=0) / np.sqrt(len(sample)))

    assert agrees(s, 0.0)
    assert agrees(s[:, :, None] * v[:, None, :], np.eye(2))
    assert not agrees(s[:, :, None] * v[:, None, :], 1.2 * np.eye(2))  # the test can fail


@pytest.mark.parametrize("name", LAWS)
def test_a_scaled_density_integrates_to_one(name):
    law = LAWS[name][0](1.0).scaled(0.04)
    edge = 0.2 * np.sqrt(3) if name == "uniform" else 8.0
    points = [-0.4, 0.0] if name != "uniform" else [0.0]
    total, _ = integrate.quad(
        lambda v: np.exp(law.log_density(np.array([[v]]))[0]), -edge, edge, points=points, limit=200
    )
    assert_allclose(total, 1.0, atol=1e-6)
    assert law.variance == 0.04


def test_densities_vanish_where_their_law_cannot_be():
    out = np.array([[[-5.0]], [[5.0]]])
    assert_array_equal(Uniform().log_density(out), -np.inf)
    assert_array_equal(Skewed(skewness=1.0).log_density(out)[0], -np.inf)
    assert_array_equal(Skewed(skewness=1.0).score(out)[0], 0.0)
    box = Density(lambda v: np.where(np.abs(v) < 1.0, -np.log(2.0), -np.inf))
    assert_array_equal(box.log_density(out), -np.inf)
    assert_array_equal(box.score(out), 0.0)


def test_a_density_of_ones_own_is_drawn_from():
    law = Density(lambda v: stats.t(5).logpdf(v))
    assert_allclose(law.variance, 5 / 3, rtol=1e-4)
    v = law.draw(np.random.default_rng(0), 20_000, 1, 1).ravel()
    assert stats.kstest(v, stats.t(5).cdf).pvalue > 1e-3
    assert stats.kstest(v, stats.norm(scale=np.sqrt(5 / 3)).cdf).pvalue < 1e-3
    assert simulate((1.0, 2.0), n=5, seed=0, noise=law).sets.shape == (5, 2)
    tiny = Density(lambda v: stats.norm(scale=1e-6).logpdf(v))
    assert_allclose(tiny.variance, 1e-12, rtol=1e-4)


def test_laws_from_variances():
    assert as_law(4.0) == Gaussian(4.0)
    assert as_law(MATRIX) == Gaussian(MATRIX)
    assert as_law(Laplace(2.0)) == Laplace(2.0)


def gauss(v, mean=0.0, forgotten=0.0):
    return -0.5 * (v - mean) ** 2 - 0.5 * np.log(2 * np.pi) + forgotten


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: as_law(-1.0), "`variance` must not be negative, got -1.0"),
        (lambda: as_law("gaussian"), "must be a variance or a law with a density.*got 'gaussian'.*Laplace"),
        (lambda: as_law(Gaussian), "must be a variance or a law"),
        (lambda: Density(lambda v: gauss(v, forgotten=0.5)), r"integrates to 1\.648.*Subtract 0\.5 from it"),
        (lambda: Density(lambda v: np.full_like(v, -np.inf)), "integrates to 0, not to 1. Check its sign"),
        (lambda: Density(lambda v: v.nothing), "must map an array of numbers to numbers; it raised: .* no attribute"),
        (lambda: as_law(gauss), r"must be a variance or a law .*Density\(log_density\)"),
        (lambda: Density(lambda v: gauss(v, mean=0.5)), r"must have mean zero, got mean 0\.5\. Shift it"),
        (lambda: Density(stats.cauchy.logpdf), "must have a finite variance: its tails are too heavy"),
        (
            lambda: Density(lambda v: np.full_like(v, np.nan)),
            "one number below infinity for each.*values that are NaN or infinity",
        ),
        (lambda: Density(lambda v: 0.0), "Write it with numpy, entry by entry"),
        (lambda: Density(lambda v: v + "a"), "must map an array of numbers to numbers"),
        (lambda: Density(gauss, variance=-2.0), "`variance` must not be negative"),
        (lambda: Gaussian(0.0).log_density(np.zeros((2, 1))), "positive definite variance, got least eigenvalue 0"),
        (lambda: Gaussian(np.ones((2, 2))).score(np.zeros((1, 2))), "Without noise there is no density"),
        (lambda: Gaussian([1.0, 2.0]).log_density(np.zeros((3, 1))), "3 systems with readings of dimension 1 need"),
        (lambda: Finite().log_density(np.zeros((2, 1))), "Finite has no density. Use another law"),
        (lambda: Uniform().score(np.zeros((2, 1))), "Uniform noise has no derivative everywhere"),
    ],
)
def test_what_is_no_density_is_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()
