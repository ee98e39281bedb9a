r"""Whether a family, its link and the independence of answers fit: sums of answers against their means and variances.

With n the sum of a set's answers, m and v its mean and variance at the estimate, rows

.. math:: r_k = \bigl(1[m_k \in \text{group}]\,(n_k - m_k)\bigr)_{\text{groups}}, \qquad t_k = \frac{(n_k - m_k)^2 - v_k}{v_k + c}

have mean zero at the truth, and :math:`E\,r g' = \partial m/\partial u`, g the scores. At the estimate the sums of r have the covariance
:math:`\mathrm{diag}(\sum v) - A H^{-1} A'`, A the sums of :math:`\partial m/\partial u` in groups and H the information; the sum of t has
the variance :math:`\sum t^2 - (\sum t g')(\sum g g')^{-1}(\sum g t)`. The variances are those of the family: answers that are hardly ever wrong
have residuals that look as if they had none. Groups that miss say that the link does not fit; t says that answers of a set go together, or vary
more than the family lets them. c, half the variance of one answer, keeps single sets from deciding. Whether the ends of a scale are used too
often, tests of the family say (`vieta.answers.end_use`), which look for nothing else: sums in groups hardly see it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.answers.answer_climb import Climb
from vieta.answers.answer_errors import inverse
from vieta.answers.family import Family
from vieta.answers.score_test import score_test
from vieta.arrays import Floats, plain
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail

GROUPS = 10
SOME = 2000  # sets that the groups are cut by
LEVEL = 2e-4  # probability of reporting a link that fits, if residuals were normal
SURE = 3.6  # standard errors of the dispersion that are reported
ENOUGH = 100  # sets, below which nothing is tested
EXPECTED = 5.0  # variance of a group's sum, in units of an answer, below which it is joined to its neighbour
NUDGE = 1e-3  # standard errors, by which unknowns are moved for slopes
TOLD = 1e-6  # information about an unknown, below which it has none
LEAST = 0.1  # eigenvalue of what the fit leaves of a group's variance, below which it leaves nothing


@dataclass(frozen=True, slots=True, eq=False)
class ResidualSums(Sums):
    """Sums over sets: residuals (G,), variances and slopes (G, m); t, its variance for normal sums, squares with scores; single variances."""

    count: int
    rows: Floats
    variance: Floats
    slopes: Floats
    t: float
    normal: float
    squares: Floats
    single: float


class _Groups:
    """Where groups of means end, and how unknowns are moved."""

    def __init__(self, family: Family, law: Any, some: Data, found: Climb) -> None:
        expected = family.moments(law, some, found.u)
        self.cuts = np.unique(np.quantile(expected.mean, np.linspace(0.0, 1.0, GROUPS + 1)[1:-1]))
        self.floor = 0.5 * max(expected.single, 1e-12)
        told = np.diag(found.sums.information)
        self.nudges = np.where(told > TOLD, NUDGE / np.sqrt(np.maximum(told, TOLD)), 0.0)


def of_fit(passes: Passes, family: Family, law: Any, found: Climb, root: Floats) -> tuple[tuple[Finding, ...], float]:
    """Findings on the fit, and the mean variance of one answer; `root` is that of the climb."""
    sums = _total(passes, family, law, found)
    if found.sums.count < ENOUGH:
        return (), sums.single / sums.count
    said = (*_of_dispersion(sums), *_of_groups(sums, found, family.unit(law)))
    own = _of_own(passes, family, law, found) if not said else ()
    return (*said, *_of_ends(passes, family, law, found, root), *own), sums.single / sums.count


def _of_ends(passes: Passes, family: Family, law: Any, found: Climb, root: Floats) -> tuple[Finding, ...]:
    """Ends of a scale that are used too often, by the test that is surest of it."""
    tests = family.end_use(passes, law, found, root) if found.converged else ()
    surest = min(tests, key=lambda one: one.p_value, default=None)
    if surest is None or surest.p_value >= LEVEL:
        return ()
    return (finding("ends-misfit", chi_square=surest.x, dof=surest.dof),)


def _of_own(passes: Passes, family: Family, law: Any, found: Climb) -> tuple[Finding, ...]:
    """What systems have of their own and the family has not."""
    further = family.further(law)
    if further is None:
        return ()
    test = score_test(passes, law, found, further)
    return (finding("scale-not-shared", chi_square=test.x, dof=test.dof),) if test.p_value < LEVEL else ()


def _total(passes: Passes, family: Family, law: Any, found: Climb) -> ResidualSums:
    groups = _Groups(family, law, passes.spread(SOME, found.sums.count), found)
    return passes.total(lambda block, _: residual_sums(family, law, block, found.u, groups))


def residual_sums(family: Family, law: Any, block: Data, u: Floats, groups: Any) -> ResidualSums:
    """The sums of a block."""
    expected = family.moments(law, block, u)
    away = plain(block.readings.sum(axis=(1, 2))) - expected.mean
    member = (np.searchsorted(groups.cuts, expected.mean)[:, None] == np.arange(len(groups.cuts) + 1)).astype(float)
    t = (away**2 - expected.variance) / (expected.variance + groups.floor)
    together = np.column_stack([t, law.scores(block, u)[1]])
    slopes = np.column_stack([_slope(family, law, block, u, i, nudge) for i, nudge in enumerate(groups.nudges)])
    return ResidualSums(
        len(block),
        member.T @ away,
        member.T @ expected.variance,
        member.T @ slopes,
        float(t.sum()),
        2.0 * float(((expected.variance / (expected.variance + groups.floor)) ** 2).sum()),
        together.T @ together,
        expected.single * len(block),
    )


def _slope(family: Family, law: Any, block: Data, u: Floats, i: int, nudge: float) -> Floats:
    """(n,) the slope of the means by an unknown."""
    if not nudge:
        return np.zeros(len(block))
    up, down = u.copy(), u.copy()
    up[i] += nudge
    down[i] -= nudge
    return np.asarray((family.moments(law, block, up).mean - family.moments(law, block, down).mean) / (2.0 * nudge))


def _of_dispersion(sums: ResidualSums) -> tuple[Finding, ...]:
    own, across, scores = sums.squares[0, 0], sums.squares[0, 1:], sums.squares[1:, 1:]
    lost = float(across @ np.linalg.pinv(scores, rcond=1e-10, hermitian=True) @ across)
    spread = (
        float(own if sums.t > 0.0 else max(own, sums.normal)) - lost
    )  # sets that happen to vary little have small squares too
    z = sums.t / np.sqrt(spread) if spread > 1e-3 * own else 0.0
    if abs(z) <= SURE:
        return ()
    return (finding("answers-dispersed", z=float(z), ratio=1.0 + sums.t / sums.count),)


def _of_groups(sums: ResidualSums, found: Climb, unit: float) -> tuple[Finding, ...]:
    joined = joining(sums.variance / unit**2)
    rows, variance, slopes = joined @ sums.rows, joined @ sums.variance, joined @ sums.slopes
    size = np.sqrt(np.maximum(variance, 1e-300))
    told = np.diag(found.sums.information) > TOLD
    if not told.any():
        return ()
    leave = slopes[:, told] / size[:, None]
    cov = np.eye(len(rows)) - leave @ inverse(found.sums.information[np.ix_(told, told)]) @ leave.T
    values, vectors = np.linalg.eigh(cov)
    kept = values > LEAST
    along = vectors.T @ (rows / size)
    x, dof = float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum())
    if not dof or chi_square_tail(dof, x) >= LEVEL:
        return ()
    return (finding("link-misfit", chi_square=x, dof=dof),)


def joining(variance: Floats) -> Floats:
    """(G', G) zeros and ones that join neighbouring groups until each has a variance of `EXPECTED`.

    >>> joining(np.array([1.0, 9.0, 7.0, 2.0])).astype(int).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1]]
    """
    members: list[list[int]] = [[]]
    for g, _ in enumerate(variance):
        if variance[members[-1]].sum() >= EXPECTED:
            members.append([])
        members[-1].append(g)
    if len(members) > 1 and variance[members[-1]].sum() < EXPECTED:
        last = members.pop()
        members[-1].extend(last)
    return np.array([[float(g in own) for g in range(len(variance))] for own in members])
