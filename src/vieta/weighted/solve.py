r"""The weighted estimator on all sets: a global start, then damped Gauss-Newton steps on the estimating equations

.. math:: \sum_k J_k' V_k^{-1} r_k = 0, \qquad r_k = z_k - E z_k, \quad V_k = \mathrm{Cov}\,z_k, \quad J_k = dE z_k / d\theta ,

with z what a set is seen through (`scalar`, `vector`). A step is :math:`\theta \leftarrow \theta + H^{-1} g` with the sums
:math:`H = \sum J'V^{-1}J` and :math:`g = \sum J'V^{-1}r`, one pass over the sets. Starts are compared, and long steps damped, on the
first sets only.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, plain
from vieta.errors import NotIdentifiableError
from vieta.matching import match_rows
from vieta.sets import Data, require_affordable
from vieta.sums import Passes, Sums, in_memory
from vieta.weighted.equations import accumulate, each_score
from vieta.weighted.misfit import Misfit
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.search import starts
from vieta.weighted.sum_regression import SumRegression, as_matrices, regress

WORK = 2e7  # operations, roughly, that one pass over the sets on which starts are compared may take
ITERATIONS = 60
CYCLE = (
    0.01  # squared standard errors: sets of vectors that change their best direction make steps of this size for ever
)
NEGLIGIBLE = 1e-12  # information, of the largest, about a direction in which no step is made
FEW_UNKNOWNS = 32  # for each number of a reading, that any number of sets may be asked for
UNIDENTIFIED = 1e-13  # weakest input, below which the parameters are not identified


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
    regression : SumRegression
        That of the readings' sum, which gives the noise.
    misfit : Misfit
        How r'V⁻¹r / (L p) of the sets is distributed: about one when all is well.
    converged : bool
    starts : int
        How many different solutions the starts led to.
    """

    theta: Floats
    information: Floats
    meat: Floats
    regression: SumRegression
    misfit: Misfit
    converged: bool
    starts: int

    @property
    def noise(self) -> Floats:
        """(p, p) noise covariance, from the residuals of the readings' sum."""
        return self.regression.noise

    @property
    def n_sets(self) -> int:
        """How many sets entered."""
        return self.regression.n_sets

    @property
    def cov(self) -> Floats:
        """(L D, L D) sandwich covariance."""
        inverse = scaled_inverse(self.information)
        return np.asarray(inverse @ self.meat @ inverse)


def fit(passes: Passes, cap: float = np.inf) -> Fit:
    """Weighted estimate from all sets; `cap` bounds the influence of a set (in units of its expected size)."""
    require_affordable(passes.like)
    regression = regress(passes)
    _require_sets(passes.like, regression.n_sets)
    if regression.weakest < UNIDENTIFIED:
        raise NotIdentifiableError(
            "inputs-not-identifying",
            "the inputs do not identify the parameters: in {n_sets} set(s) they are zero, constant or confined to a subspace. Vary the "
            "inputs in every coordinate, or wait for more sets.",
            n_sets=regression.n_sets,
        )
    head = passes.head(_few(passes.like))
    start, count = _best_start(head, regression.noise, cap)
    theta, converged = _iterate(passes, head, start, regression.noise, cap)
    last = _summary(passes, theta, regression.noise, cap)
    return Fit(theta, last.equations.information, last.equations.meat, regression, last.misfit, converged, count)


