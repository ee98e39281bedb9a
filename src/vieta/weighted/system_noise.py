r"""The noise of each system, without labels and for any noise law.

The squares of the values at the means, :math:`v_i = \prod_j (y_j - m_i)`, have means that only the variances enter:

.. math:: E v_i^2 = \prod_j \bigl((m_j - m_i)^2 + s_j^2\bigr) = s_i^2 \prod_{j \ne i} \bigl((m_j - m_i)^2 + s_j^2\bigr) ,

L equations a set for L unknowns. In units of what a common variance would give, :math:`g_i = v_i^2 / E_0 v_i^2`, they are added up over some
of the sets with weights :math:`1 / (\prod_j \kappa_{ij} - 1)`, the inverse of the variance of g under a normal law, so that sets whose means
lie close count little. Logarithms of the variances are moved by Gauss-Newton steps until the sums have their expectations. The sum of all
variances, known from the regression of the readings' sum, is an equation of its own. For vectors the same is done along several directions,
and the variances of a system are averaged, each by how well it is known.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.sums import Passes
from vieta.weighted.sum_regression import SumRegression, as_matrices

SAMPLE = 5000  # sets that serve
MOST_SYSTEMS = 30  # beyond, products of so many factors tell nothing
STEPS = 30
LONGEST = 0.7  # step of a variance's logarithm
KNOWN = 0.5  # largest standard error of a variance's logarithm that counts as known
WIDEST = 40.0  # range of the logarithms
FITS = 1.0  # chi-square that a solution has on average; where it has more, up to
FEW, MOST_OF_ALL = 5, 0.9  # systems, others are looked for from where one of them has so much of all variance


@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """Logarithms (L,) of variances over the common one, with standard errors (L,); infinite where they are not known."""

    logarithms: Floats
    errors: Floats


def noise_sd(passes: Passes, theta: Floats, regression: SumRegression) -> Floats:
    """(L,) standard deviations of the systems' noises, for vectors roots of mean variances; NaN where they are not known."""
    L, p, N = len(theta), passes.like.reading_dim, regression.n_sets
    if L == 1:
        return np.full(1, np.sqrt(float(np.trace(regression.noise)) / p))
    if L > MOST_SYSTEMS:
        return np.full(L, np.nan)
    sample = passes.spread(SAMPLE, N)
    means = np.einsum("npd,ld->nlp", as_matrices(sample), theta)
    found = []
    for u in directions(p):
        common = float(u @ regression.noise @ u)
        one = variances(sample.sets @ u, means @ u, common, N, theta.shape[1] / p)
        found.append((np.where(one.errors < KNOWN, one.errors**-2, 0.0), common * np.exp(one.logarithms)))
    weights, values = (np.stack(part) for part in zip(*found, strict=True))
    total = weights.sum(axis=0)
    mean = (weights * values).sum(axis=0) / np.maximum(total, 1e-300)
    return np.where(total > 0.0, np.sqrt(mean), np.nan)


def directions(p: int) -> Floats:
    """Unit vectors (n, p): the coordinates, and sums and differences of neighbours."""
    first, second = np.eye(p)[:-1], np.eye(p)[1:]
    return np.concatenate([np.eye(p), (first + second) / np.sqrt(2.0), (first - second) / np.sqrt(2.0)])


def variances(sets: Floats, means: Floats, common: float, n_sets: int, dim: float = 0.0) -> Variances:
    """Variances of sets (n, L) of numbers with means (n, L), out of `n_sets` sets that gave the `common` one and `dim` parameters a system."""
    L = sets.shape[1]
    unknown = Variances(np.zeros(L), np.full(L, np.inf))
    d = (means[:, :, None] - means[:, None, :]) ** 2 / common  # of node i (axis 2) from mean j (axis 1)
    kurtosis = (d * d + 6.0 * d + 3.0) / (d + 1.0) ** 2
    g = np.prod((sets[:, :, None] - means[:, None, :]) ** 2 / common / (d + 1.0), axis=1)
    weight = 1.0 / (np.prod(kurtosis, axis=1) - 1.0)
    size = weight.sum(axis=0)
    seen = (weight * g).sum(axis=0) / size
    if not (np.isfinite(seen).all() and seen.min() > 0.0):
        return unknown
    lost = n_sets / max(n_sets - dim, 1.0)  # by fitting the parameters
    spread = (weight * (g - seen)).T @ (weight * (g - seen)) / np.outer(size, size)
    share = 2.0 / (L * max(n_sets, 2))  # variance of log of the sum of all variances, about

    def moments(logs: Floats) -> tuple[Floats, Floats]:
        """The sums' expectations (L,), and their slopes (L, L) by the logarithms."""
        products = weight * np.prod((d + np.exp(logs)[:, None]) / (d + 1.0), axis=1)
        slopes = np.einsum("ni,nji->ij", products, np.exp(logs)[:, None] / (d + np.exp(logs)[:, None])) / size[:, None]
        return products.sum(axis=0) / size, slopes

    best = _solved(moments, lost * seen, spread, share, np.zeros(L))
    for start in _uneven(L) if L <= FEW and best[0] > FITS else ():
        best = min(best, _solved(moments, lost * seen, spread, share, start), key=lambda one: one[0])
    return best[1] or unknown


def _uneven(L: int) -> Floats:
    """(L, L) logarithms of variances, of which one system has most."""
    return np.asarray(np.log(1.0 - MOST_OF_ALL) + np.eye(L) * np.log(L * MOST_OF_ALL / (1.0 - MOST_OF_ALL)))


def _solved(
    moments: Callable[[Floats], tuple[Floats, Floats]], seen: Floats, spread: Floats, share: float, logs: Floats
) -> tuple[float, Variances | None]:
    """The misfit of the solution that steps lead to from some logarithms, and the solution; infinite if they lead nowhere."""
    for _ in range(STEPS):
        expected, slopes = moments(logs)
        step, cov, misfit = _step(seen, expected, slopes, spread, logs, share)
        logs = logs + step * min(1.0, LONGEST / max(float(abs(step).max()), 1e-300))
        if not np.isfinite(logs).all() or abs(logs).max() > WIDEST:
            break
        if abs(step).max() < 1e-3:
            return misfit, Variances(logs, np.sqrt(np.diag(cov)))
    return np.inf, None


def _step(
    seen: Floats, expected: Floats, slopes: Floats, spread: Floats, logs: Floats, share: float
) -> tuple[Floats, Floats, float]:
    """The Gauss-Newton step (L,) of the logarithms, the covariance of where it leads (L, L), and the chi-square of what is left before it."""
    L = len(logs)
    parts = np.exp(logs) / np.exp(logs).sum()
    rows = np.vstack([slopes / expected[:, None], parts])
    relative = np.zeros((L + 1, L + 1))
    relative[:L, :L] = spread / np.outer(seen, seen)
    relative[L, L] = share
    right = np.append(np.log(seen / expected), np.log(L / np.exp(logs).sum()))
    precision = np.linalg.pinv(relative, rcond=1e-12, hermitian=True)
    cov = np.linalg.pinv(rows.T @ precision @ rows, rcond=1e-12, hermitian=True)
    return cov @ (rows.T @ (precision @ right)), cov, float(right @ precision @ right)
