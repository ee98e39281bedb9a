"""What a law knows of itself: each formula against quadrature, draws and scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from tests.laws.oracles import ORACLES, logistic, name
from vieta.errors import InputError
from vieta.laws import noise
from vieta.laws.scaled import Scaled, as_variance, colour, require_fits, whitening

LAWS = [law for law, _ in ORACLES] + [noise.Skewed(1.0, skewness=-0.5)]
SMOOTH = [law for law in LAWS if type(law) is not noise.Uniform and getattr(law, "skewness", 0.0) < 1.4]
FINITE = noise.Finite(2.0, values=(-1, 0.5), probabilities=(1 / 3, 2 / 3))


@pytest.mark.parametrize(("law", "oracle"), ORACLES, ids=lambda law: name(law) if isinstance(law, Scaled) else "")
def test_distribution_functions_are_those_of_scipy(law, oracle):
    u = np.linspace(-6, 6, 101)
    assert_allclose(law.unit_below(u), oracle.cdf(u), atol=2e-5 if type(law) is noise.Density else 1e-12)
    assert_allclose(Scaled.unit_below(law, u), oracle.cdf(u), atol=6e-4)  # by quadrature
    ends = law.reach()
    assert (ends is not None) == law.log_concave
    if ends is not None:
        assert oracle.cdf(ends[0]) + oracle.sf(ends[1]) < 1e-12


@pytest.mark.parametrize("law", [*LAWS, FINITE], ids=name)
def test_draws_have_the_shape(law):
    u = law.unit(np.random.default_rng(0), (400_000,))
    for power, expected in zip((3, 4), law.shape()):
        if np.isfinite(expected) and not (type(law) is noise.StudentT and law.df < 9):
            error = np.std(u**power) / np.sqrt(len(u))
            assert abs(np.mean(u**power) - expected) < 5 * error
            assert abs(np.mean(u**power) - expected - 1.5) > 5 * error  # the test can fail


@pytest.mark.parametrize("law", [law for law in LAWS if not (type(law) is noise.StudentT and law.df < 9)], ids=name)
def test_shapes_are_integrals(law):
    assert_allclose(law.shape(), Scaled.shape(law), rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("law", SMOOTH, ids=name)
def test_the_information_is_the_integral_of_the_squared_score(law):
    def integrand(u):
        at = np.array([u])
        return float(np.exp(law.unit_log_density(at))[0] * law.unit_score(at)[0] ** 2)

    edge = (
        -2.0 / law.skewness if isinstance(law, noise.Skewed) else 0.0
    )  # where the density begins or ends, or has a kink
    low, high = (max(edge, -200), 200) if edge <= 0 else (-200, edge)
    low = -200 if edge == 0.0 else low
    found = sum(quad(integrand, a, b, limit=400)[0] for a, b in ((low, 0.0), (0.0, high)))
    assert_allclose(law.fisher_information(), found, rtol=2e-4)
    assert_allclose(Scaled.fisher_information(law), found, rtol=1e-3)


@pytest.mark.parametrize("law", SMOOTH, ids=name)
def test_scores_of_draws_have_this_variance_and_no_normal_law_less(law):
    squares = law.unit_score(law.unit(np.random.default_rng(0), (200_000,))) ** 2
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - law.fisher_information()) < 5 * error + 1e-3
    assert law.fisher_information() >= 1.0


def test_laws_without_finite_information():
    for law, code in (
        (noise.Skewed(1.0), "information-infinite"),
        (noise.Uniform(1.0), "no-score"),
        (noise.Finite(1.0), "no-density"),
    ):
        with pytest.raises(InputError) as caught:
            law.fisher_information()
        assert caught.value.code == code


@pytest.mark.parametrize("law", [law for law in [*LAWS, FINITE] if type(law) is not noise.Density], ids=name)
def test_characteristic_functions_are_means_of_draws(law):
    u = law.unit(np.random.default_rng(0), (200_000,))
    t = np.array([0.3, 1.0, 2.5])
    waves = np.exp(1j * t[:, None] * u)
    error = waves.std(axis=1) / np.sqrt(len(u))
    found = law.characteristic(t)
    assert np.all(abs(found - waves.mean(axis=1)) < 5 * error)
    assert not np.all(abs(law.characteristic(1.1 * t) - waves.mean(axis=1)) < 5 * error)  # the test can fail
    assert_allclose(law.characteristic(np.zeros(1)), 1.0)
    assert_allclose(law.characteristic(-t), found.conj())


def test_a_density_of_ones_own_has_integrals_and_no_more():
    law = noise.Density(logistic)
    assert_allclose(law.fisher_information(), np.pi**2 / 9, rtol=1e-4)
    assert_allclose(law.shape(), (0.0, 4.2), atol=1e-4)
    assert law.characteristic(np.ones(1)) is None
    assert law.mixture_precision(np.ones(1)) is None
    assert law.kernel is None
    assert law.reach() is None
    assert not law.self_decomposable
    assert not law.log_concave


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_the_precision_of_a_mixture_is_its_score_over_the_number(law):
    u = np.array([-3.0, -0.1, 1e-6, 2.0])
    found = law.mixture_precision(u)
    mixture = isinstance(law, noise.Gaussian | noise.Laplace | noise.StudentT)
    assert (found is not None) == mixture == (law.kernel is not None)
    if mixture:
        assert_allclose(found, law.unit_score(u) / u)


def test_codes_of_compiled_recursions():
    assert noise.Gaussian().kernel == (0, 0.0)
    assert noise.Laplace().kernel == (1, 0.0)
    assert noise.StudentT(df=7).kernel == (2, 7.0)


@pytest.mark.parametrize(
    "law", [noise.Gaussian(2.0), noise.Laplace(2.0), noise.Uniform(2.0), noise.Skewed(2.0)], ids=name
)
def test_log_concave_laws_have_falling_slopes(law):
    """On the support, second differences of the log density are not positive."""
    log_f = law.unit_log_density(np.linspace(-0.999, 1.7, 500))
    assert law.log_concave
    assert np.all(np.diff(log_f, 2) < 1e-9)
    assert np.any(
        np.diff(noise.StudentT(df=3).unit_log_density(np.linspace(-9, 9, 500)), 2) > 1e-6
    )  # the test can fail
    assert not noise.StudentT(df=3).log_concave
    assert not noise.Skewed(skewness=2.1).log_concave


@pytest.mark.parametrize("variance", [4.0, [1.0, 9.0], [[2.0, -0.6], [-0.6, 0.5]], [np.eye(2), 3 * np.eye(2)]])
def test_whitening_undoes_the_colour(variance):
    u = np.random.default_rng(0).standard_normal((5, 2, 2))
    C = as_variance(variance)
    W, log_volume = whitening(C, 2, 2)
    v = colour(C, u)
    back = np.einsum("...pq,...q->...p", np.broadcast_to(W, (2, 2, 2)), v)
    assert_allclose(back, u, atol=1e-12)
    full = np.broadcast_to(C if C.ndim > 1 else C[..., None, None] * np.eye(2), (2, 2, 2))
    assert_allclose(np.broadcast_to(log_volume, 2), 0.5 * np.log(np.linalg.det(full)))


def test_a_weight_is_a_log_density_where_there_is_one():
    r = np.random.default_rng(0).standard_normal((3, 2, 1))
    assert_array_equal(noise.Laplace(2.0).log_weight(r, 0.1), noise.Laplace(2.0).log_density(r))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: as_variance(-1.0), "variance-negative"),
        (lambda: as_variance([[1.0, 2.0], [2.0, 1.0]]), "variance-indefinite"),
        (lambda: as_variance([[1.0, 0.5], [0.0, 1.0]]), "variance-asymmetric"),
        (lambda: as_variance(np.ones((2, 3))), "variance-shape"),
        (lambda: require_fits(np.ones(2), 3, 1), "variance-does-not-fit"),
        (lambda: whitening(np.zeros(()), 2, 1), "variance-singular"),
    ],
)
def test_variances_that_cannot_be_are_refused(call, code):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
