"""Predicted errors of a network against simulation, with a control that must fail, and against closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import InputError, UnstableStepError
from vieta.laws.inputs import Affine, Gaussian, Uniform
from vieta.network import Diffusion, complete, mean_square_error, metropolis, ring, star
from vieta.theory import least_squares_covariance

THETA, STEP, START = np.array([1.0, 2.0]), np.array([0.05, 0.02]), [[0.5], [1.5]]
LAW = Uniform(0.5, 1.5)


@pytest.mark.parametrize("failing", [0.0, 0.5])
def test_least_mean_squares_against_simulation(failing):
    """Exact at any time, each agent of a star for itself; without the failures, or after other sets, it is wrong."""
    runs, n, N = 3000, 4, 60
    weights = metropolis(star(n))
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 1.5, size=(runs, n, N))
    sets = psi[..., None] * THETA + 0.3 * rng.normal(size=(runs, n, N, 2))
    found = Diffusion(weights, 2, step=STEP, start=START, failing=failing).fit(sets[..., None], psi)
    squares = (found.coefficients - [3.0, 2.0]) ** 2  # (runs, n, M)
    mean, error = squares.mean(axis=0), squares.std(axis=0) / np.sqrt(runs)

    def predicted(**other):
        options = {"weights": weights, "n_sets": N, "step": STEP, "start": START, "failing": failing, **other}
        one = mean_square_error(THETA, 0.09, LAW, **options)
        return np.diagonal(one.coefficients, axis1=1, axis2=2)

    assert (abs(mean - predicted()) < 4 * error).all()
    assert (abs(mean - predicted(n_sets=N // 2)) > 4 * error).any()
    assert (abs(mean - predicted(failing=0.5 - failing)) > 4 * error).any()


def test_the_steady_state_is_the_limit():
    options = {"weights": metropolis(ring(5)), "step": 0.1, "failing": 0.2}
    steady, late = (mean_square_error(THETA, 0.09, LAW, n_sets=n, **options) for n in (None, 400))
    assert_allclose(steady.coefficients, late.coefficients, rtol=1e-5)
    assert steady.together < steady.agents.min() < steady.agents.max() < steady.alone


def test_one_system_without_inputs_in_closed_form():
    """LMS alone is eps/(2 - eps) times the variance; with everybody's data in every step that over n."""
    found = mean_square_error([3.0], 0.5, weights=metropolis(complete(4)), step=0.1)
    assert_allclose([found.alone, found.together], [0.5 * 0.1 / 1.9, 0.5 * 0.1 / 1.9 / 4], rtol=1e-9)
    assert_allclose(found.agents, found.together, rtol=1e-9)


def test_recursive_least_squares_on_a_ring_by_its_eigenvalues():
    n, k = 6, 50
    found = mean_square_error([1.0, 3.0], 0.2, Gaussian(), weights=metropolis(ring(n)), n_sets=k)
    rho = (1 + 2 * np.cos(2 * np.pi * np.arange(n) / n)) / 3
    powers = np.array([(rho ** (2 * m)).sum() for m in range(1, k + 1)]).sum() / n
    assert_allclose(found.agents, found.alone * powers / k, rtol=1e-9)
    assert_allclose(found.alone, n * found.together, rtol=1e-9)
    plain = mean_square_error([1.0, 3.0], 0.2, Gaussian(), weights=metropolis(ring(n)), n_sets=k, weighted=False)
    assert_allclose(plain.alone, np.trace(least_squares_covariance([1.0, 3.0], 0.2, Gaussian()).covariance) / k)
    assert plain.alone > found.alone


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"step": 3.0}, "network-step-too-large"),
        ({}, "network-sets-missing"),
        ({"n_sets": 0}, "not-a-count"),
        ({"step": 0.1, "weights": metropolis(ring(51))}, "network-steady-size"),
    ],
)
def test_what_cannot_be_predicted_is_refused(options, code):
    with pytest.raises((InputError, UnstableStepError)) as caught:
        mean_square_error(THETA, 0.1, LAW, **{"weights": metropolis(ring(4)), **options})
    assert caught.value.code == code
    assert "{" not in str(caught.value)


def test_rows_of_inputs_have_no_step():
    with pytest.raises(InputError, match="numbers"):
        mean_square_error([[1.0, 0.0], [0.0, 1.0]], 0.1, Affine(Gaussian()), weights=np.eye(1), step=0.1)
