"""What the filters' errors will be, against brute force, Lyapunov and Monte Carlo."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import solve_continuous_lyapunov

from tests import naive
from vieta.coefficients import asymptotics, input_statistics, lms_recursion
from vieta.coefficients.bank import bank
from vieta.coefficients.design import Design
from vieta.laws import noise
from vieta.symmetric import elementary, root_sensitivity, roots, tensor

from .cases import SEEDS, agrees, every_case


def scalar_design(L):
    return Design(elementary(L), "scalar")


def seen_with(moments):
    """Inputs that had these moments E c², E c⁴, .., E c^(4L)."""
    lanes = np.zeros((input_statistics.LANES, len(moments)))
    lanes[0] = moments
    return input_statistics.State(count=1, counted=1, lanes=lanes, sample=np.zeros((0, 1, 1)), stride=1)


def gaussian_moment(order):
    return prod(range(1, order, 2))  # E psi^order = (order - 1)!!


def gaussian(L):
    return seen_with([float(gaussian_moment(2 * i)) for i in range(1, 2 * L + 1)])


def brute_score_covariance(theta, variances):
    """R_lm = sum over nonempty sets I of prod sigma_i² mu_2(l+m-|I|) e_(l-|I|) e_(m-|I|) of the others."""
    L = len(theta)
    R = np.zeros((L, L))
    for size in range(1, L + 1):
        for chosen in combinations(range(L), size):
            e = np.r_[1.0, naive.elementary(np.delete(theta, chosen))]
            power = prod(variances[i] for i in chosen)
            for l in range(size, L + 1):
                for m in range(size, L + 1):
                    R[l - 1, m - 1] += power * gaussian_moment(2 * (l + m - size)) * e[l - size] * e[m - size]
    return R


# --- Q and R --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("L", [1, 2, 3, 4, 5])
def test_score_covariance_is_the_sum_over_subsets(L):
    rng = np.random.default_rng(L)
    theta, variances = rng.normal(size=L), rng.uniform(0.1, 2.0, size=L)
    R = asymptotics.score_covariance(scalar_design(L), gaussian(L), theta[:, None], variances[:, None, None])
    assert_allclose(R, brute_score_covariance(theta, variances), rtol=1e-12)


def test_score_covariance_of_two_systems_in_closed_form():
    a, b, s = 1.0, 5.0, 0.5
    R = asymptotics.score_covariance(scalar_design(2), gaussian(2), np.array([[a], [b]]), np.array([[s**2]]))
    cross = 3 * s**2 * (a + b)
    assert_allclose(R, [[2 * s**2, cross], [cross, 15 * s**2 * (a**2 + b**2) + 3 * s**4]], rtol=1e-13)
    assert abs(R[0, 1]) > 1  # not diagonal, as the paper has it


def scores(design, data, truth):
    """A'w (n, M) at the true coefficients."""
    parts = zip(design.blocks(data.sets, data.inputs), design.split(truth))
    found = [np.swapaxes(b.gains, 1, 2) @ (b.readings - b.gains @ lam) for b, lam in parts]
    return np.concatenate([g.reshape(len(g), -1) for g in found], axis=1)


@every_case
def test_scores_have_covariance_R_and_regressors_Q(case):
    design, data = case.design(), case.data(1000, noise=0.5)
    seen = input_statistics.update(input_statistics.init(design), data.inputs)
    truth = design.transform.parameters.transform(case.theta)
    p = data.reading_dim
    R = asymptotics.score_covariance(design, seen, case.theta, 0.25 * np.eye(p))
    rng = np.random.default_rng(5)
    psi = data.inputs if data.inputs.ndim == 3 else data.inputs[:, None, None] * np.eye(p)
    clean = np.einsum("npd,ld->nlp", psi, case.theta)
    means = []
    for _ in range(150):
        noisy = type(data)(clean + 0.5 * rng.standard_normal(clean.shape), data.inputs, data.dim)
        g = scores(design, noisy, truth)
        means.append(g.T @ g / len(g))
    error = np.std(means, axis=0) / np.sqrt(len(means))
    assert np.all(abs(np.mean(means, axis=0) - R) < 5.5 * error + 1e-9)
    assert not np.all(abs(np.mean(means, axis=0) - 1.25 * R) < 5.5 * error + 1e-9)

    Q = np.zeros_like(R)
    for where, block in zip(design.degrees, design.blocks(data.sets, data.inputs)):
        columns = block.readings.shape[2]
        Q[where, where] = np.kron(np.einsum("nij,nir->jr", block.gains, block.gains) / 1000, np.eye(columns))
    assert_allclose(asymptotics.normal_matrix(design, seen), Q, rtol=1e-9, atol=1e-12 * abs(Q).max())


