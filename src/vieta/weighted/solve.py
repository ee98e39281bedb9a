"""The weighted estimator on all sets: a global start, then damped Gauss-Newton steps on the estimating equations."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.coefficient_sums import NotIdentifiableError
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.search import starts

WORK = 2e7  # operations, roughly, that one pass over the sets on which starts are compared may take
ITERATIONS = 60
CYCLE = (
    0.01  # squared standard errors: a set of vectors that changes its best direction makes steps of this size for ever
)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A solution of the estimating equations sum_k J'V⁻¹(z - E z) = 0.

    Attributes
    ----------
    theta : (L, D)
    information : (L D, L D)
        Sum of J'V⁻¹J.
    meat : (L D, L D)
        Sum of the scores' outer products.
    noise : (p, p)
        Noise covariance, from the residuals of the readings' sum.
    squares : (N,)
        r'V⁻¹r / (L p) of each set: about one when all is well.
    converged : bool
    starts : int
        How many different solutions the starts led to.
    """

    theta: Floats
    information: Floats
    meat: Floats
    noise: Floats
    squares: Floats
    converged: bool
    starts: int

    @property
    def n_sets(self) -> int:
        """Sets that entered."""
        return len(self.squares)

    @property
    def cov(self) -> Floats:
        """(L D, L D) sandwich covariance."""
        inverse = np.linalg.pinv(self.information, hermitian=True)
        return np.asarray(inverse @ self.meat @ inverse)


def fit(sets: Passes | Data, cap: float = np.inf) -> Fit:
    """Weighted estimate from all sets; `cap` bounds the influence of a set (in units of its expected size)."""
    data = sets.head(10**9) if isinstance(sets, Passes) else sets
    psi = as_matrices(data)
    if weakest_input(psi) < 1e-13:
        raise NotIdentifiableError(
            f"the inputs do not identify the parameters: in {len(psi)} set(s) they are zero, constant or confined to a "
            "subspace. Vary the inputs in every coordinate, or wait for more sets."
        )
    noise = noise_covariance(data.sets, psi)
    some = slice(0, _few(data.sets))
    found: list[tuple[bool, float, Floats]] = []  # unsettled, misfit, parameters
    for start in starts(Data(data.sets[some], data.inputs[some], data.dim), psi[some]):
        theta, settled = _iterate(data.sets[some], psi[some], start, noise, cap)
        if settled and any(_same(theta, other) for *_, other in found):
            break  # two starts agree
        if np.isfinite(theta).all():
            found.append((not settled, _misfit(data.sets[some], psi[some], theta, noise), theta))
    theta, converged = _iterate(data.sets, psi, min(found, key=lambda one: one[:2])[2], noise, cap)
    H, _, M, squares = _accumulate(data.sets, psi, theta, noise, cap)
    return Fit(theta, H, M, noise, squares, converged, len(found))


def _few(sets: Floats) -> int:
    """How many sets serve to compare starts: fewer the more a set costs."""
    _, L, p = sets.shape
    work = WORK if p == 1 else WORK / 20.0
    return int(np.clip(work / (L * p) ** 3, 300, 20_000))


def as_matrices(data: Data) -> Floats:
    """Inputs as matrices (N, p, D)."""
    if data.inputs.ndim == 3:
        return data.inputs
    return np.ascontiguousarray(data.inputs[:, None, None] * np.eye(data.dim))


def weakest_input(psi: Floats) -> float:
    """Smallest over largest eigenvalue of the second moments of inputs (N, p, D), each coordinate scaled to one."""
    rows = psi.reshape(-1, psi.shape[2])
    gram = rows.T @ rows
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values = np.linalg.eigvalsh(gram / np.outer(scale, scale))
    return float(values[0] / values[-1]) if np.diag(gram).min() > 0.0 else 0.0


def block_scores(block: Data, found: Fit) -> Floats:
    """(n, L D) the score of each set of a block at a fit."""
    from vieta.weighted.equations import each_score

    precision = np.asarray(np.linalg.inv(found.noise), dtype=np.float64)
    return each_score(block.sets, as_matrices(block), found.theta, found.noise, precision, np.inf)


