r"""Least squares on the coefficients, from sums that merge.

.. math:: \hat\lambda_d = \Bigl(\sum_k A_d'A_d\Bigr)^{-1} \sum_k A_d' z_d,
    \qquad \mathrm{Cov}\,\hat\lambda = Q^{-1} \Bigl(\sum_k g_k g_k'\Bigr) Q^{-1}, \quad g_k = A'(z - A\hat\lambda).

The covariance is the sandwich: it trusts no noise law and no equality of the noise across systems.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TypeVar

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Block, Design
from vieta.compiled import kernel

THREADS = min(4, os.cpu_count() or 1)

Result = TypeVar("Result")


class NotIdentifiableError(ValueError):
    """The inputs cannot tell the parameters."""


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
class Solution:
    """Coefficients (M,), their covariance (M, M) and the noise covariance (p, p)."""

    coefficients: Floats
    covariance: Floats
    noise: Floats


def accumulate(design: Design, sets: Floats, inputs: Floats) -> Sums:
    """The sums of sets (n, L, p) and inputs."""
    parts = [_sums(block.gains, block.readings) for block in design.blocks(sets, inputs)]
    return Sums(tuple(normal for normal, _ in parts), tuple(moment for _, moment in parts), len(sets))


def solve(sums: Sums) -> Floats:
    """Coefficients (M,) from the sums."""
    parts = []
    for degree, (normal, moment) in enumerate(zip(sums.normal, sums.moment, strict=True), start=1):
        if not (np.isfinite(normal).all() and np.isfinite(moment).all()):
            raise OverflowError(
                f"the coefficients of degree {degree} are too large for numbers of 64 bits. Scale readings and inputs "
                "to the order of one."
            )
        scale = np.sqrt(np.maximum(np.diag(normal), 1e-300))
        scaled = normal / np.outer(scale, scale)
        if np.diag(normal).min() == 0.0 or np.linalg.cond(scaled) > 1e13:
            raise NotIdentifiableError(
                f"the inputs do not identify the parameters: the {len(normal)} coefficient(s) of degree {degree} "
                f"cannot be told apart from {sums.count} set(s). Inputs that are zero, constant or confined to a "
                "subspace do this; so do too few sets. Vary the inputs in every coordinate, or ask for fewer."
            )
        parts.append((np.linalg.solve(scaled, moment / scale[:, None]) / scale[:, None]).ravel())
    return np.concatenate(parts)


def fit(design: Design, sets: Floats, inputs: Floats) -> Solution:
    """Least squares over all sets."""
    return fit_pieces(design, lambda: [(sets, inputs)])


def fit_pieces(design: Design, read: Callable[[], Iterable[tuple[Floats, Floats]]]) -> Solution:
    """Least squares over sets that are read twice, piece by piece: for the coefficients, then for their errors."""
    total = reduce(add, _each(design, read(), partial(accumulate, design)))
    coefficients = solve(total)
    M, p = len(coefficients), design.reading_dim
    scores, noise = np.zeros((M, M)), np.zeros((p, p))
    for squares, noise_squares in _each(design, read(), partial(_squares, design, coefficients)):
        scores += squares
        noise += noise_squares
    inverse = np.zeros((M, M))
    for block, normal in zip(design.degrees, total.normal, strict=True):
        columns = (block.stop - block.start) // len(normal)
        inverse[block, block] = np.kron(np.linalg.inv(normal), np.eye(columns))
    used = len(total.normal[0]) / p if design.inputs == "matrix" else 1.0  # regressors a component
    freedom = max(total.count - used, 1.0)
    return Solution(coefficients, inverse @ scores @ inverse, noise / (design.n_systems * freedom))


def _each(
    design: Design, pieces: Iterable[tuple[Floats, Floats]], work: Callable[[Floats, Floats], Result]
) -> Iterator[Result]:
    """What `work` makes of the sets, in parts whose regressions fit in a few megabytes; in order, by several threads."""
    widest = design.transform.readings.size * (design.transform.parameters.size if design.inputs == "matrix" else 1)
    size = max(1, min(8192, 2_000_000 // widest))

    def quiet(sets: Floats, inputs: Floats) -> Result:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are found by `solve`
            return work(sets, inputs)

    with ThreadPoolExecutor(THREADS) as pool:
        for sets, inputs in pieces:
            cuts = [slice(at, at + size) for at in range(0, len(sets), size)]
            run = pool.map if len(cuts) > 1 else map
            yield from run(quiet, [sets[cut] for cut in cuts], [inputs[cut] for cut in cuts])


def _squares(design: Design, coefficients: Floats, sets: Floats, inputs: Floats) -> tuple[Floats, Floats]:
    """Sums of squares of the scores, (M, M), and of the noise in the readings' sum, (p, p)."""
    residuals, scores = _residuals(design, design.blocks(sets, inputs), coefficients)
    e = design.first_order_noise(residuals, inputs)
    return np.asarray(scores.T @ scores), np.asarray(e.T @ e)


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
