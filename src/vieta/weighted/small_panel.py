r"""Few sets: each reading is assigned to a system, as if it had a label; what cannot be assigned is reported.

With fewer than five sets for each unknown, estimating equations have too little to average over. Here readings and curves are put into
the same order in every set, at the least sum of squares that many starts and moves of two and three systems lead to (`vieta.search`),

.. math:: \min_{\theta,\,\pi_1 .. \pi_N} \sum_k \sum_l (y_{\pi_k(l)}(k) - \psi_k'\theta_l)^2 .

Noise that all systems share adds the same to each order of a set, and changes nothing. If neighbours a and b of set k have curves
:math:`g_k` apart, and the difference of their residuals has the standard deviation :math:`\tau`, they have changed places with
probability :math:`T_{N-D}(-g_k/\tau)`, about, T the t law; its mean over the sets is a system's :math:`u_l`. (Curves that lie near throughout
are pushed apart, so that it comes out too small: two systems with the same parameters have .09. Of such neighbours, no more than `CERTAIN` is
allowed.) Where no system's exceeds `SURE`, readings that may be exchanged are those near which curves cross, where an exchange moves a curve
little: the systems have the errors of least squares with labels, for residuals :math:`r_l` that may depend on each other within a set,
and an allowance for exchanges,

.. math:: \mathrm{Cov}(\hat\theta_i, \hat\theta_j) = (1 + 4 u_i)(1 + 4 u_j)\,\frac{r_i'r_j}{N - D}\,(X'X)^{-1},

with the t law of N - D degrees of freedom. (In 150 random panels of 7 to 20 sets and 3 to 16 systems without a system beyond `SURE`, all curves
were right, and intervals of 95 % covered 95 to 98 %, without the allowance 92 to 95 %.) Where a system exceeds it, or
one exceeds `CERTAIN` and the estimating equations disagree or are in doubt themselves, the whole assignment may be another one: no errors are
given for the systems beyond `CERTAIN`, as hard assignment pushes their curves apart.

Where residuals show memory over time, errors allow for it (`panel_memory`).

If the differences within sets are as likely at the noise of the sums as at one of their own, so that the systems share none, systems that are
not certain have the parameters of the greatest likelihood, which counts every assignment by its probability (`revised`).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats, Integers
from vieta.findings import Finding, finding
from vieta.matching import match_rows
from vieta.pairing import as_row, require_pairing
from vieta.search import exchanges
from vieta.search.ascent import climb
from vieta.search.hopping import hopped
from vieta.search.levels import level_solutions
from vieta.search.moves import DIFFERENT, local_solutions, resolved
from vieta.search.problem import Assigned, Problem, alternate, problem
from vieta.sets import Data
from vieta.solution import Solution, few_sets, in_parameters
from vieta.sums import Passes
from vieta.symmetric import canonical_order
from vieta.weighted.panel_memory import PanelMemory, panel_memory
from vieta.weighted.panel_rivals import PanelRival, leaves_too_much, nearest_rival, of_panel
from vieta.weighted.sum_regression import as_matrices
from vieta.weighted.within_variance import maximized, within_likelihood

SURE = 0.1  # mean probability that a reading is another system's, up to which the assignment as a whole is not in doubt
CERTAIN = 0.02  # the same, up to which a system is not in doubt even where others are
NEAR = 3.0  # deviations between curves, root mean square, from which they cross rather than lie near throughout
ALLOWANCE = 4.0  # by which errors grow, for each unit of that probability
STARTS = 200
IMPROVED = 2  # solutions that moves are tried on
HOPS = 240  # where the best solution leaves too much
OTHERS = 40  # solutions that may be rivals
MOVES = 600  # tried on each of them
MOST_SYSTEMS = 64  # beyond, rows and columns are exchanged more likely than not
MEASURED = 7  # sets, from which on its errors were seen to cover
FEWEST = 3  # sets for each parameter of a system
FREE = 20  # sets beyond those that the parameters take up, from which on their sums tell how large the noise is
LIKELIER = 10.0  # log-likelihood of the differences at a noise of their own, beyond which systems share some; 7 by chance, of 21 panels
EXPLAINED = {"memory", "change-in-batch"}  # findings that say why residuals are alike from one set to the next
MOST_REMEMBERED = 100  # sets, of which memory is looked for in residuals; scores of more sets tell it
EXACT = 1e-9  # residuals over readings, from which on there is no noise
TRANSFORM = "assigned"


class AssignedSets(NamedTuple):
    """Inputs (N, D), the readings of each system (N, L), parameters (L, D), and how probably a system's readings are another's (L,).

    `near` is what systems have in `unsure` that lie near throughout, and not only where curves cross.
    """

    rows: Floats
    readings: Floats
    theta: Floats
    unsure: Floats
    near: Floats

    @property
    def cost(self) -> float:
        """The sum of squared residuals."""
        return float((self.residuals**2).sum())

    @property
    def spread(self) -> Floats:
        """(L, L) second moments of the residuals."""
        (N, _), D = self.readings.shape, self.rows.shape[1]
        return np.asarray(self.residuals.T @ self.residuals / (N - D))

    @property
    def residuals(self) -> Floats:
        """(N, L)."""
        return np.asarray(self.readings - self.rows @ self.theta.T)

    @property
    def memory(self) -> PanelMemory | None:
        """That of the residuals, if there is any; those of exact readings are rounding."""
        is_exact = self.cost <= self.readings.size * (EXACT * np.ptp(self.readings)) ** 2
        return None if is_exact else panel_memory(self.rows, self.residuals)


class SmallPanel(NamedTuple):
    """An estimate by assignment, and the parameters (L, D) of other assignments that the search met."""

    sets: AssignedSets
    others: tuple[Floats, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether the assignment as a whole is not in doubt by itself."""
        return bool(self.sets.unsure.max() <= SURE and self.sets.near.max() <= CERTAIN)

    @property
    def has_memory(self) -> bool:
        """Whether residuals are alike from one set to the next."""
        return self.sets.memory is not None

    @property
    def decides(self) -> bool:
        """Whether all systems are certain, or there are more unknowns than sets, so that no other estimate can be hoped for."""
        return bool(self.sets.unsure.max() <= CERTAIN) or self.sets.theta.size > len(self.sets.rows)

    def solution(self, *, doubted: bool) -> Solution:
        """The estimate; where it is doubted, without errors for the systems that are not certain, or that a rival has elsewhere."""
        sets, unsure = self.sets, np.asarray(self.sets.unsure > CERTAIN) & doubted
        rival = self._rival()
        residual = leaves_too_much(sets.rows, sets.readings, sets.theta)
        if rival is None and not residual:
            return _solution(sets, unsure)
        moved = np.ones(len(unsure), dtype=np.bool_) if rival is None or residual else rival.moved > DIFFERENT
        found = _solution(sets, unsure | moved)
        return replace(found, findings=(*_of_search(sets, rival, residual), *_without_notes(found.findings)))

    def _rival(self) -> PanelRival | None:
        """Another assignment that explains the sets about as well."""
        sets = self.sets
        panel = of_panel(sets.rows, sets.readings, sets.theta)
        if panel is None or panel.unit <= EXACT * np.ptp(sets.readings):
            return None
        return nearest_rival(panel, sets.theta, list(self.others))

    def agrees(self, theta: Floats) -> bool:
        """Whether curves of other parameters (L, D) are within two standard errors or half a standard deviation, root mean square."""
        N, D = self.sets.rows.shape
        root = np.linalg.qr(self.sets.rows)[1] / np.sqrt(N)
        own = self.sets.theta @ root.T
        gaps = np.linalg.norm((theta @ root.T)[match_rows(theta @ root.T, own, unit=1.0)] - own, axis=1)
        return bool(np.all(gaps <= max(2.0 * np.sqrt(D / N), 0.5) * np.sqrt(np.diag(self.sets.spread))))


