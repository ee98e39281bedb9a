r"""The weighted estimator on all sets: a global search, then damped Gauss-Newton steps on the estimating equations

.. math:: \sum_k J_k' V_k^{-1} r_k = 0, \qquad r_k = z_k - E z_k, \quad V_k = \mathrm{Cov}\,z_k, \quad J_k = dE z_k / d\theta ,

with z what a set is seen through (`scalar`, `vector`). A step is :math:`\theta \leftarrow \theta + H^{-1} g` with the sums
:math:`H = \sum J'V^{-1}J` and :math:`g = \sum J'V^{-1}r`, one pass over the sets. The search (`vieta.search`) sees some of the sets, from all
over time; so does the score by which long steps are damped.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, plain
from vieta.errors import NotIdentifiableError
from vieta.pairing import require_pairing
from vieta.search.ascent import climb
from vieta.search.global_search import SURE, affordable_sets, search
from vieta.search.moves import DIFFERENT
from vieta.search.neighbours import neighbours
from vieta.search.problem import Problem, distance, doubt, problem, residual_variance
from vieta.search.rivals import Rival, leaves_own_maximum, rivals
from vieta.search.turning import turned
from vieta.search.unequal_noise import OwnNoise
from vieta.set_requirements import require_affordable
from vieta.sets import Data
from vieta.sums import Passes, Sums, in_memory
from vieta.symmetric import canonical_order
from vieta.weighted.equations import accumulate, each_score, with_scores
from vieta.weighted.misfit import Misfit
from vieta.weighted.root_finding import find_root
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.score_errors import Basis, ScoreSums, basis_of, freeing, leverages, score_sums, with_memory
from vieta.weighted.sum_regression import SumRegression, as_matrices, regress

SEARCHED = 25  # sets for each unknown that the search sees
FEWEST_SEARCHED, MOST_SEARCHED = 500, 1000
HEAVY = 0.5  # robust over plain noise variance, below which sets are taken to hold outliers
CHANCE = 3.0  # standard errors by which it must be below one
OUTLYING = 4.5  # robust standard deviations
REWEIGHTED = 15  # times
FARTHEST = (
    4.0  # noise standard deviations that the equations may move a solution of the search, before they have gone astray
)
LOWER = 0.1  # log-likelihood by which a climb from the solution of the equations may end lower than the search
ROUNDED = 1e-13  # of the mean square of the readings: residuals that are no more than rounding
SPREAD = 4.0  # standard errors of the noise variance, by which residuals may exceed it
COMPARED = 4  # times as many, on which the best solutions of the search are compared
DECISIVE, MOST_DECISIVE = 3e6, 20_000  # operations, roughly, and sets, on which those that are left are compared again
WORK = 2e7  # operations, roughly, that one pass over the sets on which steps are damped may take
FEW_UNKNOWNS = 32  # for each number of a reading, that any number of sets may be asked for
EXACT = 1e-6  # median misfit below which there is no noise
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
        Covariance of the sum of the scores: with leverage and, if there is any, memory over time (`score_errors`).
    outer : (L D, L D)
        The same, without memory.
    regression : SumRegression
        That of the readings' sum, which gives the noise.
    misfit : Misfit
        How r'V⁻¹r / (L p) of the sets is distributed: about one when all is well.
    converged : bool
        If not, `theta` is where the search ended: it explains the sets, but its errors are not known.
    basis : Basis
        What the covariance rests on.
    residual : float
        Variance of the residuals over that of the noise, in some of the sets: about one at the right solution.
    certified : bool
        Whether that is no larger than chance makes it.
    repeated : bool
        Whether the search ended there from several starts, where associations are in doubt.
    rival : Rival, optional
        Another solution that the sets do not exclude.
    start : (L, D), optional
        Where the search ended.
    """

    theta: Floats
    information: Floats
    meat: Floats
    outer: Floats
    regression: SumRegression
    misfit: Misfit
    converged: bool
    basis: Basis
    residual: float = 1.0
    certified: bool = True
    repeated: bool = True
    rival: Rival | None = None
    start: Floats | None = None

    @property
    def searched(self) -> Floats:
        """(L, D) where the search ended, if there was one; else the solution."""
        return self.theta if self.start is None else self.start

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
        """(L D, L D) sandwich covariance; NaN where the iteration did not converge."""
        if not self.converged:
            return np.full_like(self.information, np.nan)
        inverse = scaled_inverse(self.information)
        return np.asarray(inverse @ self.meat @ inverse)

    @property
    def plain_cov(self) -> Floats:
        """(L D, L D) what the covariance would be without memory over time."""
        inverse = scaled_inverse(self.information)
        return np.asarray(inverse @ self.outer @ inverse)

    @property
    def rough_cov(self) -> Floats:
        """(L D, L D) the covariance, or what it would be had the iteration converged: a scale, not an error."""
        return self.cov if self.converged else self.plain_cov

    @property
    def growth(self) -> Floats:
        """(L D, L D) by what memory over time multiplies covariances, from the errors with and without it; one where there is none."""
        if not self.basis.has_memory:
            return np.ones_like(self.information)
        factors = np.sqrt(np.diag(self.cov) / np.diag(self.plain_cov))
        return np.outer(factors, factors)


