"""Global starts for the weighted estimator: from coefficients, from single sets, from guesses that sort themselves."""

from collections.abc import Iterator

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.coefficients import coefficient_sums
from vieta.coefficients.choice import choose_design
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.symmetric import tensor_size
from vieta.weighted.sum_regression import as_matrices

LARGEST_DEGREE = 12  # beyond it, coefficients of noisy sets say little
LARGEST_TENSOR = 300
SINGLE_SETS = 3
GUESSES = 12


def starts(data: Data) -> Iterator[Floats]:
    """Parameters (L, D) to start from, the most trusted first; each is followed by its refinement."""
    psi = as_matrices(data)
    for theta in _raw_starts(data, psi):
        if np.isfinite(theta).all():
            yield theta
            yield assign_and_regress(data.sets, psi, theta)


def _raw_starts(data: Data, psi: Floats) -> Iterator[Floats]:
    yield from _from_coefficients(data)
    if data.reading_dim >= data.dim:
        yield from _from_single_sets(data.sets, psi)
    else:
        yield from _from_guesses(data, psi)


def _from_coefficients(data: Data) -> Iterator[Floats]:
    """Least squares on the coefficients; a complex pair is parted by its imaginary part."""
    too_many = (
        data.inputs.ndim > 1 and data.reading_dim != data.dim and tensor_size(data.n_systems, data.dim) > LARGEST_TENSOR
    )
    if data.n_systems > LARGEST_DEGREE or too_many:
        return
    name = "polarized" if data.inputs.ndim > 1 and tensor_size(data.n_systems, data.dim) > LARGEST_TENSOR else "auto"
    try:
        solution = coefficient_sums.fit(choose_design(name, data), in_memory(data))
        inverse = choose_design(name, data).transform.inverse(solution.coefficients)
    except (ValueError, np.linalg.LinAlgError):
        return
    yield inverse.theta + inverse.imaginary


def _from_single_sets(sets: Floats, psi: Floats) -> Iterator[Floats]:
    """The sets under the largest inputs, each an estimate on its own."""
    strength = np.linalg.svd(psi, compute_uv=False)[:, -1]
    for k in np.argsort(-strength)[:SINGLE_SETS]:
        if strength[k] > 0.0:
            yield np.linalg.lstsq(psi[k], sets[k].T)[0].T


def _from_guesses(data: Data, psi: Floats) -> Iterator[Floats]:
    """Random parameters of the size of the readings, refined; the few that explain the sets best."""
    rng = np.random.default_rng(0)
    D = data.dim
    rows, sums = psi.reshape(-1, D), data.sets.mean(axis=1).reshape(-1)
    center = np.linalg.lstsq(rows, sums)[0]
    size = np.sqrt(
        max(np.mean((data.sets - (psi @ center)[:, None]) ** 2) * D / np.mean((rows**2).sum(axis=1)), 1e-300)
    )
    found = []
    for _ in range(GUESSES):
        guess = center + size * rng.standard_normal((data.n_systems, D))
        theta = assign_and_regress(data.sets, psi, guess, iterations=30)
        found.append((assignment_cost(data.sets, psi, theta), theta))
    found.sort(key=lambda pair: pair[0])
    yield from (theta for _, theta in found[:SINGLE_SETS])


def assign(sets: Floats, means: Floats) -> Integers:
    """For each set, which reading (N, L) goes with each mean at the least total squared distance."""
    if sets.shape[2] == 1:  # in one dimension, in order
        order = np.empty(sets.shape[:2], dtype=np.int64)
        np.put_along_axis(order, np.argsort(means[:, :, 0], axis=1), np.argsort(sets[:, :, 0], axis=1), axis=1)
        return order
    from scipy.optimize import linear_sum_assignment

    costs = ((means[:, :, None, :] - sets[:, None, :, :]) ** 2).sum(axis=-1)
    return np.array([linear_sum_assignment(cost)[1] for cost in costs])


def assign_and_regress(sets: Floats, psi: Floats, theta: Floats, iterations: int = 5) -> Floats:
    """Label each set by its best assignment, fit each system by least squares, and again, on some hundreds of sets."""
    some = slice(0, 400)
    y, rows = sets[some], psi[some].reshape(-1, psi.shape[2])
    time = np.arange(len(y))[:, None]
    for _ in range(iterations):
        ordered = y[time, assign(y, np.einsum("npd,ld->nlp", psi[some], theta))]
        new: Floats = np.linalg.lstsq(rows, np.swapaxes(ordered, 1, 2).reshape(len(rows), -1))[0].T.astype(np.float64)
        if np.array_equal(new, theta):
            break
        theta = new
    return theta


def assignment_cost(sets: Floats, psi: Floats, theta: Floats) -> float:
    """Mean squared distance of readings to the means that they are assigned to."""
    y, means = sets[:400], np.einsum("npd,ld->nlp", psi[:400], theta)
    ordered = y[np.arange(len(y))[:, None], assign(y, means)]
    return float(np.mean((ordered - means) ** 2))
