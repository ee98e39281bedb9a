"""The last step of the weighted estimator in batch: products of the values join in, with a variance a system.

The values alone need noise of mean zero that is independent across systems. Their products need, beyond that, a spread
that does not change from set to set. Where the two contradict each other, the values alone decide.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.weighted import solve

MOST_SYSTEMS = 5  # beyond, the products become many and what they add becomes little
FEWEST = 200  # sets for each unknown: below, the weights are not known well enough
STEEPEST, HEAVIEST = 4.0, 60.0  # skewness and kurtosis to which weights are held
PASSES = 20
LONGEST = 1.0  # step of a variance's logarithm
CONTRADICTION = 0.01  # probability, by chance, of a difference that counts as a contradiction
EXACT = 1e-6  # misfit below which there is no noise, and nothing to gain
WORTH_A_LOOK = 1e-3  # share of the variance that a difference must have to be looked at


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """Parameters (L, D), their sandwich covariance (L D, L D), and each system's noise variance (L,).

    `contradicted` is set where the products contradict the values, which were then left as they are.
    """

    theta: Floats
    cov: Floats
    variances: Floats
    contradicted: bool = False


def refine(data: Data, found: solve.Fit) -> Refined:
    """Improve a fit of numbers by the products of the values; where that is not possible, return it as it is."""
    L, D = found.theta.shape
    common = float(np.trace(found.noise)) / len(found.noise)
    old = Refined(found.theta, found.cov, np.full(L, common))
    if data.reading_dim > 1 or not 1 < L <= MOST_SYSTEMS or len(data.sets) < FEWEST * L * (D + 1):
        return old
    if not found.converged or np.median(found.squares) < EXACT:
        return old
    return _iterate(data, found, old) or old


def _iterate(data: Data, found: solve.Fit, old: Refined) -> Refined | None:
    """Scoring steps from the old estimate, until they are no longer than chance makes them; mostly one."""
    from vieta.weighted.products import accumulate

    sets, rows = np.ascontiguousarray(data.sets[:, :, 0]), np.ascontiguousarray(solve.as_matrices(data)[:, 0, :])
    skewness, kurtosis = shape_of_noise(sets, rows)
    theta, variances, size = old.theta, old.variances, old.theta.size
    for _ in range(PASSES):
        H, g, M, joint = accumulate(sets, rows, theta, variances, skewness, kurtosis)
        if not np.isfinite(H).all():
            return None
        inverse = np.linalg.pinv(H, rcond=1e-12, hermitian=True)
        step = inverse @ g
        damping = min(1.0, LONGEST / abs(step[size:]).max())
        theta = theta + damping * step[:size].reshape(theta.shape)
        variances = variances * np.exp(damping * step[size:])
        if g @ step < 2.0 * len(g):
            bread = inverse[:size]
            cov = np.asarray(bread @ M @ bread.T)
            shared = bread @ joint @ np.linalg.pinv(found.information, hermitian=True)
            if _contradict(theta - old.theta, cov + old.cov - shared - shared.T, old.cov):
                return Refined(old.theta, old.cov, old.variances, contradicted=True)
            return Refined(theta, cov, variances)
    return None


def shape_of_noise(sets: Floats, rows: Floats) -> tuple[float, float]:
    r"""Skewness and kurtosis of one reading's noise, from those of the residuals of the readings' sum.

    Cumulants of independent noises add: :math:`\gamma_3 = \sqrt L\,\gamma_3^\Sigma` and
    :math:`\gamma_4 - 3 = L (\gamma_4^\Sigma - 3)`.
    """
    L = sets.shape[1]
    sums = sets.sum(axis=1)
    residuals = sums - rows @ np.linalg.lstsq(rows, sums)[0]
    residuals = residuals / np.sqrt(np.mean(residuals**2))
    return held(float(np.sqrt(L) * np.mean(residuals**3)), 3.0 + L * (float(np.mean(residuals**4)) - 3.0))


def held(skewness: float, kurtosis: float) -> tuple[float, float]:
    """Skewness and kurtosis moved to where weights can use them: some law must have them."""
    skewness = float(np.clip(skewness, -STEEPEST, STEEPEST))
    return skewness, float(np.clip(kurtosis, 1.2 + skewness**2, HEAVIEST))


def _contradict(difference: Floats, spread: Floats, scale: Floats) -> bool:
    """Whether a difference is too large for its covariance, looked at where that is a fair share of `scale`."""
    from scipy.special import chdtrc

    values, vectors = np.linalg.eigh(scale)
    keep = values > 1e-12 * values[-1]
    whiten = vectors[:, keep] / np.sqrt(values[keep])
    shares, directions = np.linalg.eigh(whiten.T @ spread @ whiten)
    seen = shares > WORTH_A_LOOK
    along = directions[:, seen].T @ (whiten.T @ difference.ravel())
    return bool(seen.any() and chdtrc(int(seen.sum()), float(np.sum(along**2 / shares[seen]))) < CONTRADICTION)
