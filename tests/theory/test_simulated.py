"""Predicted against simulated covariances, for every method: five standard errors, and a quarter off is refused."""

import numpy as np
import pytest

from tests.coefficients.cases import agrees
from tests.theory import simulated
from tests.theory.simulated import INPUTS, LAWS, RATE, REGULAR, THETA, agrees_in_total, relative_steps, unbiased
from vieta import theory
from vieta.laws import inputs, noise
from vieta.laws.linear import respond


def predict(method, L, law, n):
    theta = THETA[:L]
    if method == "lms":
        return theory.lms_covariance(theta, law, INPUTS, relative_step=relative_steps(L)).at(RATE)
    if method in {"averaged", "rls", "least-squares"}:
        return theory.least_squares_covariance(theta, law, INPUTS).after(n)
    return theory.efficient_covariance(theta, law, INPUTS, online=True).after(n)


RUNS = {  # and how many sets each run has
    "lms": (simulated.run_lms, 1500),
    "averaged": (simulated.run_averaged, 2500),
    "rls": (simulated.run_rls, 800),
    "least-squares": (simulated.run_least_squares, 500),
    "weighted": (simulated.run_weighted, 300),
}


def check(method, L, name, runs, seed, entries=True):
    run, n = RUNS[method]
    law = LAWS[name]
    compare(L, predict(method, L, law, n), run(L, law, n, runs, seed), entries)


def compare(L, predicted, found, entries, off=1.25):
    assert unbiased(found, THETA[:L], predicted)
    assert agrees_in_total(found, predicted)
    assert not agrees_in_total(found, off * predicted)
    assert not agrees_in_total(found, predicted / off)
    if entries:
        assert agrees(found, predicted)
        assert not agrees(found, 1.25 * predicted)


@pytest.mark.parametrize(
    ("method", "L", "name"),
    [
        ("lms", 2, "skewed"),
        ("lms", 3, "Laplace"),
        ("lms", 4, "normal"),
        ("averaged", 3, "normal"),
        ("rls", 3, "skewed"),
        ("least-squares", 2, "Laplace"),
        ("least-squares", 4, "skewed"),
    ],
)
def test_predicted_against_simulated(method, L, name):
    check(method, L, name, runs=2000, seed=L)


@pytest.mark.parametrize(
    ("method", "L", "name"),
    [("weighted", 2, "normal"), ("weighted", 3, "skewed"), ("weighted", 4, "Laplace")],
)
def test_predicted_against_simulated_in_total(method, L, name):
    check(method, L, name, runs=2700 // L, seed=L, entries=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("L", [2, 3, 4])
@pytest.mark.parametrize("method", RUNS)
def test_the_whole_grid(method, L, name):
    check(method, L, name, runs=2500, seed=10)


@pytest.mark.slow
@pytest.mark.parametrize("L", [2, 3, 4])
def test_the_whole_fit_and_not_only_steps_from_the_truth(L):
    law, n = LAWS["normal"], 600
    found, predicted = simulated.run_batch(L, law, n, 2000, seed=20), predict("weighted", L, law, n)
    assert agrees(found, predicted)
    assert not agrees(found, 1.25 * predicted)


def check_one_step(L, name, n, runs, seed, off=1.25):
    """The likelihood step that `vieta.fit` takes, which knows the law and its scale, against the Cramér-Rao bound."""
    law = REGULAR[name]
    bound = theory.cramer_rao(THETA[:L], law, INPUTS)
    found = simulated.run_one_step(L, law, n, runs, seed)
    assert bound.relative_error < 0.01
    assert agrees(found, bound.after(n))
    compare(L, bound.after(n), found, entries=False, off=off)


def test_one_step_reaches_the_bound():
    check_one_step(2, "skewed", n=300, runs=250, seed=4, off=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.parametrize("L", [2, 3, 4])
def test_one_step_on_the_whole_grid(L, name):
    """Laplace noise, whose score jumps, approaches its limit only like one over the root of n."""
    check_one_step(L, name, n=2500, runs=3000 // L, seed=10)


def vectors(theta, law, psi_law, n, runs, seed):
    """Weighted estimates (runs, L D) of vectors."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        psi = psi_law.draw(rng, n, theta.shape[1])
        clean = respond(psi, np.broadcast_to(theta, (n, *theta.shape)))
        sets = clean + law.draw(rng, *clean.shape)
        matrices = psi[:, None, :] if psi.ndim == 2 else psi
        found.append(simulated.weighted_fit(sets, np.ascontiguousarray(matrices), theta).theta.ravel())
    return np.array(found)


PLANE = np.array([[-2.0, 1.0], [1.0, 2.0]])


def check_vectors(law, psi_law, runs):
    predicted = theory.efficient_covariance(PLANE, law, psi_law, online=True).after(300)
    found = vectors(PLANE, law, psi_law, 300, runs, seed=0)
    assert unbiased(found, PLANE.ravel(), predicted)
    assert agrees_in_total(found, predicted)
    assert not agrees_in_total(found, 1.25 * predicted)


def test_rows():
    check_vectors(noise.Laplace(0.05), inputs.Rows(), runs=700)


@pytest.mark.slow
def test_matrices():
    check_vectors(noise.Skewed(0.1), inputs.Matrices(), runs=1500)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("L", [2, 3, 4])
def test_products_as_well(L, name):
    """Their weights are estimated, too: with 400 sets that still costs five per cent, with 4000 nothing that is seen."""
    n, law = 4000, LAWS[name]
    predicted = theory.efficient_covariance(THETA[:L], law, INPUTS).after(n)
    compare(L, predicted, simulated.run_refined(L, law, n, 2400 // L, seed=10), entries=False)


@pytest.mark.slow
def test_what_products_gain_at_large_noise():
    """The variance of the difference at noise twice the gap, where the two predictions differ by a third."""
    theta, law, n = np.array([[4.0], [5.0]]), noise.Gaussian(4.0), 6000
    rng, found = np.random.default_rng(0), {True: [], False: []}
    for _ in range(1500):
        psi = rng.standard_normal(n)
        sets = psi[:, None, None] * theta + law.draw(rng, n, 2, 1)
        weighted = simulated.weighted_fit(sets, psi[:, None, None], theta)
        found[True].append(np.diff(weighted.theta[:, 0]))
        found[False].append(
            np.diff(simulated.refine(simulated.in_memory(simulated.Data(sets, psi, 1)), weighted).theta[:, 0])
        )

    def predicted(online):
        C = theory.efficient_covariance(theta, law, inputs.Gaussian(), online=online).after(n)
        return np.array([[C[0, 0] + C[1, 1] - 2 * C[0, 1]]])

    for online, samples in found.items():
        assert agrees_in_total(np.array(samples), predicted(online))
        assert not agrees_in_total(np.array(samples), predicted(not online))


@pytest.mark.slow
def test_the_bound_is_reached_by_one_step_of_scoring():
    """From the weighted estimate, one step along the score of the likelihood that knows the law."""
    from vieta.likelihood import score

    law, theta, n = noise.Laplace(1.0), np.array([[0.0], [2.0]]), 1500
    bound = theory.cramer_rao(theta, law, draws=400_000)
    rng, found = np.random.default_rng(0), []
    for _ in range(1500):
        sets = theta + law.draw(rng, n, 2, 1)
        start = simulated.weighted_fit(sets, np.ones((n, 1, 1)), theta).theta
        found.append(start.ravel() + bound.covariance @ score(start, law, sets).mean(axis=0))
    assert agrees_in_total(np.array(found), bound.after(n))
    assert not agrees_in_total(np.array(found), 1.25 * bound.after(n))
