from dataclasses import replace
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import CASES, shuffle
from tests.likelihood.cases import enumerated
from vieta.errors import DivergedError, InputError
from vieta.laws import inputs, labels
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import recursive_scoring as rem
from vieta.likelihood.model import evaluate
from vieta.likelihood.orders import as_orders
from vieta.scenarios import simulate
from vieta.sets import Data, as_data
from vieta.weighted.sum_regression import as_matrices

few = settings(deadline=None, max_examples=10, derandomize=True)
CHOSEN = [CASES[i] for i in (0, 1, 3, 8, 13, 14, 16)]
LAWS = [Gaussian(0.5), Laplace(0.5), StudentT(0.5, df=4)]


def begin(asked, theta):
    m = theta.size + (not asked.scale_known)
    return rem.init(asked, theta, 50.0 * np.eye(m))


def assert_same_state(a, b, **tolerance):
    for name in ("theta", "scale", "information"):
        assert_allclose(getattr(a, name), getattr(b, name), err_msg=name, **tolerance)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_the_kernel_is_the_pure_step(case, law, known):
    data = as_data(*case.draw(30, noise=0.7))
    if data.reading_dim > 1:
        law = law.scaled(np.diag(np.arange(1.0, 1.0 + data.reading_dim)) + 0.2)
    L = data.n_systems
    prior = as_orders(np.random.default_rng(0).dirichlet(np.ones(factorial(L))), L)
    listed = as_orders(labels.Weighted((0.3, 0.7), (tuple(range(L)), tuple(range(L))[::-1])), L)
    for asked in (
        rem.Settings(law, known),
        rem.Settings(law, known, step=1e-2),
        rem.Settings(law, known, orders=prior),
        rem.Settings(law, known, step=1e-2, orders=listed),
    ):
        slow = begin(asked, case.theta)
        fast = rem.advance(asked, slow, data)
        for y, psi in zip(data.sets, as_matrices(data)):
            slow = rem.update(asked, slow, y, psi)
        assert_same_state(fast, slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_one_step_is_the_equation_of_the_paper(case):
    """theta + eps sum_sigma P(sigma) grad log p, with every permutation enumerated."""
    data = as_data(*case.draw(1, noise=0.7))
    y, psi = data.sets[0], as_matrices(data)[0]
    m = case.theta @ psi.T
    P = enumerated(-0.5 * ((y[:, None] - m) ** 2).sum(axis=-1) / 0.5)[1]
    slope = np.array([sum(P[i, l] * psi.T @ (y[i] - m[l]) / 0.5 for i in range(len(y))) for l in range(len(y))])
    asked = rem.Settings(Gaussian(0.5), True, step=0.1)
    assert_allclose(rem.update(asked, begin(asked, case.theta), y, psi).theta, case.theta + 0.1 * slope, rtol=1e-10)


@pytest.mark.parametrize("law", [*LAWS, Skewed(4.0, skewness=0.5)], ids=repr)
def test_scores_are_those_of_the_likelihood(law):
    data = as_data(*CASES[1].draw(4, noise=0.7))
    asked = rem.Settings(law, False)
    state = replace(begin(asked, CASES[1].theta), scale=1.7)
    at = evaluate(data, CASES[1].theta, law.scaled(1.7 * law.variance)).joint
    for k in range(4):
        got = rem.score(asked, state, data.sets[k], as_matrices(data)[k])
        assert_allclose(got, at[k], rtol=1e-10, atol=1e-12)


def test_splitting_and_shuffling_change_nothing():
    sets, psi = CASES[1].draw(300, noise=0.5)
    data = as_data(sets, psi)
    asked = rem.Settings(Gaussian(0.25), False)
    whole = rem.advance(asked, begin(asked, CASES[1].theta), data)

    @few
    @given(st.lists(st.integers(1, 299), min_size=1, max_size=4))
    def cut(cuts):
        state = begin(asked, CASES[1].theta)
        for part in np.split(np.arange(300), sorted(set(cuts))):
            state = rem.advance(asked, state, Data(data.sets[part], data.inputs[part], 1))
        assert_same_state(state, whole, rtol=0, atol=0)

    cut()
    again = as_data(shuffle(sets, np.random.default_rng(0)), psi)
    assert_same_state(rem.advance(asked, begin(asked, CASES[1].theta), again), whole, rtol=1e-9, atol=1e-9)


def test_steps_are_pure():
    data = as_data(*CASES[1].draw(20, noise=0.5))
    asked = rem.Settings(Gaussian(0.25), False)
    state = begin(asked, CASES[1].theta)
    copies = [np.array(getattr(state, name)) for name in ("theta", "information")]
    rem.advance(asked, state, data)
    rem.update(asked, state, data.sets[0], as_matrices(data)[0])
    for name, copy in zip(("theta", "information"), copies):
        assert_array_equal(getattr(state, name), copy)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_information_tells_the_error(law):
    """Squared errors over what the information claims: chi-square, when the law is right; not with a wrong variance."""

    def ratio(assumed):
        squares = []
        for seed in range(25):
            records = simulate((4, 5), n=1500, seed=seed, noise=law.scaled(4.0), inputs=inputs.Gaussian())
            asked = rem.Settings(assumed, True)
            start = rem.init(asked, np.array([[4.05], [4.95]]), 100.0 * np.eye(2))
            end = rem.advance(asked, start, as_data(records.sets, records.inputs))
            error = (end.theta - records.truth).ravel()
            squares.append(error @ end.information @ error)
        return np.mean(squares) / 2

    assert abs(ratio(law.scaled(4.0)) - 1) < 4 * np.sqrt(1 / 25)
    assert ratio(Gaussian(0.5)) > 3


def test_a_prior_that_is_known_helps():
    """Labels in their own order nine times of ten: that prior lowers the error, by many deviations of its mean gain."""
    asked = rem.Settings(Gaussian(4.0), True, orders=as_orders([0.9, 0.1], 2))
    uniform = replace(asked, orders=None)
    errors = {"known": [], "uniform": []}
    for seed in range(6):
        records = simulate((4, 5), n=250, seed=seed, noise=Gaussian(4.0), labels=labels.Weighted((0.9, 0.1)))
        data = as_data(records.sets, None)
        for name, chosen in (("known", asked), ("uniform", uniform)):
            end = rem.advance(chosen, rem.init(chosen, np.array([[3.5], [5.5]]), 20.0 * np.eye(2)), data)
            errors[name].append(((end.theta.ravel() - [4, 5]) ** 2).sum())
    gain = np.subtract(errors["uniform"], errors["known"])
    assert gain.mean() > 2.5 * gain.std(ddof=1) / np.sqrt(len(gain))


def test_a_step_too_large_is_an_error_in_words():
    data = as_data(*CASES[1].draw(300))
    asked = rem.Settings(Gaussian(1e-6), True, step=10.0)
    far = rem.advance(asked, begin(asked, CASES[1].theta), data)
    with pytest.raises(DivergedError, match=r"recursive EM has diverged.*Use a smaller step"):
        rem.require_not_diverged(far)
    rem.require_not_diverged(begin(asked, CASES[1].theta))


@pytest.mark.parametrize("prior", [None, [0.3, 0.7]])
@pytest.mark.parametrize("known", [True, False])
def test_a_set_that_the_law_excludes_is_an_error_in_words_and_changes_nothing(prior, known):
    law = Skewed(1.0, skewness=0.8)
    asked = rem.Settings(law, known, orders=None if prior is None else as_orders(prior, 2))
    state = begin(asked, np.array([[0.0], [3.0]]))
    sets = simulate((0, 3), n=6, seed=0, noise=law).sets
    sets[4] = -50.0, 3.0
    copies = [np.array(getattr(state, name)) for name in ("theta", "information")]
    with pytest.raises(
        InputError, match=r"sets\[104\].*at the parameters .* has reached, \[\[.*zero for every order"
    ) as e:
        rem.advance(asked, state, as_data(sets, None), before=100)
    assert (e.value.code, e.value.facts["index"], e.value.facts["law"]) == ("law-excludes-set", 104, "Skewed")
    assert e.value.facts["allowed"] == ("" if prior is None else " that the prior allows")
    for name, copy in zip(("theta", "information"), copies):
        assert_array_equal(getattr(state, name), copy)
    end = rem.advance(asked, state, as_data(np.delete(sets, 4, axis=0), None))
    assert np.isfinite(end.theta).all()


def test_parameters_that_overflow_are_not_blamed_on_a_set():
    data = as_data(*CASES[1].draw(300))
    asked = rem.Settings(Gaussian(1e-6), True, step=1e200, orders=as_orders(np.full(6, 1 / 6), 3))
    far = rem.advance(asked, begin(asked, CASES[1].theta), data)
    with pytest.raises(DivergedError, match="recursive EM has diverged"):
        rem.require_not_diverged(far)


def test_ten_systems_cost_a_thousandth_of_all_permutations():
    """Operations by count: L 2^(L-1) forward, twice that backward; L! permutations of L factors each."""
    L = 10
    assert L * factorial(L) / (3 * L * 2 ** (L - 1)) > 1000