# --- steps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("L", [1, 3, 6])
def test_step_bounds_for_numbers(L):
    c = np.random.default_rng(L).normal(size=5000)
    seen = input_statistics.update(input_statistics.init(scalar_design(L)), c)
    bounds = asymptotics.step_bounds(scalar_design(L), seen)
    expected = [2 * np.mean(c ** (2 * d)) / np.mean(c ** (4 * d)) for d in range(1, L + 1)]
    assert_allclose(bounds, expected, rtol=1e-10)
    for d, bound in enumerate(bounds, start=1):  # the mean square of the error is multiplied by one at the bound
        assert_allclose(np.mean((1 - bound * c ** (2 * d)) ** 2), 1.0, rtol=1e-9)


def test_step_bounds_for_gaussian_inputs():
    bounds = asymptotics.step_bounds(scalar_design(6), gaussian(6))
    assert_allclose(bounds, [0.667, 0.0571, 0.00289, 1.04e-4, 2.9e-6, 6.6e-8], rtol=6e-3)


def test_step_bounds_for_matrices_that_are_numbers():
    c = np.random.default_rng(0).normal(size=500)
    design = Design(tensor(3, 1, 1), "matrix")
    seen = input_statistics.update(input_statistics.init(design), c[:, None, None])
    expected = [2 * np.mean(c ** (2 * d)) / np.mean(c ** (4 * d)) for d in (1, 2, 3)]
    assert_allclose(asymptotics.step_bounds(design, seen), expected, rtol=1e-9)


@every_case
def test_below_the_bound_every_error_shrinks_in_mean_square(case):
    design, data = case.design(), case.data(600)
    seen = input_statistics.update(input_statistics.init(design), data.inputs)
    bounds = asymptotics.step_bounds(design, seen)
    for bound, block in zip(bounds, design.blocks(data.sets, data.inputs)):
        G = np.einsum("nij,nir->njr", block.gains, block.gains)
        eye = np.eye(G.shape[1])
        shrunk = [np.linalg.eigvalsh(np.mean((eye - s * G) @ (eye - s * G), axis=0))[-1] for s in (bound, 1.05 * bound)]
        assert shrunk[0] < 1 + 1e-9  # E|(I - eps G) x|² <= |x|² for all x
        assert shrunk[1] > 1


# --- LMS ------------------------------------------------------------------------------------------------------------


@every_case
def test_lms_covariance_solves_lyapunov(case):
    design, data = case.design(), case.data(200)
    seen = input_statistics.update(input_statistics.init(design), data.inputs)
    Q = asymptotics.normal_matrix(design, seen)
    R = asymptotics.score_covariance(design, seen, case.theta, 0.01 * np.eye(data.reading_dim))
    steps = 1e-3 / np.arange(1, design.n_systems + 1)
    E = np.diag(design.spread(steps))
    expected = solve_continuous_lyapunov(E @ Q, E @ R @ E)
    got = asymptotics.lms_covariance(design, Q, R, steps)
    assert_allclose(got, expected, rtol=1e-8, atol=1e-10 * abs(expected).max())


