"""The Cramér-Rao bound without labels, against quadrature; its standard error, against its own repetition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta import scenarios
from vieta.errors import CoincidentSystemsError, ComputationError
from vieta.laws import inputs, noise
from vieta.likelihood import cramer_rao as bound
from vieta.theory import cramer_rao, efficient_covariance, labeled_covariance


def pair_information(means, law, reach=12.0, points=1201):
    """Information (2, 2) of a pair about its two means: the integral of grad p grad p' / p over both readings."""
    sd = np.sqrt(law.variance)
    y = np.linspace(min(means) - reach * sd, max(means) + reach * sd, points)

    def density(mean):
        u = (y - mean) / sd
        f = np.exp(law.unit_log_density(u)) / sd
        return f, f * law.unit_score(u) / sd  # and its derivative by the mean

    (f, df), (g, dg) = (density(mean) for mean in means)
    p = 0.5 * (np.outer(f, g) + np.outer(g, f))
    slopes = [0.5 * (np.outer(df, g) + np.outer(g, df)), 0.5 * (np.outer(f, dg) + np.outer(dg, f))]
    cell = (y[1] - y[0]) ** 2
    return np.array([[np.sum(a * b / np.maximum(p, 1e-300)) * cell for b in slopes] for a in slopes])


def agrees(found, information):
    return np.all(abs(found.covariance - np.linalg.inv(information)) < 5 * found.mc_error)


@pytest.mark.parametrize("law", [noise.Gaussian(1.0), noise.Laplace(1.0), noise.StudentT(1.0, df=6)], ids=str)
@pytest.mark.parametrize("gap", [0.7, 3.0])
def test_a_pair_against_quadrature(gap, law):
    information = pair_information((0.0, gap), law, reach=15.0, points=1601)
    found = cramer_rao([0.0, gap], law)
    assert agrees(found, information)
    assert not agrees(found, 1.25 * information)


def test_a_pair_with_normal_inputs_against_quadrature():
    """The known ratio to labeled least squares, about 1.77, for 4 and 5 with noise of deviation 2."""
    z = np.arange(1, 65) / 10.0
    weights = np.exp(-0.5 * z**2)
    each = [x**2 * pair_information((4.0 * x, 5.0 * x), noise.Gaussian(4.0), points=401) for x in z]
    information = np.einsum("n,nij->ij", weights, each) / (weights.sum() + 0.5)  # symmetric, and zero at zero
    found = cramer_rao([4, 5], 4.0, inputs.Gaussian())
    assert agrees(found, information)
    assert not agrees(found, 1.25 * information)
    ratio = np.trace(np.linalg.inv(information)) / np.trace(
        labeled_covariance([4, 5], 4.0, inputs.Gaussian()).covariance
    )
    assert 1.70 < ratio < 1.78


def test_rows_against_quadrature():
    theta, rows = np.array([[1.0, -2.0], [2.0, 1.0]]), np.array([[1.0, 0.5], [-0.3, 1.0], [0.7, 0.2], [1.0, -1.0]])
    law = noise.Gaussian(0.5)
    information = np.zeros((4, 4))
    for row in rows:
        information += np.kron(pair_information(theta @ row, law, points=601), np.outer(row, row)) / len(rows)
    found = cramer_rao(theta, law, rows)
    assert agrees(found, information)
    assert not agrees(found, 1.25 * information)


@pytest.mark.parametrize(
    ("theta", "variance", "low", "high"), [((-2, 5, 8), 1.0, 1.005, 1.012), ((-3, -1, 0, 2, 5), 0.09, 1.0, 1.01)]
)
def test_known_ratios_to_labeled_least_squares(theta, variance, low, high):
    found = cramer_rao(theta, variance, inputs.Gaussian(), draws=20_000)
    labeled = np.trace(labeled_covariance(theta, variance, inputs.Gaussian()).covariance)
    assert low < np.trace(found.covariance) / labeled < high
    assert np.diag(found.mc_error).max() < 0.002 * variance


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("gap", [0.05, 0.01])
def test_close_pairs_against_quadrature(gap, seed):
    """Of their difference a set tells next to nothing, and the bound is known as well as that of others."""
    information = pair_information((0.0, gap), noise.Gaussian(1.0))
    found = cramer_rao([4.0, 4.0 + gap], 1.0, seed=seed)
    assert found.relative_error < 0.02
    assert agrees(found, information)
    assert not agrees(found, 1.25 * information)