def noise_covariance(sets: Floats | Passes, psi: Floats | None = None) -> Floats:
    """(p, p) from the residuals of the regression of the readings' sum on the inputs: no association is needed.

    Kept above rounding, relative to the readings, so that sets without noise are no special case.
    """
    if isinstance(sets, Passes):
        data = sets.head(10**9)
        return noise_covariance(data.sets, as_matrices(data))
    assert psi is not None
    N, L, p = sets.shape
    D = psi.shape[2]
    sums = sets.sum(axis=1)
    solution = np.linalg.lstsq(psi.reshape(-1, D), sums.reshape(-1))[0]
    residuals = sums - psi @ solution
    freedom = max(N - D / p, 1.0)
    floor = 1e-16 * (float(np.mean(sets**2)) or 1.0)
    return np.asarray(residuals.T @ residuals / (L * freedom) + floor * np.eye(p))


def _accumulate(
    sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float
) -> tuple[Floats, Floats, Floats, Floats]:
    from vieta.weighted.equations import accumulate

    return accumulate(sets, psi, theta, noise, np.asarray(np.linalg.inv(noise), dtype=np.float64), cap)


def _iterate(sets: Floats, psi: Floats, theta: Floats, noise: Floats, cap: float) -> tuple[Floats, bool]:
    """Gauss-Newton steps; long ones must lower the misfit."""
    few = slice(0, _few(sets))
    last = np.inf
    for _ in range(ITERATIONS):
        H, g, _, _ = _accumulate(sets, psi, theta, noise, cap)
        if not (np.isfinite(H).all() and np.isfinite(g).all()):
            return theta, False
        step: Floats = np.linalg.lstsq(H, g, rcond=1e-12)[0].astype(np.float64)
        length = float(g @ step)
        if length * len(sets[few]) / len(sets) > 9.0 * len(g):  # long also by what the few sets can tell
            step = step * _damping(sets[few], psi[few], theta, step.reshape(theta.shape), noise)
        theta = theta + step.reshape(theta.shape)
        if length < 1e-6 or 0.5 * last < length < CYCLE:
            return theta, True
        last = length
    return theta, False


def _damping(sets: Floats, psi: Floats, theta: Floats, step: Floats, noise: Floats) -> float:
    """Which of 1, 1/2, 1/4 and 1/8 fits best. It always moves: the misfit and the equations have different roots."""
    return min((1.0, 0.5, 0.25, 0.125), key=lambda damping: _misfit(sets, psi, theta + damping * step, noise))


def _misfit(sets: Floats, psi: Floats, theta: Floats, noise: Floats) -> float:
    return float(misfits(sets, psi, theta, noise).mean())


def misfits(sets: Floats, psi: Floats, theta: Floats, noise: Floats) -> Floats:
    """(N,) the proper score of `scalar.misfits`, added up over projections of vectors on several directions."""
    from vieta.weighted.scalar import misfits as of_numbers

    p = sets.shape[2]
    means = np.einsum("npd,ld->nlp", psi, theta)
    total = np.zeros(len(sets))
    for w in np.concatenate([np.eye(p), _diagonals(p)]):
        total += of_numbers(np.ascontiguousarray(sets @ w), np.ascontiguousarray(means @ w), float(w @ noise @ w))
    return total


def _diagonals(p: int) -> Floats:
    """Sums and differences of neighbouring coordinates: they tell which values belong together."""
    first, second = np.eye(p)[:-1], np.eye(p)[1:]
    return np.concatenate([first + second, first - second])


def _same(theta: Floats, other: Floats) -> bool:
    """Equal up to the order of rows and far below their size."""
    distance = np.linalg.norm(theta[:, None] - other[None, :], axis=-1)
    return bool(distance.min(axis=1).max() < 1e-6 * (1e-300 + abs(theta).max()))