def test_lyapunov_integral_converges_with_the_minus_sign():
    """int exp(-sQ) R exp(-sQ) ds, and not exp(+sQ) as printed."""
    Q, R = np.diag([1.0, 3.0]), np.array([[8.0, 108.0], [108.0, 2508.0]])
    covariance = asymptotics.lms_covariance(scalar_design(2), Q, R, np.full(2, 1e-3)) / 1e-3
    assert_allclose(covariance, [[4.0, 27.0], [27.0, 418.0]])
    s = np.linspace(0.0, 30.0, 300_001)
    decay = np.exp(-np.outer(s, np.diag(Q)))
    integral = np.trapezoid(decay[:, :, None] * R * decay[:, None, :], s, axis=0)
    assert_allclose(covariance, integral, rtol=1e-6)


def lms_chains(L, psi_law, theta, sd, step, n, runs, seed):
    """Final coefficients (runs, L) of LMS that starts at the truth."""
    rng = np.random.default_rng(seed)
    truth = elementary(L).transform(np.reshape(theta, (L, 1)))
    found = np.empty((runs, L))
    for r in range(runs):
        c = psi_law(rng, n)
        sets = c[:, None, None] * np.reshape(theta, (L, 1)) + sd * rng.standard_normal((n, L, 1))
        found[r] = truth
        bank(L)(found[r], sets, c, step, 0.0, 1.0)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_lms_covariance_predicts_the_steady_state(seed):
    """Inputs on [-sqrt 3, sqrt 3], small steps: the theory is of first order in them."""
    theta, step, n = np.array([-1.0, 0.5, 2.0]), np.array([2e-3, 1e-3, 4e-4]), 2500
    moments = [3.0**i / (2 * i + 1) for i in range(1, 7)]
    seen, design = seen_with(moments), scalar_design(3)
    Q = asymptotics.normal_matrix(design, seen)
    R = asymptotics.score_covariance(design, seen, theta[:, None], np.array([[0.09]]))
    predicted = asymptotics.lms_covariance(design, Q, R, step, n)
    uniform = lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), size=n)  # noqa: E731
    found = lms_chains(3, uniform, theta, 0.3, step, n, 3000, seed)
    assert agrees(found, predicted)
    assert not agrees(found, 1.25 * predicted)
    assert not agrees(found, predicted / 1.25)


def trace_in_closed_form(a, b, s, factor):
    return 3 * s**2 + (factor * (a + b) ** 2 * s**2 + s**4) / (a - b) ** 2


def test_trace_of_two_systems_in_closed_form():
    for a, b, s in ((1.0, 5.0, 0.5), (4.0, 5.0, 0.1), (-2.0, 1.0, 1.0)):
        theta, seen, design = np.array([[a], [b]]), gaussian(2), scalar_design(2)
        Q = asymptotics.normal_matrix(design, seen)
        R = asymptotics.score_covariance(design, seen, theta, np.array([[s**2]]))
        J = root_sensitivity(theta.ravel())
        trace = np.trace(J @ asymptotics.lms_covariance(design, Q, R, np.array([1e-4, 1e-4])) @ J.T)
        assert_allclose(trace / 1e-4, trace_in_closed_form(a, b, s, 1.5), rtol=1e-10)


def monte_carlo_trace(seed, runs, step=2e-4, n=10_000):
    """Squared errors (runs,) of LMS over the step, for parameters 1 and 5 and noise of deviation 1/2."""
    found = lms_chains(2, lambda rng, n: rng.standard_normal(n), (1.0, 5.0), 0.5, np.full(2, step), n, runs, seed)
    theta = np.sort(roots(found).real, axis=1)
    return ((theta - [1.0, 5.0]) ** 2).sum(axis=1) / step


def test_monte_carlo_refutes_the_trace_printed_in_the_paper():
    errors = np.concatenate([monte_carlo_trace(seed, runs=500) for seed in SEEDS])
    tolerance = 5 * errors.std() / np.sqrt(len(errors))
    assert abs(errors.mean() - trace_in_closed_form(1.0, 5.0, 0.5, 1.5)) < tolerance
    assert abs(errors.mean() - trace_in_closed_form(1.0, 5.0, 0.5, 3.0)) > tolerance


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 15))
def test_monte_carlo_trace_to_a_few_percent(seed):
    errors = monte_carlo_trace(seed, runs=4000, n=20_000)
    tolerance = 5 * errors.std() / np.sqrt(len(errors))
    assert abs(errors.mean() - trace_in_closed_form(1.0, 5.0, 0.5, 1.5)) < tolerance < 0.2