def small_panel(passes: Passes) -> SmallPanel | None:
    """The estimate by assignment, if there are few sets of numbers, from two or more systems, and no fewer than it needs."""
    like = passes.like
    L, D = like.n_systems, like.dim
    if like.reading_dim > 1 or not 1 < L <= MOST_SYSTEMS:
        return None
    data = passes.head(max(5 * L * D, 20))
    if len(data) < FEWEST * D or not few_sets(L * D, len(data)):
        return None
    rows = as_matrices(data)[:, 0]
    if np.linalg.matrix_rank(rows / np.where(scale := abs(rows).max(axis=0), scale, 1.0)) < D:
        return None
    require_pairing(passes)
    return SmallPanel(*assigned_with_others(data))


def revised(few: SmallPanel, others: list[Floats], noise: Floats) -> SmallPanel:
    """The panel with the assignment that one of some parameters (L, D) from elsewhere leads to, if that has a smaller sum of squares.

    Systems that are not sure even so have the parameters of the greatest likelihood that is near one of them, if the noise covariance
    (1, 1) of the sums is that of the readings.
    """
    sets = min([few.sets, *(_assigned_near(few.sets, theta) for theta in others)], key=lambda one: one.cost)
    if sets.unsure.max() > CERTAIN:
        sets = _likeliest(sets, others, noise)
    return few if sets is few.sets else SmallPanel(sets, (*few.others, few.sets.theta))


