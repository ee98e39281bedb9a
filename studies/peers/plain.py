r"""Methods that need no package: least squares with labels, alternating assignment, and EM of a mixture that knows of no sets."""

from dataclasses import dataclass

import numpy as np

from studies.peers.rows import Problem, Start
from vieta.arrays import Floats, Integers

ROUNDS = 100
SETTLED = 1e-9


@dataclass(frozen=True, eq=False)
class Answer:
    """Parameters (L, D) in any order, and the covariance of each (L, D, D), if the method says one."""

    theta: Floats
    covs: Floats | None = None


def least_squares(readings: Floats, psi: Floats) -> tuple[Floats, Floats]:
    """Parameters (D,) and their covariance, from readings (n, p) of one system."""
    y, X = readings.ravel(), psi.reshape(-1, psi.shape[2])
    theta = np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)
    variance = ((y - X @ theta) ** 2).sum() / max(len(y) - len(theta), 1)
    return theta, np.asarray(variance * np.linalg.pinv(X.T @ X))


def labeled(problem: Problem) -> Answer:
    """Least squares of each system on its own readings."""
    each = [least_squares(*problem.of(l)) for l in range(len(problem.theta))]
    return Answer(np.array([theta for theta, _ in each]), np.array([cov for _, cov in each]))


def residuals(problem: Problem, k: int, theta: Floats) -> Floats:
    """(n, L, p) of the readings of set k under each system."""
    return np.asarray(problem.sets[k][:, None] - (theta @ problem.psi[k].T)[None])


def assigned(problem: Problem, k: int, theta: Floats) -> tuple[Integers, Integers]:
    """The readings and systems that belong together in set k, by the likeliest assignment.

    Complete sets: least squares. Others: the sum of log odds :math:`\\log p N(y; \\Psi\\theta, s^2) / ((1-p) \\lambda)` is largest.
    """
    from scipy.optimize import linear_sum_assignment

    squares = (residuals(problem, k, theta) ** 2).sum(axis=2)
    if problem.is_complete:
        rows, columns = linear_sum_assignment(squares)
        return np.asarray(rows), np.asarray(columns)
    p, s2 = problem.psi.shape[1], problem.sd**2
    log = np.log(problem.seen / ((1.0 - problem.seen) * problem.density)) - 0.5 * p * np.log(2.0 * np.pi * s2)
    gain = np.maximum(log - 0.5 * squares / s2, 0.0)
    rows, columns = linear_sum_assignment(gain, maximize=True)
    kept = gain[rows, columns] > 0.0
    return np.asarray(rows[kept]), np.asarray(columns[kept])


def alternating(problem: Problem, begun: Start) -> Answer:
    """Assignment and least squares in turn, until nothing changes."""
    theta, L = begun.theta, len(begun.theta)
    covs = np.broadcast_to(begun.cov, (L, *begun.cov.shape)).copy()
    for _ in range(ROUNDS):
        found = [assigned(problem, k, theta) for k in range(len(problem.sets))]
        after = theta.copy()
        for l in range(L):
            kept = [(k, rows[columns == l]) for k, (rows, columns) in enumerate(found) if (columns == l).any()]
            if len(kept) > theta.shape[1]:
                readings = np.concatenate([problem.sets[k][rows] for k, rows in kept])
                after[l], covs[l] = least_squares(readings, problem.psi[[k for k, _ in kept]])
        if abs(after - theta).max() < SETTLED:
            break
        theta = after
    return Answer(theta, covs)


def mixture(problem: Problem, begun: Start) -> Answer:
    r"""EM of a mixture of regressions, for which every reading comes from system l with probability :math:`w_l`, whatever else is in its set.

    .. math:: f(y) = \sum_l w_l N(y; \Psi\theta_l, s^2 I) + w_0 / V ,

    with the last term where there are false readings, uniform on a known volume V. Weights and variance are estimated.
    """
    index = np.repeat(np.arange(len(problem.sets)), [len(one) for one in problem.sets])
    y, psi = np.concatenate(problem.sets), problem.psi[index]
    p, L = y.shape[1], len(begun.theta)
    theta, s2, w = begun.theta.copy(), problem.sd**2, np.full(L, 1.0 / L)
    flat = problem.density / problem.rate if problem.rate else 0.0
    w0 = 0.5 if problem.rate else 0.0
    for _ in range(2 * ROUNDS):
        squares = ((y[:, None] - np.einsum("rpd,ld->rlp", psi, theta)) ** 2).sum(axis=2)
        weights = w * np.exp(-0.5 * squares / s2) / (2.0 * np.pi * s2) ** (0.5 * p) + 1e-300
        total = weights.sum(axis=1) + w0 * flat
        P = weights / total[:, None]
        before = theta
        moments = np.einsum("rl,rpd,rpe->lde", P, psi, psi, optimize=True)
        theta = np.linalg.solve(moments, np.einsum("rl,rpd,rp->ld", P, psi, y, optimize=True)[:, :, None])[:, :, 0]
        s2 = float((P * squares).sum() / (p * P.sum()))
        share = P.sum(axis=0) / len(y)
        w, w0 = share, max(1.0 - float(share.sum()), 0.0) if problem.rate else 0.0
        if abs(theta - before).max() < SETTLED:
            break
    return Answer(theta)


def padasip_rls(problem: Problem) -> Answer:
    """padasip's recursive least squares, one filter a system, told whose each reading is. One number a reading only."""
    from padasip.filters import FilterRLS

    L, D = problem.theta.shape
    filters = [FilterRLS(D, mu=1.0, eps=1e-6, w="zeros") for _ in range(L)]
    for readings, owners, psi in zip(problem.sets, problem.owners, problem.psi):
        for y, l in zip(readings[:, 0], owners):
            if l >= 0:
                filters[l].adapt(float(y), psi[0])
    return Answer(np.array([one.w for one in filters]))
