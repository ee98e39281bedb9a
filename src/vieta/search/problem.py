r"""Sets in units of their noise, with what the search needs of the inputs; and its two steps: assign, and expect.

Readings and inputs are multiplied by :math:`C^{-1/2}`, so that the noise has unit covariance. With the stacked inputs :math:`X = QR`
(n p rows), parameters in the coordinates :math:`R\theta/\sqrt n` have the length of the means they make, root mean square.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers, plain, unshared
from vieta.matching import match_rows


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Sets to search in.

    Attributes
    ----------
    sets : (n, L, p)
        Numbers in ascending order.
    psi : (n, p, D)
    inverse : (D, n, p)
        The pseudo-inverse of the stacked inputs.
    root : (D, D)
        R / sqrt(n).
    back : (D, D)
        Its pseudo-inverse.
    """

    sets: Floats
    psi: Floats
    inverse: Floats
    root: Floats
    back: Floats

    @property
    def n_systems(self) -> int:
        """L."""
        return int(self.sets.shape[1])

    def of(self, sets: Floats) -> "Problem":
        """The same inputs with other sets (n, L', p)."""
        return replace(self, sets=plain(np.sort(sets, axis=1)) if sets.shape[2] == 1 else plain(sets))

    def means(self, theta: Floats) -> Floats:
        """(n, L', p) the means under parameters (L', D)."""
        return np.asarray(np.einsum("npd,ld->nlp", self.psi, theta))


def problem(sets: Floats, psi: Floats, noise: Floats) -> Problem:
    """The problem of sets (n, L, p) with inputs (n, p, D) and noise covariance (p, p)."""
    whiten = np.linalg.inv(np.linalg.cholesky(noise))
    scaled = plain(np.einsum("qp,npd->nqd", whiten, psi))
    n, p, D = scaled.shape
    rows = scaled.reshape(n * p, D)
    inverse = np.linalg.pinv(rows).reshape(D, n, p)
    root = np.linalg.qr(rows, mode="r") / np.sqrt(n) if n * p >= D else np.eye(D)
    return Problem(sets, scaled, plain(inverse), root, np.linalg.pinv(root)).of(sets @ whiten.T)


def some_of(given: Problem, most: int) -> Problem:
    """The problem of at most so many of its sets, evenly spread."""
    n, _, p = given.sets.shape
    if n <= most:
        return given
    chosen = np.linspace(0, n - 1, most).round().astype(np.int64)
    return problem(given.sets[chosen], given.psi[chosen], np.eye(p))


class Assigned(NamedTuple):
    """Where alternating assignment ended: the sum of squared distances, and parameters (L, D); with the sets (n, L, p) and orders (n, L).

    An order is of the systems by rank for numbers, of the readings by system for vectors.
    """

    cost: float
    theta: Floats
    sets: Floats
    orders: Integers

    @property
    def readings(self) -> Floats:
        """(n, L, p) the reading of each system."""
        if self.sets.shape[2] > 1:
            return np.take_along_axis(self.sets, self.orders[:, :, None], axis=1)
        readings = np.empty_like(self.sets)
        np.put_along_axis(readings, self.orders[:, :, None], self.sets, axis=1)
        return readings


def alternate(given: Problem, theta: Floats, iterations: int = 60) -> Assigned:
    """Assign each set's readings to the systems at the least squared distance, regress each system, and so on until nothing changes."""
    return alternate_each(given, theta[None], iterations)[0]


def alternate_each(given: Problem, starts: Floats, iterations: int) -> list[Assigned]:
    """The same from each of some parameters (count, L, D)."""
    n, L, p = given.sets.shape
    found = np.array(starts, dtype=np.float64, order="C")
    orders, costs = np.empty((len(found), n, L), dtype=np.int64), np.empty(len(found))
    if p == 1:
        from vieta.association.number_association import alternate_numbers

        rows, inverse = plain(given.psi[:, 0]), plain(given.inverse[:, :, 0].T)
        alternate_numbers(plain(given.sets[:, :, 0]), rows, inverse, found, iterations, orders, costs)
    else:
        from vieta.association.vector_association import alternate_vectors

        alternate_vectors(given.sets, given.psi, given.inverse, found, iterations, orders, costs)
    return [Assigned(*one, given.sets, order) for one, order in zip(zip(costs.tolist(), found), orders)]


class Expected(NamedTuple):
    """Each set's log density (n,), up to a constant, and the expected reading of each system (n, L, p), at some parameters."""

    logs: Floats
    readings: Floats


def expect(given: Problem, theta: Floats, variance: float = 1.0) -> Expected:
    """The density of the sets under Gaussian noise of unit covariance times `variance`, summed over all assignments."""
    n, L, p = given.sets.shape
    logs, readings = np.empty(n), np.empty((n, L, p))
    if p == 1:
        from vieta.association.number_association import expect_numbers

        orders = np.empty((n, L), dtype=np.int64)
        orders[:] = np.arange(L)
        m, order = unshared((L,), (L,))
        rows, expected = plain(given.psi[:, 0]), readings.reshape(n, L)
        expect_numbers(
            plain(given.sets[:, :, 0]), rows, plain(theta), variance, orders, m, order.view(np.int64), expected, logs
        )
        return Expected(logs, readings)
    from vieta.association.vector_association import expect_vectors

    means, cost, marginals = unshared((L, p), (L, L), (L, L))
    expect_vectors(given.sets, given.psi, plain(theta), variance, means, cost, marginals, readings, logs)
    return Expected(logs, readings)


def residual_variance(given: Problem, theta: Floats) -> float:
    r"""The expected squared residual, averaged over readings, over the noise variance: about one at the right parameters.

    .. math:: \frac{1}{n L p - L D} \sum_k \Bigl(\sum_i |y_i|^2 - 2 \sum_l m_l' E[y_l] + \sum_l |m_l|^2\Bigr)
    """
    n, L, p = given.sets.shape
    means = given.means(theta)
    total = (given.sets**2).sum() - 2.0 * (means * expect(given, theta).readings).sum() + (means**2).sum()
    return float(total / max(n * L * p - theta.size, 1))


def doubt(given: Problem, theta: Floats) -> float:
    """How much likelier the sets are by all assignments than by their best ones: the mean logarithm; zero where associations are sure."""
    best = alternate(given, theta, iterations=1).cost
    return float((expect(given, theta).logs.sum() + 0.5 * best) / len(given.sets))


def regressed(given: Problem, readings: Floats) -> Floats:
    """(L, D) each system's least squares fit to its readings (n, L, p)."""
    n, L, p = readings.shape
    rows = readings.transpose(0, 2, 1).reshape(n * p, L)
    return plain((given.inverse.reshape(-1, n * p) @ rows).T)


def gaps(given: Problem, theta: Floats, other: Floats) -> Floats:
    """(L,) how far the means of two solutions are apart, root mean square, in noise standard deviations, for each system of `other`."""
    a, b = theta @ given.root.T, other @ given.root.T
    return np.asarray(np.sqrt(((a[match_rows(a, b, unit=1.0)] - b) ** 2).sum(axis=1)))


def distance(given: Problem, theta: Floats, other: Floats) -> float:
    """The same for the system that differs most."""
    return float(gaps(given, theta, other).max())