def remembered(passes: Passes, found: Solution) -> Solution:
    """The estimate with errors for the memory that residuals of assigned readings show, where the scores of some tens of sets do not.

    Of numbers, if readings can be assigned, and no change makes residuals alike.
    """
    told = {one.code for one in found.findings}
    L, known = passes.like.n_systems, bool(np.isfinite(found.cov).all())
    if passes.like.reading_dim > 1 or L < 2 or found.n_sets > MOST_REMEMBERED or not known or told & EXPLAINED:
        return found
    data = passes.head(found.n_sets)
    rows = as_matrices(data)[:, 0]
    ranks = (rows @ found.theta.T).argsort(axis=1).argsort(axis=1)
    sets = _of_readings(rows, np.take_along_axis(np.sort(data.sets[:, :, 0], axis=1), ranks, axis=1))
    memory = sets.memory if sets.unsure.max() <= SURE else None
    if memory is None:
        return found
    factors = memory.factors(rows)
    every, factor = np.tile(factors, L), max(1.0, float(factors.max()))
    said = finding("memory", factor=factor, effective=found.n_sets / factor**2, n_sets=found.n_sets)
    return replace(
        found,
        cov=found.cov * np.outer(every, every),
        dof=min(found.dof, memory.dof),
        n_sets_effective=found.n_sets / factor**2,
        findings=(*found.findings, said),
    )


def _assigned_near(now: AssignedSets, theta: Floats) -> AssignedSets:
    """The assignment that alternation and moves lead to from parameters."""
    center, scale, given = _centred(now.readings, now.rows)
    means = now.rows @ theta.T
    start = np.linalg.lstsq(now.rows, (means - means.mean(axis=1, keepdims=True)) / scale, rcond=None)[0].T
    found = exchanges.improved(given, resolved(given, alternate(given, start), np.random.default_rng(0), MOVES))
    return _of_readings(now.rows, found.readings[:, :, 0] * scale + center)


def _likeliest(now: AssignedSets, others: list[Floats], noise: Floats) -> AssignedSets:
    """With the parameters of the greatest likelihood for systems that are not sure, if the noise is known; else as it was."""
    N, D = now.rows.shape
    if N - D < FREE or not noise[0, 0] > 0.0:
        return now
    given = problem(now.readings[:, :, None], now.rows[:, None, :], noise)
    best = max((climb(given, one) for one in (now.theta, *others)), key=lambda one: one.likelihood)
    if _has_own_noise(given, now, best.theta, float(noise[0, 0])):
        return now
    readings = alternate(given, best.theta, iterations=1).readings[:, :, 0] * np.sqrt(noise[0, 0])
    hard = np.linalg.lstsq(now.rows, readings, rcond=None)[0].T
    unsure, near = exchanged(now.rows, readings, best.theta)
    soft = np.where((unsure > CERTAIN)[:, None], best.theta, hard)
    order = canonical_order(soft)
    return AssignedSets(now.rows, readings[:, order], soft[order], unsure[order], near[order])


