"""How often the best guess of who is who is wrong: closed forms, integrals, and simulations of our own."""

from itertools import permutations
from math import factorial, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm

from vieta.anonymity import map_error, simulated
from vieta.errors import InputError
from vieta.laws import inputs
from vieta.laws.noise import Finite, Gaussian, Laplace, Skewed, StudentT, Uniform

# --- two systems ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sd", "error"), [(0.5, 0.0786), (1.0, 0.2398), (2.0, 0.3618), (10.0, 0.4718)])
def test_two_numbers_with_gaussian_noise(sd, error):
    found = map_error([4, 5], sd**2)
    assert_allclose(found.probability, error, atol=5e-5)
    assert_allclose(found.probability, norm.sf(1 / (np.sqrt(2) * sd)))
    assert_allclose(found.anonymity, 2 * found.probability)
    assert_allclose(found.reidentification, 1 - found.probability)
    assert (found.mc_error, found.draws, found.method) == (0.0, 0, "closed form")


def test_a_uniform_prior_is_not_perfect_anonymity():
    """The paper has error 1/2 at every noise, and even without noise."""
    assert map_error([4, 5], 0.0).probability == 0.0
    assert map_error([4, 5], 0.25).probability < 0.08
    assert map_error([4, 5], 1e6).probability > 0.499  # true in the limit,
    assert map_error([4, 4], 0.25).probability == 0.5  # and for systems that coincide


def integrals(law, d, sd, prior=(0.5, 0.5)):
    """Error and information in bits by the double integral over both readings."""
    y = np.linspace(-14, 14, 1201) + 1e-4
    a = np.exp(law.log_density((y[:, None] - [0.0, d])[:, :, None]))  # (y, system)
    first, second = prior[0] * np.outer(a[:, 0], a[:, 1]), prior[1] * np.outer(a[:, 1], a[:, 0])
    area, total = (y[1] - y[0]) ** 2, first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = [np.nansum(j * np.log2(j / (p * total))) for j, p in zip((first, second), prior)]
    return area * np.minimum(first, second).sum(), area * sum(gains)


@pytest.mark.parametrize("law", [Laplace(1.0), StudentT(1.0, df=8.0), Skewed(0.5, skewness=1.0), Gaussian([1.0, 0.3])])
@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.7, 0.3)])
def test_two_numbers_with_other_noise(law, prior):
    found = map_error([0, 1.5], law, prior=prior)
    assert found.method == "quadrature"
    error, information = integrals(law, 1.5, 1.0, prior)
    assert_allclose(found.probability, error, atol=1e-3)
    assert_allclose(found.mutual_information, information, atol=2e-3)


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.9, 0.1)])
def test_the_closed_form_is_the_integral(prior):
    found = map_error([0, 1.5], 1.0, prior=prior)
    error, information = integrals(Gaussian(1.0), 1.5, 1.0, prior)
    assert_allclose(found.probability, error, atol=1e-4)
    assert_allclose(found.mutual_information, information, atol=1e-5)


def test_uniform_noise_is_a_tie_where_both_readings_fit_both():
    tie = (1 - 1 / (2 * np.sqrt(3))) ** 2
    found = map_error([0, 1], Uniform(1.0))
    assert_allclose(found.probability, 0.5 * tie, atol=5e-4)
    assert_allclose(found.mutual_information, 1 - tie, atol=1e-3)


def test_a_density_without_bound_is_simulated():
    found = map_error([0, 1], Skewed(1.0, skewness=3.0), draws=4000)
    assert found.method == "assignment and permanents"
    assert 0.0 < found.probability < 0.2


def test_vectors_count_by_their_distance_in_standard_deviations():
    C = np.array([[1.0, 0.5], [0.5, 2.0]])
    d = np.array([1.0, -0.5])
    expected = norm.sf(np.sqrt(d @ np.linalg.solve(C, d) / 2))
    assert_allclose(map_error([[0, 0], d], C).probability, expected)


def test_only_differences_over_the_noise_matter():
    assert_allclose(map_error([10, 12], 4.0).probability, map_error([4, 5], 1.0).probability)
    assert_allclose(
        map_error([4, 5], Laplace(1.0), inputs=[3.0]).probability, map_error([12, 15], Laplace(1.0)).probability
    )


def test_inputs_are_averaged_over():
    apart = [map_error([4, 5], 1.0, inputs=[psi]).probability for psi in (0.3, 2.0)]
    assert_allclose(map_error([4, 5], 1.0, inputs=[0.3, 2.0]).probability, np.mean(apart))
    z = np.random.default_rng(0).normal(size=400_000)
    expected = norm.sf(abs(z) / np.sqrt(2))
    found = map_error([4, 5], 1.0, inputs=inputs.Gaussian())
    assert abs(found.probability - expected.mean()) < 5 * expected.std() / np.sqrt(len(z))


def test_many_inputs_are_looked_at_in_pieces():
    psi = np.random.default_rng(3).normal(size=10_000)
    found, pieces = (
        map_error([4, 5], 1.0, inputs=psi),
        [map_error([4, 5], 1.0, inputs=part) for part in psi.reshape(4, -1)],
    )
    assert_allclose(found.probability, np.mean([part.probability for part in pieces]))
    assert_allclose(found.mutual_information, np.mean([part.mutual_information for part in pieces]))


