from itertools import pairwise, permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from vieta.laws import inputs, labels
from vieta.laws.noise import Density, Gaussian, Skewed
from vieta.likelihood import em, log_likelihood, markov_em
from vieta.likelihood.markov_em import smooth
from vieta.scenarios import simulate


def enumerated(logs, P):
    """Likelihood, smoothed probabilities, by a sum over all paths of the chain."""
    N, S = logs.shape
    total, gamma = 0.0, np.zeros((N, S))
    for path in product(range(S), repeat=N):
        weight = np.prod([P[a, b] for a, b in pairwise(path)]) / S
        weight *= np.exp(sum(logs[k, x] for k, x in enumerate(path)))
        total += weight
        for k, x in enumerate(path):
            gamma[k, x] += weight
    return np.log(total), gamma / total


def sticky(S, stay):
    return stay * np.eye(S) + (1 - stay) / S


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("N", "S"), [(1, 2), (6, 2), (4, 6)])
def test_smoothing_is_the_sum_over_paths(N, S, seed):
    rng = np.random.default_rng(seed)
    logs = 2.0 * rng.normal(size=(N, S))
    P = rng.dirichlet(np.ones(S), size=S)
    for matrix, got in ((P, smooth(logs, P, np.nan)), (sticky(S, 0.7), smooth(logs, None, 0.7))):
        likelihood, gamma = enumerated(logs, matrix)
        assert_allclose(got[0], likelihood, rtol=1e-12)
        assert_allclose(got[1], gamma, atol=1e-12)


def test_expected_stays_are_the_derivative_by_the_log_odds():
    """d log p / d q = stays / q - (N - 1 - stays) / (1 - q): Fisher's identity for the sticky chain."""
    logs, q, h = np.random.default_rng(0).normal(size=(7, 6)), 0.6, 1e-6
    slope = (smooth(logs, None, q + h)[0] - smooth(logs, None, q - h)[0]) / (2 * h)
    stays = smooth(logs, None, q)[2]
    assert_allclose(stays / q - (6 - stays) / (1 - q), slope, rtol=1e-7)


@pytest.mark.parametrize("chain", [{"stay": 1.0}, {"transition": [[0, 1], [1, 0]]}, {"stay": 0.999}])
def test_far_densities_do_not_underflow(chain):
    """A chain that must stay, or must change, against evidence of thousands for the other order now and then."""
    rng = np.random.default_rng(0)
    logs = -1e3 * rng.random((6, 2)) ** 4 - 1e5 * rng.random((6, 1))
    logs[2, 0], logs[4, 1] = -3e5, -4e5
    stay, P = chain.get("stay", np.nan), chain.get("transition")
    matrix = sticky(2, stay) if P is None else np.array(P, dtype=float)
    with np.errstate(divide="ignore"):
        log_P = np.log(matrix)
    paths = list(product(range(2), repeat=6))
    terms = [sum(log_P[a, b] for a, b in pairwise(x)) + sum(logs[np.arange(6), x]) - np.log(2) for x in paths]
    likelihood = logsumexp(terms)
    gamma = np.array(
        [[np.exp(logsumexp(terms, b=[x[k] == s for x in paths]) - likelihood) for s in (0, 1)] for k in range(6)]
    )
    got = smooth(logs, None if P is None else matrix, stay)
    assert_allclose(got[0], likelihood, rtol=1e-12)
    assert_allclose(got[1], gamma, atol=1e-9)


@pytest.mark.parametrize("noise_var", [0.01, "estimate"])
def test_a_chain_that_is_wrong_is_an_outcome_and_no_accident(noise_var):
    sets = simulate((1.0, 10.0), n=50, seed=1, noise=Gaussian(0.01)).sets
    found = markov_em(sets, stay=1.0, noise_var=noise_var)
    assert np.isfinite(found.log_likelihood).all()
    assert_allclose(found.posterior.sum(axis=1), 1.0)
    assert_allclose(found.posterior, found.posterior[:1].repeat(50, axis=0), atol=1e-9)


BOUNDED = Density(lambda v: np.where(abs(v) < 1, 3 * np.log(np.maximum(1 - v**2, 1e-99)) + np.log(35 / 32), -np.inf))
LOGISTIC = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))), 1.0)
LAWS = ["gaussian", "laplace", "student-t", LOGISTIC, Skewed(skewness=0.5)]


@pytest.mark.parametrize("noise_var", [1.0, "estimate"])
@pytest.mark.parametrize("law", LAWS, ids=[*LAWS[:3], "logistic", "skewed"])
def test_the_likelihood_never_falls(law, noise_var):
    noise = law if isinstance(law, Skewed) else Gaussian(1.0)  # a law with a bound excludes the sets of others
    near = [1.1, 2.1, 3.9] if isinstance(law, Skewed) else [0.0, 2.5, 3.0]
    records = simulate((1, 2, 4), n=150, seed=0, noise=noise, labels=labels.Sticky(0.9), inputs=inputs.Gaussian())
    found = markov_em(records.sets, records.inputs, law=law, noise_var=noise_var, start=near)
    assert len(found.log_likelihood) > 3
    assert np.diff(found.log_likelihood).min() > -1e-9 * abs(found.log_likelihood[-1])