def _has_own_noise(given: Problem, now: AssignedSets, theta: Floats, unit: float) -> bool:
    """Whether the differences within sets are far likelier at a noise variance of their own than at that of the sums, `unit`."""
    (N, L), D = now.readings.shape, now.rows.shape[1]
    residuals = now.readings - now.rows @ now.theta.T
    apart = float(((residuals - residuals.mean(axis=1, keepdims=True)) ** 2).sum()) / ((N - D) * (L - 1)) / unit
    free = max(
        maximized(given, one, variance).likelihood for one, variance in ((now.theta, max(apart, EXACT)), (theta, 1.0))
    )
    return free > within_likelihood(given, theta) + LIKELIER


def assigned(data: Data) -> AssignedSets:
    """The assignment of the least sum of squares that was found. Sets are centred for the search: their means say nothing about it."""
    return assigned_with_others(data)[0]


def assigned_with_others(data: Data) -> tuple[AssignedSets, tuple[Floats, ...]]:
    """The same, with the parameters (L, D) of some other assignments, up to what is common to all systems.

    Where the best one leaves too much, there is more search.
    """
    rows = as_matrices(data)[:, 0]
    center, scale, given = _centred(data.sets[:, :, 0], rows)
    rng = np.random.default_rng(0)
    met = _met(given, rng)
    found = _of_readings(rows, met[0].readings[:, :, 0] * scale + center)
    if leaves_too_much(rows, found.readings, found.theta):
        met = _met_by_more(given, met, rng)
        found = _of_readings(rows, met[0].readings[:, :, 0] * scale + center)
    return found, tuple(scale * one.theta for one in met[1 : 1 + OTHERS])


def _centred(readings: Floats, rows: Floats) -> tuple[Floats, float, Problem]:
    """The means (N, 1) of the sets (N, L), the scale of what is left, and the problem of that."""
    sets = np.sort(readings, axis=1)
    center = sets.mean(axis=1, keepdims=True)
    scale = float(np.sqrt(((sets - center) ** 2).mean())) or 1.0
    return center, scale, problem(((sets - center) / scale)[:, :, None], rows[:, None, :], np.eye(1))


def _of_readings(rows: Floats, readings: Floats) -> AssignedSets:
    theta = np.linalg.lstsq(rows, readings, rcond=None)[0].T
    order = canonical_order(theta)
    readings, theta = readings[:, order], theta[order]
    return AssignedSets(rows, readings, theta, *exchanged(rows, readings, theta))


def _met(given: Problem, rng: np.random.Generator) -> list[Assigned]:
    """Solutions, the best first: those of random starts, and where moves lead to from the best of them."""
    found = local_solutions(given, STARTS, rng)
    ends = [exchanges.improved(given, resolved(given, one, rng, MOVES)) for one in found[:IMPROVED]]
    return sorted([*ends, *found], key=_cost)


def _met_by_more(given: Problem, met: list[Assigned], rng: np.random.Generator) -> list[Assigned]:
    """The same after more search: by levels where inputs repeat, and by hops."""
    levels = [alternate(given, theta) for theta in level_solutions(given, rng)]
    starts = sorted([*levels, *met], key=_cost)
    return sorted(hopped(given, starts, rng, HOPS), key=_cost)


def _cost(one: Assigned) -> float:
    return one.cost