def fit(passes: Passes, cap: float = np.inf, near: Floats | None = None, met: Floats | None = None) -> Fit:
    """Weighted estimate from all sets; `cap` bounds the influence of a set (in units of its expected size).

    Where parameters (L, D) that the sets certify are given as `near`, there is no search. Those that a search of almost the same sets has
    ended at, `met`, count as a part of it.
    """
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
    require_pairing(passes)
    start = (None if near is None else certified_start(passes, regression, near)) or find_start(passes, regression, met)
    theta, converged = _solution(passes, regression, start, cap)
    theta = theta if converged else start.theta
    theta = theta[canonical_order(theta)]
    last = _summary(passes, theta, regression, cap)
    meat, basis = last.scores.meat, basis_of(last.scores, regression)
    if converged and last.scores.persistence.found and last.misfit.median > EXACT:
        meat, basis = _with_memory(passes, theta, last.information, regression, cap, basis)
    return Fit(
        theta,
        last.information,
        meat,
        last.scores.meat,
        regression,
        last.misfit,
        converged,
        basis,
        start.residual,
        start.certified,
        start.repeated,
        start.rival,
        start.theta,
    )


def error_growth(passes: Passes, found: Fit, cap: float) -> float:
    r"""By what outliers make errors larger: errors of a fit over those of one whose influences are bounded, both at the fit's solution.

    .. math:: \Bigl(\frac{1}{LD} \sum_i \frac{C_{ii}}{C^{cap}_{ii}}\Bigr)^{1/2}, \qquad C = H^{-1} M H^{-1},

    H the information, M the sum of outer products of the scores, each without bounds and with them. One pass over the sets.
    """
    bounded = _summary(passes, found.theta, found.regression, cap)
    inverse = scaled_inverse(bounded.information)
    least = np.diag(inverse @ bounded.scores.meat @ inverse)
    return float(np.sqrt(np.mean(np.diag(found.plain_cov) / least)))


class Start(NamedTuple):
    """The solution (L, D) that explains some sets best, its certificate (`Fit`), another one that they do not exclude, and these sets; the
    likelihood's maximum over a noise variance for each system, where these are unequal; and whether the search came to it again (`Fit`).
    """

    theta: Floats
    residual: float
    certified: bool
    rival: Rival | None
    sets: Problem | None = None
    own: OwnNoise | None = None
    repeated: bool = True


def _solution(passes: Passes, regression: SumRegression, start: Start, cap: float) -> tuple[Floats, bool]:
    """The root of the equations near the start, and whether it was found there.

    The equations know one noise variance. Where systems are unequally noisy, their root may lie on another hill of the likelihood that knows
    a variance for each; then the root near that one's maximum is taken, if it stays there.
    """
    head = passes.spread(_few(passes.like), regression.n_sets)

    def near(place: Floats) -> tuple[Floats, bool]:
        theta, converged = _iterate(passes, head, place, regression.noise, cap)
        converged = converged and regression.moved(theta, place) <= FARTHEST * np.sqrt(np.trace(regression.noise))
        return theta, converged and not _is_astray(start, theta)

    theta, converged = near(start.theta)
    if start.sets is None or start.own is None or not leaves_own_maximum(start.sets, start.own, theta):
        return theta, converged
    again, stays = near(start.own.theta)
    if stays and not leaves_own_maximum(start.sets, start.own, again):
        return again, True
    return theta, converged


def _is_astray(start: Start, theta: Floats) -> bool:
    """Whether the equations have left the hill of the likelihood that the search ended on: a climb from their solution ends lower.

    The climb is not given up early: on a flat hill gains seem to end long before they do.
    """
    if start.sets is None or distance(start.sets, theta, start.theta) <= DIFFERENT:
        return False
    top = climb(start.sets, start.theta).likelihood
    return climb(start.sets, theta).likelihood < top - LOWER