@pytest.mark.parametrize("law", ["gaussian", LOGISTIC], ids=["gaussian", "logistic"])
def test_a_chain_without_memory_is_plain_em(law):
    records = simulate((4, 5), n=300, seed=1, inputs=inputs.Gaussian())
    plain = em(records.sets, records.inputs, law=law, noise_var="estimate")
    for chain in ({"stay": 0.0}, {"transition": np.full((2, 2), 0.5)}):
        found = markov_em(records.sets, records.inputs, law=law, noise_var="estimate", **chain)
        assert_allclose(found.theta, plain.theta, rtol=1e-9)
        assert_allclose(found.law.variance, plain.law.variance, rtol=1e-9)
    expected = log_likelihood(found.theta, records.sets, records.inputs, found.law).sum()
    assert_allclose(found.log_likelihood[-1], expected, rtol=1e-9)


def test_memory_of_the_labels_is_worth_a_lot():
    """Labels that stay tell as much as labels that are known; labels without memory do not. The stay is found too."""
    chained, plain, stays = [], [], []
    for seed in range(12):
        records = simulate((4, 5), n=400, seed=seed, noise=Gaussian(4.0), labels=labels.Sticky(0.98))
        found = markov_em(records.sets, noise_var=4.0)
        chained.append(np.sort(found.theta.ravel()) - [4, 5])
        plain.append(np.sort(em(records.sets, noise_var=4.0).theta.ravel()) - [4, 5])
        stays.append(found.stay)
    most = 4.0 / 400 * (1 + 3 * np.sqrt(2 / 24))  # labeled data, with three deviations of a mean of 24 squares
    assert np.mean(np.square(chained)) < most < np.mean(np.square(plain))
    assert abs(np.mean(stays) - 0.98) < 5 * np.std(stays, ddof=1) / np.sqrt(12)
    assert not abs(np.mean(stays) - 0.9) < 5 * np.std(stays, ddof=1) / np.sqrt(12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("theta", [(0.0, 2.0), (2.0, 0.0)])
def test_systems_are_named_as_the_transition_tells_them_apart(theta, seed):
    """The order (0, 1) is left rarely: whoever stands first most of the time is system 0."""
    P = np.array([[0.95, 0.05], [0.5, 0.5]])
    sets = simulate(theta, n=300, seed=seed, labels=labels.Markov(P)).sets
    found = markov_em(sets, transition=P)
    assert np.all(abs(found.theta.ravel() - theta) < 0.5)
    other = markov_em(sets, transition=P, start=theta[::-1])
    assert other.log_likelihood[-1] < found.log_likelihood[-1] - 20.0


def test_the_posterior_finds_the_labels():
    records = simulate((-3, 0, 3), n=200, seed=0, labels=labels.Markov(sticky(6, 0.9)))
    found = markov_em(records.sets, transition=sticky(6, 0.9))
    table = np.array(list(permutations(range(3))))
    rank = np.argsort(np.argsort(found.theta.ravel()))
    guessed = rank[table[found.posterior.argmax(axis=1)]]
    assert np.mean((guessed == records.labels).all(axis=1)) > 0.95
    assert np.isnan(found.stay)
    assert found.converged


@pytest.mark.parametrize(
    ("sets", "options", "text"),
    [
        (np.zeros((5, 6)), {}, "6 systems have 720 permutations, .* up to 5 systems are allowed here. .*uniform prior"),
        (np.zeros((5, 2)), {"transition": np.eye(3)}, r"`transition` must be \(2, 2\), one row for each permutation"),
        (np.zeros((5, 2)), {"transition": np.ones((2, 2))}, "add up to 1 in each row"),
        (np.zeros((5, 2)), {"transition": np.eye(2), "stay": 0.5}, "came together; a chain has one or the other"),
        (np.zeros((5, 2)), {"stay": 1.5}, "`stay` must be a probability between 0 and 1, got 1.5"),
        (np.zeros((5, 2)), {"stay": "a"}, "`stay` must be a number"),
        (
            np.array([[0.0, 9.0], [0.0, 9.0]]),
            {"transition": [[0, 1], [1, 0]], "law": BOUNDED, "start": [0.1, 9.1]},
            "no path of the chain explains these sets .* Give the entries of `transition` that are zero a small",
        ),
        (np.zeros((5, 2)), {"start": [1.0, 1.0]}, "rows 0 and 1 of the start are equal"),
    ],
)
def test_bad_chains_are_refused(sets, options, text):
    with pytest.raises(ValueError, match=text):
        markov_em(sets, **options)