def exchanged(rows: Floats, readings: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """(L,) the mean probability that a reading of a system is a neighbour's, from gaps of curves and residuals of differences; and (L,) the
    part of it that is of neighbours within `NEAR` of these deviations, root mean square over the sets.
    """
    from scipy.special import stdtr

    (N, L), D = readings.shape, rows.shape[1]
    means = rows @ theta.T
    residuals = readings - means
    spread = residuals.T @ residuals / (N - D)
    tau = np.sqrt(np.maximum(np.diag(spread)[:, None] + np.diag(spread) - 2.0 * spread, 0.0))
    is_near = np.sqrt(((means[:, :, None] - means[:, None]) ** 2).mean(axis=0)) < NEAR * tau
    order = means.argsort(axis=1)
    lower, upper = order[:, :-1], order[:, 1:]
    gaps = np.diff(np.take_along_axis(means, order, axis=1), axis=1)
    noise = tau[lower, upper]
    is_exact = noise <= EXACT * np.ptp(readings)
    odds = np.where(is_exact, 0.0, stdtr(N - D, -gaps / np.where(is_exact, 1.0, noise)))
    return _for_each(odds, lower, upper, L), _for_each(odds * is_near[lower, upper], lower, upper, L)


def _for_each(odds: Floats, lower: Integers, upper: Integers, L: int) -> Floats:
    """(L,) the mean over sets of what pairs of neighbours (N, L - 1) have."""
    total = np.zeros(L)
    np.add.at(total, lower, odds)
    np.add.at(total, upper, odds)
    return np.asarray(total / len(odds))


def _solution(found: AssignedSets, is_unsure: NDArray[np.bool_]) -> Solution:
    (N, L), D = found.readings.shape, found.rows.shape[1]
    spread = found.spread
    each, dof, factor = np.linalg.inv(found.rows.T @ found.rows), float(N - D), 1.0
    memory = found.memory
    if memory is not None:
        each, dof, factor = (N - D) * memory.cov, memory.dof, max(1.0, float(memory.factors(found.rows).max()))
    growth = 1.0 + ALLOWANCE * found.unsure
    cov = np.einsum("ij,de->idje", spread * np.outer(growth, growth), each)
    cov[is_unsure] = np.nan
    cov[:, :, is_unsure] = np.nan
    sd = np.where(is_unsure, np.nan, np.sqrt(np.diag(spread)))
    noise = np.array([[np.trace(spread) / L]])
    said = _findings(is_unsure, float(found.unsure.max()), N)
    if memory is not None:
        said = (*said, finding("memory", factor=factor, effective=N / factor**2, n_sets=N))
    made = in_parameters(
        found.theta,
        cov.reshape(L * D, L * D),
        noise,
        N,
        said,
        transform=TRANSFORM,
        noise_sd=sd,
        n_sets_effective=N / factor**2,
        dof=dof,
    )
    if N < MEASURED:
        return made
    return replace(
        made, findings=tuple(one for one in made.findings if one.code != "few-sets")
    )  # its errors need not many


def _of_search(sets: AssignedSets, rival: PanelRival | None, residual: float) -> tuple[Finding, ...]:
    """A solution that leaves too much, and one that another explains the sets as well as."""
    left = (finding("not-certified", residual=residual),) if residual else ()
    if rival is None:
        return left
    theta = rival.theta + sets.theta.mean(axis=0)
    rows = "; ".join(as_row(row) for row in theta[canonical_order(theta)])
    return (*left, finding("rival-solution", behind=max(rival.behind, 0.0), rival=rows))


def _without_notes(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Without the note that every reading could be assigned, and without what the doubt about the whole says better."""
    return tuple(one for one in findings if one.code not in ("readings-assigned", "assignment-unsure"))


def _findings(is_unsure: NDArray[np.bool_], share: float, n_sets: int) -> tuple[Finding, ...]:
    if not is_unsure.any():
        return (finding("readings-assigned", n_sets=n_sets),)
    systems = ", ".join(str(l + 1) for l in np.flatnonzero(is_unsure)) if not is_unsure.all() else "all"
    return (finding("assignment-unsure", systems=systems, share=share, n_sets=n_sets),)