class _Sample(NamedTuple):
    """Some sets, their noise covariance (p, p), those of them that are searched, and two bounds of their residual variance.

    Up to the `largest` a search need not go on. Up to the one that is `likely`, which allows for the skewness of the ratio of two
    variances, the solution is certified.
    """

    sample: Data
    noise: Floats
    searched: Problem
    largest: float
    likely: float


def _sampled(passes: Passes, regression: SumRegression) -> _Sample:
    like, N = passes.like, regression.n_sets
    size = int(np.clip(SEARCHED * like.n_systems * like.dim, FEWEST_SEARCHED, MOST_SEARCHED))
    size = min(size, affordable_sets(like.n_systems, like.reading_dim))
    sample, noise = _typical(passes.spread(COMPARED * size, N), regression)
    searched = _problem(in_memory(sample).spread(size, len(sample)), noise)
    exact = ROUNDED * float((searched.sets**2).mean())  # where there is no noise, residuals are rounding
    error = _variance_error(regression, len(searched.sets))
    return _Sample(sample, noise, searched, max(1.0 + SPREAD * error, exact), float(np.exp(SPREAD * error)))


def certified_start(passes: Passes, regression: SumRegression, theta: Floats) -> Start | None:
    """These parameters (L, D), if they leave no more than half of what a search may, and no doubt which reading is whose."""
    _, _, searched, largest, _ = _sampled(passes, regression)
    residual = residual_variance(searched, theta)
    if residual > 1.0 + 0.5 * (largest - 1.0) or doubt(searched, theta) > SURE:
        return None
    return Start(theta, residual, True, None)


def find_start(passes: Passes, regression: SumRegression, met: Floats | None = None) -> Start:
    """Search for the solution that explains some sets best; `met` as in `fit`."""
    sample, noise, searched, largest, likely = _sampled(passes, regression)
    found = search(searched, largest, near=met)
    certified = found.certified or found.residual <= likely
    compared = _problem(sample, noise)
    near = [*turned(compared, found.best.theta), *neighbours(compared, found.best.theta)]
    others = [*near, *(one.theta for one in found.others)]
    if not others:
        return Start(found.best.theta, found.residual, certified, None, compared, repeated=found.repeated)
    best, left, own = rivals(compared, found.best.theta, others)
    if left and (more := _decisive(passes, regression, len(sample))) is not None:
        compared = more
        best, left, own = rivals(compared, best, [one.theta for one in left])
    return Start(best, found.residual, certified, left[0] if left else None, compared, own, found.repeated)


def _decisive(passes: Passes, regression: SumRegression, seen: int) -> Problem | None:
    """More sets than those that were `seen`, to decide between solutions that these leave; None if there are none, or they cost too much."""
    L, N = passes.like.n_systems, regression.n_sets
    most = min(int(DECISIVE / (L << L)), MOST_DECISIVE)
    if min(most, N) <= seen:
        return None
    return _problem(*_typical(passes.spread(most, N), regression))


