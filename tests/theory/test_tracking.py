"""LMS behind a Markov chain: exact formulas, brute-force sums, simulation, and the theorem that they refute."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import naive
from vieta import scenarios
from vieta.errors import UnstableStepError
from vieta.laws import inputs, noise
from vieta.laws.motion import Switching
from vieta.theory import best_step, lms_covariance, tracking_error

THETA = np.array([1.0, 3.0])
OTHERS = [[4.0, 5.0], [-2.0, 0.5]]
GENERATOR = [[-1.0, 0.7, 0.3], [0.2, -0.5, 0.3], [0.6, 0.6, -1.2]]


def telegraph(amplitude, rate):
    return Switching(others=[[-amplitude]], generator=[[-1, 1], [1, -1]], rate=rate)


def telegraph_lag(a, mu, eps):
    """a² (1 - 2 eps c / (1 - rho c) + eps (1 + rho c) / ((2 - eps)(1 - rho c))), c = 1 - 2 mu, rho = 1 - eps."""
    c, rho = 1 - 2 * mu, 1 - eps
    return a**2 * (1 - 2 * eps * c / (1 - rho * c) + eps * (1 + rho * c) / ((2 - eps) * (1 - rho * c)))


@pytest.mark.parametrize("eps", [0.9, 0.1, 1e-3])
@pytest.mark.parametrize("mu", [0.3, 1e-2, 1e-5])
def test_the_telegraph_in_closed_form(mu, eps):
    found = tracking_error([2.5], 0.49, switching=telegraph(2.5, mu), step=eps)
    assert_allclose(found.lag, telegraph_lag(2.5, mu, eps), rtol=1e-9)
    assert_allclose(found.noise, 0.49 * eps / (2 - eps), rtol=1e-9)
    if mu < 0.02 and eps < 0.2:
        assert_allclose(found.lag, 2.5**2 * 2 * mu / (eps + 2 * mu), rtol=0.1)


def test_a_chain_of_sets_against_sums_over_the_past():
    """Without inputs the filter is a weighted mean of the past, whose error is a double sum of autocovariances."""
    eps, rate, far = np.array([0.2, 0.1]), 0.05, 400
    chain = Switching(OTHERS, GENERATOR, rate)
    lam = np.array([naive.elementary(state) for state in [THETA, *OTHERS]])
    P = chain.transition
    stationary = np.linalg.matrix_power(P, 100_000)[0]
    found = tracking_error(THETA, 0.0, switching=chain, step=eps)
    for d in (0, 1):
        ahead, memory = [], lam[:, d]
        for _ in range(far):
            ahead.append(float(stationary @ (lam[:, d] * memory)))  # E lambda_k lambda_(k+i)
            memory = P @ memory
        C = np.array(ahead)
        weights = eps[d] * (1 - eps[d]) ** np.arange(far - 1)  # of lambda_(k-1), lambda_(k-2), ..
        lags = abs(np.subtract.outer(np.arange(far - 1), np.arange(far - 1)))
        expected = C[0] - 2 * weights @ C[1:] + weights @ C[lags] @ weights
        assert_allclose(found.lag[d], expected, rtol=1e-9)
    assert_allclose(found.noise, 0.0)


def test_a_chain_that_hardly_moves_has_the_error_of_lms():
    """At a small step, to first order: the prediction for constant parameters."""
    chain = Switching(others=[[1.0, 3.0]], generator=[[-1, 1], [1, -1]], rate=0.1)  # to itself
    found = tracking_error(THETA, 0.3, inputs.Gaussian(), switching=chain, step=1e-6)
    assert_allclose(found.lag, 0.0, atol=1e-15)
    expected = np.diag(lms_covariance(THETA, 0.3, inputs.Gaussian()).coefficients)
    assert_allclose(found.noise / 1e-6, expected, rtol=1e-4)


def simulate(chain, theta, law, psi_law, step, n, runs, seed):
    """Squared errors (runs, L) before the last set, all runs side by side, the chain from its stationary law."""
    rng = np.random.default_rng(seed)
    states = np.array([theta, *np.asarray(chain.others)[..., 0]])
    lam = np.array([naive.elementary(state) for state in states])
    L = states.shape[1]
    stationary = np.linalg.matrix_power(chain.transition, 2**40)[0]
    ladder = np.cumsum(chain.transition, axis=1)
    x = rng.choice(len(states), p=stationary / stationary.sum(), size=runs)
    found = lam[x].copy()
    degrees = np.arange(1, L + 1)
    for k in range(n):
        if k == n - 1:
            return (found - lam[x]) ** 2
        psi = psi_law.draw(rng, runs, 1)
        y = psi[:, None] * states[x] + law.draw(rng, runs, L, 1)[..., 0]
        z = np.stack([y.sum(axis=1), y.prod(axis=1)], axis=1)[:, :L]
        powers = psi[:, None] ** degrees
        found += step * powers * (z - powers * found)
        x = (rng.random(runs)[:, None] > ladder[x]).sum(axis=1)
    raise AssertionError


SETTINGS = {
    "telegraph": (telegraph(1.0, 0.01), [1.0], noise.Laplace(0.5), inputs.Constant(), np.array([0.05]), 200),
    "telegraph, normal inputs": (
        telegraph(1.0, 0.01),
        [1.0],
        noise.Gaussian(0.5),
        inputs.Gaussian(),
        np.array([0.1]),
        200,
    ),
    "three pairs": (
        Switching(OTHERS, GENERATOR, 0.02),
        THETA,
        noise.Gaussian(0.3),
        inputs.Sign(),
        np.full(2, 0.1),
        150,
    ),
    "three pairs, inputs": (
        Switching(OTHERS, GENERATOR, 0.02),
        THETA,
        noise.Skewed(0.2),
        inputs.Uniform(-1.7, 1.7),
        np.array([0.1, 0.05]),
        250,
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_simulation(name):
    chain, theta, law, psi_law, step, n = SETTINGS[name]
    predicted = tracking_error(theta, law, psi_law, switching=chain, step=step).mean_square
    errors = np.concatenate([simulate(chain, theta, law, psi_law, step, n, 4000, seed) for seed in (0, 1, 2)])
    tolerance = 5 * errors.std(axis=0) / np.sqrt(len(errors))
    assert np.all(abs(errors.mean(axis=0) - predicted) < tolerance)
    assert np.all(abs(errors.mean(axis=0) - 1.25 * predicted) > tolerance)


def test_the_order_is_that_of_eps_and_mu_over_eps():
    """Theorem 4 has eps + mu + mu²/eps: with mu = eps its error would go to zero with eps, and it stays."""
    errors, ours, printed = [], [], []
    for eps in 10.0 ** -np.arange(1, 7):
        for mu in (eps, eps**1.5, eps**2):
            errors.append(tracking_error([2.5], 1.0, switching=telegraph(2.5, mu), step=eps).total)
            ours.append(eps + mu / eps)
            printed.append(eps + mu + mu**2 / eps)
    ratio = np.array(errors) / ours
    assert ratio.max() < 40 * ratio.min()
    ratio = np.array(errors) / printed
    assert ratio.max() > 1e5 * ratio.min()


def test_a_chain_as_fast_as_the_filter_is_not_tracked():
    at_the_same_speed = [
        tracking_error([2.5], 0.1, switching=telegraph(2.5, eps), step=eps).total for eps in (1e-2, 1e-3, 1e-4)
    ]
    assert_allclose(at_the_same_speed, 2.5**2 * 2 / 3, rtol=0.02)
    much_slower = [
        tracking_error([2.5], 0.1, switching=telegraph(2.5, eps**2), step=eps).total for eps in (1e-2, 1e-3, 1e-4)
    ]
    assert_allclose(np.array(much_slower) / [1e-2, 1e-3, 1e-4], 2.5**2 * 2 + 0.05, rtol=0.03)


def test_simulation_refutes_the_theorem():
    """mu = eps, a tenth and a hundredth: the printed order shrinks tenfold, the simulated error does not."""
    means = []
    for eps in (0.1, 0.01):
        errors = simulate(
            telegraph(1.0, eps), [1.0], noise.Gaussian(0.01), inputs.Constant(), eps, int(30 / eps) // 3, 4000, 7
        )
        means.append(errors.mean())
    assert means[1] > 0.8 * means[0]
    assert_allclose(means, 2 / 3, rtol=0.15)


def test_the_best_step_is_the_minimum():
    for law in (None, inputs.Uniform(-1.5, 1.5)):
        for rate in (1e-2, 1e-4, 1e-6):
            chain = Switching(OTHERS, GENERATOR, rate)
            step = best_step(THETA, 0.3, law, switching=chain)
            least = tracking_error(THETA, 0.3, law, switching=chain, step=step).total
            for factor in (0.5, 0.9, 0.99, 1.01, 1.1):
                assert tracking_error(THETA, 0.3, law, switching=chain, step=factor * step).total > least * (1 - 1e-9)


def test_the_best_step_of_a_slow_telegraph_is_the_square_root_of_its_rate():
    """a² 2 mu / eps + eps sigma² / 2 is least at 2 a sqrt(mu) / sigma."""
    for rate in (1e-6, 1e-8):
        assert best_step([1.0], 4.0, switching=telegraph(1.0, rate)) == pytest.approx(2 * np.sqrt(rate) / 2, rel=0.01)


def test_steps_in_proportion():
    chain = Switching(OTHERS, GENERATOR, 1e-4)
    relative = np.array([1.0, 0.2])
    step = best_step(THETA, 0.3, inputs.Gaussian(), switching=chain, relative_step=relative)
    least = tracking_error(THETA, 0.3, inputs.Gaussian(), switching=chain, step=step * relative).total
    assert least < tracking_error(THETA, 0.3, inputs.Gaussian(), switching=chain, step=1.1 * step * relative).total


def test_the_named_scenario_and_vectors():
    scenario = scenarios.get("switching")
    found = tracking_error(scenario.theta, scenario.noise, scenario.inputs, switching=scenario.motion, step=0.01)
    assert found.mean_square.shape == (2,)
    vectors = Switching(others=[[[0.0, 1.0], [2.0, 2.0]]], generator=[[-1, 1], [1, -1]], rate=1e-3)
    found = tracking_error([[1.0, 0.0], [3.0, 1.0]], 0.1, switching=vectors, step=0.01)
    assert found.total == pytest.approx(found.noise.sum() + found.lag.sum())


def test_what_may_not_be_given():
    chain = Switching(OTHERS, GENERATOR, 1e-4)
    with pytest.raises(
        UnstableStepError, match=r"step 0.06 is too large for the coefficients of degree 2, .* 0.0571 on"
    ):
        tracking_error(THETA, 0.3, inputs.Gaussian(), switching=chain, step=0.06)
    with pytest.raises(ValueError, match=r"states of shape \(2, 1\), and theta has \(3, 1\)"):
        tracking_error([1, 2, 3], 0.3, switching=chain, step=0.1)
    with pytest.raises(ValueError, match="inputs that are numbers; rows or matrices were given"):
        tracking_error(
            THETA[:, None] * [1, 2],
            0.3,
            np.eye(2),
            switching=Switching(np.ones((1, 2, 2)), [[-1, 1], [1, -1]], 0.1),
            step=0.1,
        )
    with pytest.raises(ValueError, match="must reach every state from every other"):
        tracking_error([1.0], 0.3, switching=Switching([[2.0]], [[0, 0], [0, 0]], 0.1), step=0.1)
    with pytest.raises(ValueError, match="must be a positive finite number"):
        tracking_error([1.0], 0.3, switching=telegraph(1.0, 0.1), step=-0.1)
