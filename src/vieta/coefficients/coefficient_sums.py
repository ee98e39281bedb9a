r"""Least squares on the coefficients, from sums that merge.

.. math:: \hat\lambda_d = \Bigl(\sum_k A_d'A_d\Bigr)^{-1} \sum_k A_d' z_d,
    \qquad \mathrm{Cov}\,\hat\lambda = Q^{-1} \Bigl(\sum_k g_k g_k'\Bigr) Q^{-1}, \quad g_k = A'(z - A\hat\lambda).

The covariance is the sandwich: it trusts no noise law and no equality of the noise across systems.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Block, Design
from vieta.compiled import kernel
from vieta.errors import ComputationError, NotIdentifiableError
from vieta.sets import Data
from vieta.sums import Passes, Summed

THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sufficient statistics of least squares; those of two streams add.

    Attributes
    ----------
    normal : tuple of (q_d, q_d)
        Sum of A_d'A_d.
    moment : tuple of (q_d, K_d)
        Sum of A_d'z_d.
    count : int
        Sets absorbed.
    """

    normal: tuple[Floats, ...]
    moment: tuple[Floats, ...]
    count: int

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            tuple(a + b for a, b in zip(self.normal, other.normal, strict=True)),
            tuple(a + b for a, b in zip(self.moment, other.moment, strict=True)),
            self.count + other.count,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Sums of squares of the scores, (M, M), and of the noise in the readings' sum, (p, p); those of two streams add."""

    scores: Floats
    noise: Floats

    def __add__(self, other: "Squares") -> "Squares":
        return Squares(self.scores + other.scores, self.noise + other.noise)


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """Coefficients (M,), their covariance (M, M), the noise covariance (p, p), and the number of sets."""

    coefficients: Floats
    covariance: Floats
    noise: Floats
    n_sets: int


def accumulate(design: Design, sets: Floats, inputs: Floats) -> Sums:
    """The sums of sets (n, L, p) and inputs."""
    parts = [_sums(block.gains, block.readings) for block in design.blocks(sets, inputs)]
    return Sums(tuple(normal for normal, _ in parts), tuple(moment for _, moment in parts), len(sets))


def solve(sums: Sums) -> Floats:
    """Coefficients (M,) from the sums."""
    parts = []
    for degree, (normal, moment) in enumerate(zip(sums.normal, sums.moment, strict=True), start=1):
        if not (np.isfinite(normal).all() and np.isfinite(moment).all()):
            raise ComputationError(
                "coefficient-overflow",
                "the coefficients of degree {degree} are too large for 64-bit floating point. Scale readings and inputs to the order of "
                "one.",
                degree=degree,
            )
        scale = np.sqrt(np.maximum(np.diag(normal), 1e-300))
        scaled = normal / np.outer(scale, scale)
        if np.diag(normal).min() == 0.0 or np.linalg.cond(scaled) > 1e13:
            raise NotIdentifiableError(
                "coefficients-not-identified",
                "the inputs do not identify the parameters: the {unknowns} coefficient(s) of degree {degree} cannot be told apart from "
                "{n_sets} set(s). Inputs that are zero, constant or confined to a subspace do this; so do too few sets. Vary the inputs in "
                "every coordinate, or estimate fewer parameters.",
                unknowns=len(normal),
                degree=degree,
                n_sets=sums.count,
            )
        parts.append((np.linalg.solve(scaled, moment / scale[:, None]) / scale[:, None]).ravel())
    return np.concatenate(parts)


def fit(design: Design, passes: Passes) -> Coefficients:
    """Least squares over all sets in two passes: for the coefficients, then for their errors."""
    total = passes.total(lambda block, _: _over_parts(design, block, partial(accumulate, design)))
    coefficients = solve(total)
    M, p = len(coefficients), design.reading_dim
    squares = passes.total(lambda block, _: _over_parts(design, block, partial(_squares, design, coefficients)))
    inverse = np.zeros((M, M))
    for block, normal in zip(design.degrees, total.normal, strict=True):
        columns = (block.stop - block.start) // len(normal)
        inverse[block, block] = np.kron(np.linalg.inv(normal), np.eye(columns))
    used = len(total.normal[0]) / p if design.inputs == "matrix" else 1.0  # regressors a component
    freedom = max(total.count - used, 1.0)
    noise = squares.noise / (design.n_systems * freedom)
    return Coefficients(coefficients, inverse @ squares.scores @ inverse, noise, total.count)


def _over_parts(design: Design, block: Data, work: Callable[[Floats, Floats], Summed]) -> Summed:
    """The sum of what `work` makes of a block, in parts whose regressions fit in a few megabytes; by several threads."""
    widest = design.transform.readings.size * (design.transform.parameters.size if design.inputs == "matrix" else 1)
    size = max(1, min(8192, 2_000_000 // widest))
    cuts = [slice(at, at + size) for at in range(0, len(block), size)]

    def quiet(cut: slice) -> Summed:
        with np.errstate(over="ignore", invalid="ignore"):  # `solve` finds numbers that are too large
            return work(block.sets[cut], block.inputs[cut])

    if len(cuts) == 1:
        return quiet(cuts[0])
    with ThreadPoolExecutor(THREADS) as pool:
        return reduce(add, pool.map(quiet, cuts))


def _squares(design: Design, coefficients: Floats, sets: Floats, inputs: Floats) -> Squares:
    residuals, scores = _residuals(design, design.blocks(sets, inputs), coefficients)
    e = design.first_order_noise(residuals, inputs)
    return Squares(np.asarray(scores.T @ scores), np.asarray(e.T @ e))


def _residuals(design: Design, blocks: list[Block], coefficients: Floats) -> tuple[Floats, Floats]:
    """Residuals of the first degree (n, m, K) and scores A'(z - A lambda) of all, (n, M)."""
    if design.inputs != "matrix":  # one regressor for all columns: products of numbers, not of matrices
        residuals = [b.readings - b.gains * lam for b, lam in zip(blocks, design.split(coefficients), strict=True)]
        scores = [b.gains * r for b, r in zip(blocks, residuals, strict=True)]
    else:
        residuals = [b.readings - b.gains @ lam for b, lam in zip(blocks, design.split(coefficients), strict=True)]
        scores = [np.swapaxes(b.gains, 1, 2) @ r for b, r in zip(blocks, residuals, strict=True)]
    return residuals[0], np.concatenate([s.reshape(len(s), -1) for s in scores], axis=1)


@kernel
def _sums(gains: Floats, readings: Floats) -> tuple[Floats, Floats]:
    n, m, K = readings.shape
    q = gains.shape[2]
    normal, moment = np.zeros((q, q)), np.zeros((q, K))
    for k in range(n):
        for i in range(m):
            for j in range(q):
                a = gains[k, i, j]
                for r in range(q):
                    normal[j, r] += a * gains[k, i, r]
                for c in range(K):
                    moment[j, c] += a * readings[k, i, c]
    return normal, moment