def _require_sets(like: Data, n_sets: int) -> None:
    """Refuse far more unknowns than the sets can tell."""
    unknowns, p = like.n_systems * like.dim, like.reading_dim
    if unknowns > p * max(FEW_UNKNOWNS, 2 * n_sets):
        raise NotIdentifiableError(
            "too-few-sets",
            "{n_sets} set(s) of {n_systems} readings were given for {unknowns} unknowns; at least {needed} sets are needed. A row is one "
            "set: if rows and columns are exchanged, give the transpose.",
            n_sets=n_sets,
            n_systems=like.n_systems,
            unknowns=unknowns,
            needed=-(-unknowns // (2 * p)),
        )


def block_scores(block: Data, found: Fit) -> Floats:
    """(n, L D) the score J'V⁻¹r of each set of a block, at the solution; no influence is bounded."""
    return each_score(block.sets, as_matrices(block), found.theta, found.noise)


def misfits(data: Data, theta: Floats, noise: Floats) -> Floats:
    """(N,) the proper score of `scalar.misfits`, added up over projections of vectors on several directions."""
    from vieta.weighted.scalar import misfits as of_numbers

    p = data.reading_dim
    means = np.einsum("npd,ld->nlp", as_matrices(data), theta)
    total = np.zeros(len(data))
    for w in np.concatenate([np.eye(p), _diagonals(p)]):
        total += of_numbers(plain(data.sets @ w), plain(means @ w), float(w @ noise @ w))
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Equations(Sums):
    """Sums over sets: their number, information (n, n), score (n,), and the scores' outer products (n, n)."""

    count: int
    information: Floats
    score: Floats
    meat: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Summary(Sums):
    equations: _Equations
    misfit: Misfit


def _equations(passes: Passes, theta: Floats, noise: Floats, cap: float) -> _Equations:
    """One pass: the sums that a step needs."""
    return passes.total(lambda block, _: _accumulate(block, theta, noise, cap)[0])


def _summary(passes: Passes, theta: Floats, noise: Floats, cap: float) -> _Summary:
    """One pass: the same, and how far the sets miss the model."""

    def work(block: Data, _: int) -> _Summary:
        equations, squares = _accumulate(block, theta, noise, cap)
        return _Summary(equations, Misfit.of(squares))

    return passes.total(work)


def _accumulate(block: Data, theta: Floats, noise: Floats, cap: float) -> tuple[_Equations, Floats]:
    """The sums over a block, and r'V⁻¹r / (L p) of each of its sets."""
    H, g, M, squares = accumulate(block.sets, as_matrices(block), theta, noise, cap)
    return _Equations(len(block), H, g, M), squares


def _few(like: Data) -> int:
    """How many sets serve to compare starts: fewer the more a set costs."""
    work = WORK if like.reading_dim == 1 else WORK / 20.0
    return int(np.clip(work / (like.n_systems * like.reading_dim) ** 3, 300, 20_000))


def _best_start(head: Data, noise: Floats, cap: float) -> tuple[Floats, int]:
    """The best solution on the first sets, and how many different ones the starts led to before two agreed."""
    found: list[tuple[bool, float, Floats]] = []  # unsettled, misfit, parameters
    for start in starts(head):
        theta, settled = _iterate(in_memory(head), head, start, noise, cap)
        if not np.isfinite(theta).all():
            continue
        if settled and any(_same(theta, other) for *_, other in found):
            break
        found.append((not settled, _mean_misfit(head, theta, noise), theta))
    return min(found, key=lambda one: one[:2])[2], len(found)


def _iterate(passes: Passes, head: Data, theta: Floats, noise: Floats, cap: float) -> tuple[Floats, bool]:
    """Gauss-Newton steps; long ones must lower the misfit of the first sets."""
    last = np.inf
    for _ in range(ITERATIONS):
        sums = _equations(passes, theta, noise, cap)
        H, g = sums.information, sums.score
        if not (np.isfinite(H).all() and np.isfinite(g).all()):
            return theta, False
        step = scaled_inverse(H, rcond=NEGLIGIBLE) @ g
        length = float(g @ step)
        if length * len(head) / sums.count > 9.0 * len(g):  # long also by what the first sets can tell
            step = step * _damping(head, theta, step.reshape(theta.shape), noise)
        theta = theta + step.reshape(theta.shape)
        if length < 1e-6 or 0.5 * last < length < CYCLE:
            return theta, True
        last = length
    return theta, False


def _damping(head: Data, theta: Floats, step: Floats, noise: Floats) -> float:
    """Which of 1, 1/2, 1/4 and 1/8 fits best. It always moves: the misfit and the equations have different roots."""
    return min((1.0, 0.5, 0.25, 0.125), key=lambda damping: _mean_misfit(head, theta + damping * step, noise))


def _mean_misfit(data: Data, theta: Floats, noise: Floats) -> float:
    return float(misfits(data, theta, noise).mean())


def _diagonals(p: int) -> Floats:
    """Sums and differences of neighbouring coordinates: they tell which values belong together."""
    first, second = np.eye(p)[:-1], np.eye(p)[1:]
    return np.concatenate([first + second, first - second])


def _same(theta: Floats, other: Floats) -> bool:
    """Equal up to the order of rows and far below their size."""
    distance = np.linalg.norm(theta[match_rows(theta, other)] - other, axis=1)
    return bool(distance.max() < 1e-6 * (1e-300 + abs(theta).max()))