def test_three_close_systems_grow_as_the_fourth_power_of_their_distance():
    """A set tells of the third direction only to that order; units do not matter."""
    near, far = (cramer_rao(gap * np.arange(3), 1.0).covariance[0, 0] for gap in (0.02, 0.04))
    assert_allclose(near / far, 2.0**4, rtol=0.05)  # two standard errors of at most 2 %, the same draws in both
    assert_allclose(cramer_rao(2e3 * np.arange(3), 1e10).covariance[0, 0], 1e10 * near, rtol=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_draws_are_doubled_until_the_bound_is_known(seed):
    few = cramer_rao(0.1 * np.arange(5), 1.0, draws=100_000, seed=seed)
    found = cramer_rao(0.1 * np.arange(5), 1.0, seed=seed)
    assert few.relative_error > 0.02 >= found.relative_error
    assert found.draws in {200_000, 400_000, 800_000}
    assert abs(found.covariance[0, 0] - few.covariance[0, 0]) < 5 * few.mc_error[0, 0]


def test_a_bound_that_stays_unknown_is_refused(monkeypatch):
    with pytest.raises(ComputationError, match=r"1,000 simulated sets give the bound only to .* of \d+%") as error:
        cramer_rao(0.1 * np.arange(7), 1.0, draws=1000)
    assert error.value.code == "bound-not-precise"
    assert error.value.facts["needed"] > 1000
    monkeypatch.setattr(bound, "WORK", 1e7)
    with pytest.raises(ArithmeticError, match="give the bound only to"):
        cramer_rao(0.1 * np.arange(5), 1.0)
    assert cramer_rao([0, 3], 1.0).draws < 100_000


@pytest.mark.parametrize(
    ("gap", "law"), [(0.7, noise.Gaussian(1.0)), (3.0, noise.Laplace(1.0)), (0.01, noise.Gaussian(1.0))]
)
def test_the_standard_error_is_that_of_repetitions(gap, law):
    exact = np.linalg.inv(pair_information((0.0, gap), law, reach=15.0, points=1601))
    found = [cramer_rao([0.0, gap], law, draws=4000, seed=seed) for seed in range(15)]
    z = np.array([(one.covariance[0, 0] - exact[0, 0]) / one.mc_error[0, 0] for one in found])
    assert 0.5 < np.sqrt(np.mean(z**2)) < 1.6


def test_a_reading_with_a_label_needs_no_simulation():
    for law, information in ((noise.Gaussian(4.0), 1.0), (noise.Laplace(4.0), 2.0), (noise.StudentT(4.0), 1.25)):
        found = cramer_rao([4, 4, 6], law, inputs.Gaussian(0.0, 2.0), labeled=True)
        assert_allclose(found.covariance, np.eye(3) * 4.0 / 2.0 / information)
        assert_allclose(found.mc_error, 0.0)
        assert_allclose(found.after(10), found.covariance / 10)
        assert_allclose(found.stderr(10).ravel() ** 2, np.diag(found.after(10)))


def test_one_system_has_its_label():
    law = noise.Laplace(0.5)
    alone, labeled = cramer_rao([3.0], law, draws=1000), cramer_rao([3.0], law, labeled=True)
    assert_allclose(alone.covariance, labeled.covariance, rtol=1e-9)


@pytest.mark.parametrize("name", ["example-3", "regressions", "matrix-inputs"])
def test_vectors_lie_between_the_labels_and_the_weighted_estimator(name):
    """By eigenvalues: labeled bound <= bound <= error of any method that does not know the law."""
    scenario = scenarios.get(name)
    law = noise.Gaussian(1.0)
    found = cramer_rao(scenario.theta, law, scenario.inputs, draws=5000)
    slack = 5 * found.mc_error.max()
    labeled = cramer_rao(scenario.theta, law, scenario.inputs, labeled=True)
    assert np.linalg.eigvalsh(found.covariance - labeled.covariance)[0] > -slack
    weighted = efficient_covariance(scenario.theta, law, scenario.inputs)  # sees fewer numbers than there are
    assert np.linalg.eigvalsh(weighted.covariance - found.covariance)[0] > -slack
    assert np.trace(weighted.covariance) > np.trace(found.covariance) - slack


def test_systems_of_unequal_noise():
    """Different noise tells systems apart where equal noise would not."""
    equal = cramer_rao([0.0, 0.3], 1.0, draws=20_000)
    unequal = cramer_rao([0.0, 0.3], [1.0, 0.04], draws=20_000)
    assert np.trace(unequal.covariance) < 0.2 * np.trace(equal.covariance)


def test_seeds_repeat():
    first, again, other = (cramer_rao([0, 1], 1.0, draws=1000, seed=seed).covariance for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_what_has_no_bound():
    with pytest.raises(CoincidentSystemsError, match="variance of such a pair is infinite"):
        cramer_rao([1, 1], 1.0)
    with pytest.raises(ValueError, match="Without noise one set tells the parameters exactly"):
        cramer_rao([1, 2], 0.0)
    with pytest.raises(ValueError, match="Uniform noise has no derivative everywhere"):
        cramer_rao([1, 2], noise.Uniform(1.0))
    with pytest.raises(ValueError, match="`draws` must be an integer of at least 1000"):
        cramer_rao([1, 2], 1.0, draws=10)
    with pytest.raises(ValueError, match="up to 16 systems are allowed"):
        cramer_rao(np.arange(20), 1.0)
    with pytest.raises(ValueError, match="do not identify the parameters, whose variance is infinite"):
        cramer_rao([1, 2], 1.0, [0.0, 0.0])
    with pytest.raises(ArithmeticError, match=r"too small to tell from rounding: .e-15 of what labels would give"):
        cramer_rao([1.0, 1.0 + 1e-7], 1.0, draws=1000)
    with pytest.raises(ValueError, match="`seed` must be an integer of at least 0, got -1"):
        cramer_rao([1, 2], 1.0, seed=-1)
    with pytest.raises(ValueError, match=r"`noise` must be a variance or a law .*, got None"):
        cramer_rao([1, 2], None)


def test_equal_parameters_are_told_apart_by_unequal_noise():
    """The information from scores by differences of the likelihood of both orders; equal noise is refused."""
    rng, sd = np.random.default_rng(0), np.array([1.0, 2.0])
    y, h = 4.0 + sd * rng.normal(size=(100_000, 2)), 1e-4

    def log_density(m):
        a = stats.norm.pdf(y[:, :, None], m, sd)
        return np.log(a[:, 0, 0] * a[:, 1, 1] + a[:, 0, 1] * a[:, 1, 0])

    scores = np.stack([(log_density(4 + h * e) - log_density(4 - h * e)) / (2 * h) for e in np.eye(2)], axis=1)
    products = scores[:, :, None] * scores[:, None, :]
    stderr = products.std(axis=0) / np.sqrt(len(y))
    found = cramer_rao([4, 4], noise.Gaussian([1.0, 4.0])).information
    assert np.all(abs(found - products.mean(axis=0)) < 6 * stderr)
    assert not np.all(abs(1.25 * found - products.mean(axis=0)) < 6 * stderr)
    with pytest.raises(ValueError, match="rows 0 and 1 of `theta` coincide"):
        cramer_rao([4, 4], noise.Gaussian([1.0, 1.0]))