def test_rows_of_inputs_give_the_readings():
    found = map_error([[1, 0], [0, 1]], 1.0, inputs=[[1.0, 1.0], [1.0, -1.0]])  # readings equal, then two apart
    assert_allclose(found.probability, (0.5 + norm.sf(np.sqrt(2))) / 2)


# --- more systems ---------------------------------------------------------------------------------------------------


def own_simulation(theta, draw, log_density, n, seed):
    """(n,) how likely the best of all permutations is wrong, and (n, L) to name each system's reading; ties are drawn."""
    rng = np.random.default_rng(seed)
    theta = np.asarray(theta, float)
    orders = list(permutations(range(len(theta))))
    y = theta + draw(rng, (n, len(theta)))  # reading i is from system i: the truth is (0, .., L-1)
    scores = np.array([log_density(y - theta[list(s)]).sum(axis=1) for s in orders]).T
    tied = scores > scores.max(axis=1, keepdims=True) - 1e-9
    tied = tied / tied.sum(axis=1, keepdims=True)
    named = np.array(orders) == np.arange(len(theta))
    return 1 - tied @ named.all(axis=1), tied @ named


LAWS = {
    "gaussian": (Gaussian(0.49), lambda rng, shape: 0.7 * rng.standard_normal(shape), lambda v: -(v**2) / 0.98),
    "laplace": (Laplace(0.5), lambda rng, shape: rng.laplace(scale=0.5, size=shape), lambda v: -abs(v) / 0.5),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("seed", [0, 1])
def test_four_systems_as_simulated_from_the_definition(name, seed):
    law, draw, log_density = LAWS[name]
    theta = [0.0, 1.0, 1.5, 4.0]
    found = map_error(theta, law, draws=8000, seed=seed)
    wrong, right = own_simulation(theta, draw, log_density, 8000, seed + 100)
    error = np.hypot(found.mc_error, wrong.std() / np.sqrt(len(wrong)))
    assert abs(found.probability - wrong.mean()) < 4.5 * error
    assert not abs(0.85 * found.probability - wrong.mean()) < 4.5 * error
    assert np.all(abs(found.reidentification - right.mean(axis=0)) < 5 * np.sqrt(0.25 / 8000 * 2))
    assert found.reidentification.argmax() == 3  # the one that stands out


@pytest.mark.parametrize("prior", [np.full(6, 1 / 6), np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])])
def test_a_prior_is_used(prior):
    """Against the integral over a fine grid of readings: L = 3 numbers, Gaussian noise."""
    y = np.linspace(-4, 6, 81)
    f = norm.pdf(y[:, None] - np.array([0.0, 1.0, 2.0]))
    joint = [p * np.einsum("a,b,c->abc", *(f[:, l] for l in s)) for s, p in zip(permutations(range(3)), prior)]
    expected = 1 - np.max(joint, axis=0).sum() * (y[1] - y[0]) ** 3
    found = map_error([0, 1, 2], 1.0, prior=prior, draws=20_000)
    assert found.method == "enumeration"
    assert abs(found.probability - expected) < 4.5 * found.mc_error + 5e-4
    assert_allclose(found.anonymity, found.probability / (1 - prior.max()))


def test_a_prior_that_leaves_nothing_to_guess_is_zero_anonymity():
    found = map_error([0, 1, 2], 1.0, prior=np.eye(6)[3], draws=100)
    assert (found.probability, found.anonymity, found.mutual_information) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("L", [11, 50])
def test_many_numbers_are_wrong_when_their_ranks_change(L):
    theta, rng = np.arange(L), np.random.default_rng(9)
    y = theta + 0.35 * rng.normal(size=(20_000, L))
    wrong = (np.diff(y, axis=1) < 0).any(axis=1)
    found = map_error(theta, 0.35**2)
    error = wrong.std() / np.sqrt(len(wrong))
    assert (found.method, found.mc_error, found.draws) == ("ranks", 0.0, 0)
    assert abs(found.probability - wrong.mean()) < 4.5 * error
    assert not abs(found.probability - 0.85 * wrong.mean()) < 4.5 * error
    assert np.isnan(found.mutual_information)


def test_posterior_probabilities_and_counts_agree(monkeypatch):
    theta, law = [0, 0.5, 1.5, 1.7, 4], StudentT(0.2, df=4.0)
    exact = map_error(theta, law, draws=4000)
    monkeypatch.setattr(simulated, "ASSOCIATED", 4)
    counted = map_error(theta, law, draws=20_000, seed=1)
    assert (exact.method, counted.method) == ("assignment and permanents", "assignment")
    error = np.hypot(exact.mc_error, counted.mc_error)
    assert abs(exact.probability - counted.probability) < 4.5 * error
    assert np.all(abs(exact.reidentification - counted.reidentification) < 5 * np.sqrt(0.25 / 4000))
    assert exact.mc_error * np.sqrt(4000) < counted.mc_error * np.sqrt(20_000)  # and probabilities are worth more


