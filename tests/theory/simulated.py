"""Every method on many runs of the same setting, from the kernels; and whether a predicted covariance fits them."""

import numpy as np

from vieta.coefficients import coefficient_sums, lms_recursion, rls_recursion
from vieta.coefficients.bank import bank
from vieta.coefficients.design import Design
from vieta.laws import inputs, noise
from vieta.likelihood import scoring
from vieta.likelihood.assumed import assume
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.symmetric import elementary, roots
from vieta.theory import even_moments
from vieta.weighted import solve
from vieta.weighted.misfit import Misfit
from vieta.weighted.refinement import refine
from vieta.weighted.score_errors import Basis
from vieta.weighted.sum_regression import regress

THETA = np.array([-1.0, 0.5, 2.0, 3.5])
INPUTS = inputs.Uniform(-1.7, 1.7)
VARIANCE = 0.02
LAWS = {"normal": noise.Gaussian(VARIANCE), "Laplace": noise.Laplace(VARIANCE), "skewed": noise.Skewed(VARIANCE)}
REGULAR = LAWS | {"skewed": noise.Skewed(VARIANCE, skewness=0.5)}  # of finite information, and faint at their ends
RATE = 0.004  # of forgetting in LMS, the same for every degree: the theory is of first order in it


def draws(L, law, n, runs, seed):
    """Sets (n, L, 1) and inputs (n,) of each run; their order carries no meaning to any method, and is left alone."""
    rng = np.random.default_rng(seed)
    theta = THETA[:L, None]
    for _ in range(runs):
        psi = INPUTS.draw(rng, n, 1)
        yield psi[:, None, None] * theta + law.draw(rng, n, L, 1), psi


def ordered(coefficients):
    return np.sort(roots(np.array(coefficients)).real, axis=1)


def relative_steps(L):
    """One over the power of each degree's regressor: all degrees forget at one rate."""
    return 1.0 / even_moments(INPUTS, L)


def run_lms(L, law, n, runs, seed):
    step = RATE * relative_steps(L)
    found = np.tile(elementary(L).transform(THETA[:L, None]), (runs, 1))
    for lam, (sets, psi) in zip(found, draws(L, law, n, runs, seed)):
        bank(L)(lam, sets, psi, step, 0.0, 1.0)
    return ordered(found)


def run_averaged(L, law, n, runs, seed):
    design, step = Design(elementary(L), "scalar"), 0.03 * relative_steps(L)
    start, found = elementary(L).transform(THETA[:L, None]), []
    for sets, psi in draws(L, law, n, runs, seed):
        state, _ = lms_recursion.update(lms_recursion.init(start), design, design.blocks(sets, psi), step)
        found.append(state.total / n)
    return ordered(found)


def run_rls(L, law, n, runs, seed):
    design, found = Design(elementary(L), "scalar"), []
    for sets, psi in draws(L, law, n, runs, seed):
        state, _ = rls_recursion.update(rls_recursion.init(design, np.zeros(L)), design, design.blocks(sets, psi), 1.0)
        found.append(state.coefficients)
    return ordered(found)


def run_least_squares(L, law, n, runs, seed):
    design = Design(elementary(L), "scalar")
    each = draws(L, law, n, runs, seed)
    return ordered([coefficient_sums.solve(coefficient_sums.accumulate(design, *one)) for one in each])


def weighted_fit(sets, psi, theta):
    """The weighted estimate, by steps from the truth; psi as matrices."""
    from vieta.weighted.equations import accumulate

    regression = regress(in_memory(Data(sets, psi, psi.shape[2])))
    C = regression.noise
    for _ in range(4):
        H, g, M, squares = accumulate(sets, psi, theta, C)
        theta = theta + np.linalg.solve(H, g).reshape(theta.shape)
    basis = Basis(float(len(sets)), float(len(sets)), float(len(sets)))
    return solve.Fit(theta, H, M, M, regression, Misfit.of(squares), True, basis)


def run_weighted(L, law, n, runs, seed):
    each = draws(L, law, n, runs, seed)
    return np.array([weighted_fit(sets, psi[:, None, None], THETA[:L, None]).theta[:, 0] for sets, psi in each])


def run_refined(L, law, n, runs, seed):
    found = []
    for sets, psi in draws(L, law, n, runs, seed):
        weighted = weighted_fit(sets, psi[:, None, None], THETA[:L, None])
        found.append(refine(in_memory(Data(sets, psi, 1)), weighted).theta[:, 0])
    return np.array(found)


def run_batch(L, law, n, runs, seed):
    found = [solve.fit(in_memory(Data(sets, psi, 1))).theta[:, 0] for sets, psi in draws(L, law, n, runs, seed)]
    return np.sort(found, axis=1)


def run_one_step(L, law, n, runs, seed):
    each, assumed = draws(L, law, n, runs, seed), assume(law)
    return np.sort([scoring.fit(in_memory(Data(sets, psi, 1)), assumed).theta[:, 0] for sets, psi in each], axis=1)


def agrees_in_total(samples, predicted):
    """The mean of x'C⁻¹x over the dimension is one, within five standard errors sqrt(2 / (runs M)) for normal errors."""
    centred = samples - samples.mean(axis=0)
    mean = np.sum(centred * np.linalg.solve(predicted, centred.T).T) / (centred.size - centred.shape[1])
    return abs(mean - 1.0) < 5 * np.sqrt(2.0 / centred.size)


def unbiased(samples, truth, predicted):
    """The bias is below five standard errors of the mean, or a tenth of a standard error of one run."""
    sd = np.sqrt(np.diag(predicted))
    return np.all(abs(samples.mean(axis=0) - truth) < (5 / np.sqrt(len(samples)) + 0.1) * sd)
