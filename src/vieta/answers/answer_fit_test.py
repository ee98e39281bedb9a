r"""Whether a family, its link and the independence of answers fit: sums of answers against their means and variances.

With n the sum of a set's answers, m and v its mean and variance at the estimate, rows

.. math:: r_k = \bigl(1[m_k \in \text{group}]\,(n_k - m_k)\bigr)_{\text{groups}}, \qquad t_k = (n_k - m_k)^2 / v_k - 1

have mean zero at the truth. At the estimate their sums have the covariance
:math:`\sum r r' - (\sum r g')(\sum g g')^{-1}(\sum g r')`, g the scores of all unknowns. Groups that miss say that the link
does not fit; t says that answers of a set go together, or vary more than the family lets them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.answers.answer_climb import Climb
from vieta.answers.family import Family
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail

GROUPS = 10
SOME = 2000  # sets that the groups are cut by
LEVEL = 1e-3  # probability of reporting a link that fits
SURE = 3.6  # standard errors of the dispersion that are reported
ENOUGH = 100  # sets, below which nothing is tested


@dataclass(frozen=True, slots=True, eq=False)
class ResidualSums(Sums):
    """Sums over sets: of the rows (G + 1,), of their squares (m', m') with the scores, and of the variance of one answer."""

    count: int
    rows: Floats
    squares: Floats
    single: float


def of_fit(passes: Passes, family: Family, law: Any, found: Climb) -> tuple[tuple[Finding, ...], float]:
    """Findings on the fit, and the mean variance of one answer."""
    n_sets = found.sums.count
    cuts = _cuts(family, law, passes.spread(SOME, n_sets), found.u)

    def work(block: Data, _: int) -> ResidualSums:
        r = residual_rows(family, law, block, found.u, cuts)
        together = np.concatenate([r, law.scores(block, found.u)[1]], axis=1)
        single = family.moments(law, block, found.u).single
        return ResidualSums(len(block), r.sum(axis=0), together.T @ together, single * len(block))

    sums = passes.total(work)
    found_now = _findings(sums) if n_sets >= ENOUGH else ()
    return found_now, sums.single / sums.count


def _cuts(family: Family, law: Any, some: Data, u: Floats) -> Floats:
    mean = family.moments(law, some, u).mean
    return np.unique(np.quantile(mean, np.linspace(0.0, 1.0, GROUPS + 1)[1:-1]))


def residual_rows(family: Family, law: Any, block: Data, u: Floats, cuts: Floats) -> Floats:
    """(n, G + 1) residuals of sums in groups of their means, and t."""
    expected = family.moments(law, block, u)
    away = block.readings.sum(axis=(1, 2)) - expected.mean
    group = np.searchsorted(cuts, expected.mean)
    rows = (group[:, None] == np.arange(len(cuts) + 1)) * away[:, None]
    t = away**2 / np.maximum(expected.variance, 1e-12) - 1.0
    return np.column_stack([rows, t])


def _findings(sums: ResidualSums) -> tuple[Finding, ...]:
    G = len(sums.rows)
    own, across, scores = sums.squares[:G, :G], sums.squares[:G, G:], sums.squares[G:, G:]
    cov = own - across @ np.linalg.pinv(scores, rcond=1e-10, hermitian=True) @ across.T
    found: list[Finding] = []
    spread = float(cov[-1, -1])
    z = float(sums.rows[-1]) / np.sqrt(spread) if spread > 1e-3 * own[-1, -1] else 0.0
    if abs(z) > SURE:
        ratio = 1.0 + float(sums.rows[-1]) / sums.count
        found.append(finding("answers-dispersed", z=z, ratio=ratio))
    size = np.sqrt(np.maximum(np.diag(own)[:-1], 1e-300))
    values, vectors = np.linalg.eigh(cov[:-1, :-1] / (size[:, None] * size))
    kept = values > 1e-2
    along = vectors.T @ (sums.rows[:-1] / size)
    x, dof = float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum())
    if dof and chi_square_tail(dof, x) < LEVEL:
        found.append(finding("link-misfit", chi_square=x, dof=dof))
    return tuple(found)