@pytest.mark.parametrize("limit", [10, 2])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_systems_that_coincide_are_guessed_by_chance(monkeypatch, limit, noise):
    monkeypatch.setattr(simulated, "ASSOCIATED", limit)
    found = map_error([[1, 2], [1, 2], [1, 2], [500, 0]], noise, draws=4000)
    error = max(found.mc_error, 1e-9)
    assert abs(found.probability - 5 / 6) < 4.5 * error
    assert np.all(abs(found.reidentification - [1 / 3, 1 / 3, 1 / 3, 1]) < 5 * np.sqrt(0.25 / 4000))


def test_finite_noise_can_be_seen_through():
    """The paper's Theorem 5 allows finite noise; here it hides nothing, however large, unless values meet."""
    assert map_error([-1, 1], Finite(100.0), draws=200).probability == 0.0
    found = map_error([-1, 1], Finite(1.0), draws=4000)  # sums 0 and 0 from either: a tie a quarter of the time
    assert abs(found.probability - 0.125) < 4.5 * found.mc_error


# --- properties -----------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 2), st.floats(0.01, 10.0))
def test_what_always_holds(seed, L, D, variance):
    theta = np.random.default_rng(seed).normal(size=(L, D))
    found = map_error(theta, variance, draws=300, seed=seed)
    assert 0.0 <= found.probability <= 1 - 1 / factorial(L) + 1e-12
    assert 0.0 <= found.anonymity <= 1.0
    assert np.all(found.reidentification <= found.reidentification_alone + 1e-9)
    assert np.all(found.reidentification_alone >= 1 / L - 1e-9)
    assert np.all(found.reidentification >= 1 - found.probability - 1e-5)
    assert 0.0 <= found.mutual_information <= found.prior_information + 1e-9
    assert_allclose(found.prior_information, log2(factorial(L)))
    remains, p = found.prior_information - found.mutual_information, found.probability
    fano = p * log2(max(factorial(L) - 1, 1)) - sum(q * log2(q) for q in (p, 1 - p) if q > 0)
    assert remains <= fano + 1e-6 + 5 * found.mutual_information_mc_error  # Fano: little error, little left unknown


def test_results_repeat_and_follow_the_order_of_the_rows():
    theta, order = np.array([0.0, 1.0, 1.2, 5.0]), [2, 0, 3, 1]
    one, again = (map_error(theta, 0.3, draws=3000) for _ in range(2))
    assert one.probability == again.probability
    other = map_error(theta[order], 0.3, draws=3000)
    assert_allclose(other.reidentification, one.reidentification[order], atol=5 * np.sqrt(0.25 / 3000))


def test_information_of_many_draws_is_the_integral():
    y = np.linspace(-4, 6, 81)
    f = norm.pdf(y[:, None] - np.array([0.0, 1.0, 2.0]))
    each = np.array([np.einsum("a,b,c->abc", *(f[:, l] for l in s)) for s in permutations(range(3))])
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.nansum(each / 6 * np.log2(each / each.mean(axis=0))) * (y[1] - y[0]) ** 3
    found = map_error([0, 1, 2], 1.0)
    assert abs(found.mutual_information - expected) < 4.5 * found.mutual_information_mc_error + 1e-3
    assert not abs(1.1 * found.mutual_information - expected) < 4.5 * found.mutual_information_mc_error + 1e-3


def test_one_system_has_nothing_to_hide():
    found = map_error([3.0], 1.0)
    assert (found.probability, found.anonymity, found.reidentification.tolist()) == (0.0, 0.0, [1.0])


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "prior", "code"),
    [
        (([4, 5], -1.0), None, "variance-negative"),
        (([4, 5], 1.0), [0.5, 0.6], "not-probabilities"),
        (([4, 5], 1.0), [1.0], "prior-shape"),
        ((range(7), 1.0), [1.0], "prior-too-large"),
        (([4, 5], 1.0, [[1.0, 2.0]]), None, "not-inputs"),
        (([4, 5, 6], [1.0, 2.0]), None, "variance-does-not-fit"),
        (([4, 5], "loud"), None, "not-a-noise"),
        (([4, np.nan], 1.0), None, "not-finite"),
        (([4, 5], None), None, "noise-missing"),
        (([4, 5], [0.0, 1.0]), None, "noise-in-some"),
        (([[4, 5], [5, 6]], [[1.0, 0.0], [0.0, 0.0]]), None, "noise-in-some"),
        (([4, 5, 6], Skewed(1.0, skewness=8.0)), None, "law-at-its-edge"),
        (([4, 5, 6], 1.0, None), np.ones(6), "not-probabilities"),
    ],
)
def test_bad_input_is_refused_by_its_code(arguments, prior, code):
    with pytest.raises(InputError) as caught:
        map_error(*arguments, prior=prior)
    assert caught.value.code == code


def test_a_count_of_draws_is_needed():
    with pytest.raises(ValueError, match="`draws` must be an integer of at least 2"):
        map_error([4, 5, 6], 1.0, draws=1)
    with pytest.raises(ValueError, match="`seed` must be an integer of at least 0, got -1"):
        map_error([4, 5, 6], 1.0, seed=-1)