def _typical(sample: Data, regression: SumRegression) -> tuple[Data, Floats]:
    """The sets without outliers, and their noise covariance, where a few sets carry most of the variance; else all, and that of all.

    The scale is that of the median absolute residual of the sums, without the D of them that the regression makes zero. The logarithm of
    its square has the standard error 2.33 / sqrt(N) under Gaussian noise: with few sets, chance alone must not make outliers. Sets beyond
    `OUTLYING` of the scale are left out.
    """
    residuals = abs(_least_absolute(sample))
    zero = min(sample.dim // sample.reading_dim, len(sample) - 1)
    scale = 1.4826 * np.median(np.sort(residuals, axis=0)[zero:], axis=0) / np.sqrt(sample.n_systems)
    share = float(np.mean(scale**2 / np.diag(regression.noise)))
    if share > min(HEAVY, np.exp(-2.33 * CHANCE / np.sqrt(len(sample) - zero))) or share == 0.0:
        return sample, regression.noise
    kept = (residuals <= OUTLYING * np.sqrt(sample.n_systems) * scale).all(axis=1)
    return sample.at(np.flatnonzero(kept)), regression.noise * share


def _least_absolute(sample: Data) -> Floats:
    """(n, p) residuals of the sums of readings from the regression of least absolute residuals, by reweighting."""
    psi, sums = as_matrices(sample), sample.sets.sum(axis=1)
    rows, right = psi.reshape(-1, psi.shape[2]), sums.ravel()
    residuals = right - rows @ np.linalg.lstsq(rows, right)[0]
    for _ in range(REWEIGHTED):
        root = 1.0 / np.sqrt(np.maximum(abs(residuals), 1e-6 * np.median(abs(residuals)) + 1e-300))
        root /= root.max()
        residuals = right - rows @ np.linalg.lstsq(rows * root[:, None], right * root)[0]
    return np.asarray(residuals.reshape(sums.shape))


def _variance_error(regression: SumRegression, searched: int) -> float:
    """Relative standard error of the residual variance of the sets searched over the noise variance of all, for noise of this kurtosis."""
    second, _, fourth = regression.powers
    if not second > 0.0:  # no noise
        return 0.0
    of_sums, of_noise = max(fourth / second**2, 3.0) - 1.0, max(regression.shape[1], 3.0) - 1.0
    left = max(regression.n_sets - len(regression.solution), 1)
    return float(np.sqrt(of_sums / left + of_noise / (searched * regression.n_systems)))


def _problem(data: Data, noise: Floats) -> Problem:
    return problem(data.sets, as_matrices(data), noise)


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
    """Sums over sets: their number, information (n, n) and score (n,)."""

    count: int
    information: Floats
    score: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Summary(Sums):
    """Sums over sets at the solution: information (n, n), what errors rest on, and how far the sets miss the model."""

    information: Floats
    scores: ScoreSums
    misfit: Misfit


def _equations(passes: Passes, theta: Floats, noise: Floats, cap: float) -> _Equations:
    """One pass: the sums that a step needs."""

    def work(block: Data, _: int) -> _Equations:
        found = accumulate(block.sets, as_matrices(block), theta, noise, cap)
        return _Equations(len(block), found.information, found.score)

    return passes.total(work)


def _summary(passes: Passes, theta: Floats, regression: SumRegression, cap: float) -> _Summary:
    """One pass at the solution."""

    def work(block: Data, _: int) -> _Summary:
        found, scores = with_scores(block.sets, as_matrices(block), theta, regression.noise, cap)
        return _Summary(found.information, score_sums(scores, block, regression), Misfit.of(found.squares))

    return passes.total(work)


def _with_memory(
    passes: Passes, theta: Floats, information: Floats, regression: SumRegression, cap: float, basis: Basis
) -> tuple[Floats, Basis]:
    """The covariance of the sum of scores that have memory over time, from a pass of its own, and what it rests on."""
    inverse = scaled_inverse(information)

    def influences(block: Data) -> Floats:
        scores = each_score(block.sets, as_matrices(block), theta, regression.noise, cap)
        return np.asarray(scores * freeing(leverages(block, regression))[:, None] @ inverse)

    cov, basis = with_memory(basis, passes, influences)
    return np.asarray(information @ cov @ information), basis


def _few(like: Data) -> int:
    """How many sets serve to compare starts: fewer the more a set costs."""
    work = WORK if like.reading_dim == 1 else WORK / 20.0
    return int(np.clip(work / (like.n_systems * like.reading_dim) ** 3, 300, 20_000))


def _iterate(passes: Passes, head: Data, theta: Floats, noise: Floats, cap: float) -> tuple[Floats, bool]:
    """The root of the equations near some parameters; a long first step must lower the misfit of some sets, `head`."""
    shape, count = theta.shape, 0

    def equations(place: Floats) -> tuple[Floats, Floats]:
        nonlocal count
        sums = _equations(passes, place.reshape(shape), noise, cap)
        count = sums.count
        return sums.information, sums.score

    def damping(place: Floats, step: Floats, length: float) -> float:
        if length * len(head) <= 9.0 * len(place) * count:  # not long by what these sets can tell
            return 1.0
        return _damping(head, place.reshape(shape), step.reshape(shape), noise)

    found = find_root(equations, damping, theta.ravel())
    return found.theta.reshape(shape), found.converged


def _damping(head: Data, theta: Floats, step: Floats, noise: Floats) -> float:
    """Which of 1, 1/2, 1/4 and 1/8 fits best. It always moves: the misfit and the equations have different roots."""
    return min((1.0, 0.5, 0.25, 0.125), key=lambda damping: _mean_misfit(head, theta + damping * step, noise))


def _mean_misfit(data: Data, theta: Floats, noise: Floats) -> float:
    return float(misfits(data, theta, noise).mean())


def _diagonals(p: int) -> Floats:
    """Sums and differences of neighbouring coordinates: they tell which values belong together."""
    first, second = np.eye(p)[:-1], np.eye(p)[1:]
    return np.concatenate([first + second, first - second])
