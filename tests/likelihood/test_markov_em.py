from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.likelihood.cases import em
from vieta.laws import inputs, labels
from vieta.laws.noise import Density, Gaussian, Skewed
from vieta.likelihood import log_likelihood, markov_em
from vieta.scenarios import simulate


def sticky(S, stay):
    return stay * np.eye(S) + (1 - stay) / S


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
    expected = log_likelihood(found.theta, found.law, records.sets, records.inputs).sum()
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
        (np.zeros((5, 2)), {"transition": np.eye(2), "stay": 0.5}, "were both given; a chain has one or the other"),
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