# --- transients and averages ----------------------------------------------------------------------------------------


def test_lms_covariance_starts_at_the_start_and_ends_in_the_steady_state():
    design, Q, R = scalar_design(2), np.diag([1.0, 3.0]), np.array([[2.0, 1.0], [1.0, 5.0]])
    step = np.array([0.01, 0.02])
    first = asymptotics.lms_covariance(design, Q, R, step, 0, start=0.1)
    assert_allclose(first, 0.1 * R / np.outer(np.diag(Q), np.diag(Q)))
    late = asymptotics.lms_covariance(design, Q, R, step, 10_000, start=0.1)
    assert_allclose(late, asymptotics.lms_covariance(design, Q, R, step), rtol=1e-12)


def test_average_tends_to_least_squares():
    design, Q, R = scalar_design(2), np.diag([1.0, 3.0]), np.array([[2.0, 1.0], [1.0, 5.0]])
    n = 10**7
    average = asymptotics.averaged_covariance(design, Q, R, np.array([0.05, 0.02]), n)
    inverse = np.linalg.inv(Q)
    assert_allclose(average, inverse @ R @ inverse / n, rtol=1e-4)
    assert_allclose(asymptotics.least_squares_covariance(Q, R, n), inverse @ R @ inverse / n, rtol=1e-12)


def test_average_of_one_iterate_is_that_iterate():
    design, Q, R = scalar_design(2), np.diag([1.0, 3.0]), np.array([[2.0, 1.0], [1.0, 5.0]])
    step = np.array([0.05, 0.02])
    rho = 1 - step * np.diag(Q)
    expected = R * np.outer(step, step) + 0.1 * R / np.outer(np.diag(Q), np.diag(Q)) * np.outer(rho, rho)
    assert_allclose(asymptotics.averaged_covariance(design, Q, R, step, 1, start=0.1), expected, rtol=1e-12)


@pytest.mark.parametrize("first", [0, 4])
@pytest.mark.parametrize("n", [3, 40])
def test_average_of_few_iterates_against_monte_carlo(n, first):
    """Random signs as inputs make the theory exact; `first` sets give the start, as least squares."""
    runs, step, theta = 4000, np.array([0.1, 0.2]), np.array([[1.0], [-2.0]])
    design, rng = scalar_design(2), np.random.default_rng(n + first)
    truth = elementary(2).transform(theta)
    averages, ends = [], []
    for _ in range(runs):
        c = rng.choice([-1.0, 1.0], size=first + n)
        sets = c[:, None, None] * theta + noise.Skewed(0.09).draw(rng, first + n, 2, 1)
        z = elementary(2).transform(sets[:first]) * c[:first, None] ** [1, 2]
        start = z.mean(axis=0) if first else truth
        state, _ = lms_recursion.update(lms_recursion.init(start), design, design.blocks(sets[first:], c[first:]), step)
        averages.append(state.total / n)
        ends.append(state.coefficients)
    Q, R = np.eye(2), asymptotics.score_covariance(design, seen_with(np.ones(4)), theta, np.array([[0.09]]))
    known = 1.0 / first if first else 0.0
    for found, predicted in (
        (np.array(averages), asymptotics.averaged_covariance(design, Q, R, step, n, known)),
        (np.array(ends), asymptotics.lms_covariance(design, Q, R, step, n, known) * exact(step)),
    ):
        assert agrees(found, predicted, errors=6)
        assert not agrees(found, 1.3 * predicted, errors=6)


def exact(step):
    """Steady state at a finite step over its first order, for inputs of size one."""
    return (step[:, None] + step) / (step[:, None] + step - np.outer(step, step))
