r"""How far an estimate without names is from least squares with names, and the verdict.

With names, unit l has :math:`\tilde\theta_l = X^+ y_l`, residual standard deviation :math:`s_l` (N - D degrees of freedom) and a fitted curve
:math:`\psi_k'\tilde\theta_l` with standard error :math:`s_l \sqrt{D/N}`, root mean square over the inputs. The curves of the estimate are
matched to those with names at the least squared distance, and

.. math:: d_l = \Bigl(\frac1N \sum_k (\psi_k'(\hat\theta_l - \tilde\theta_l))^2\Bigr)^{1/2} .

An estimate is *right* if :math:`d_l \le \max(2\,s_l\sqrt{D/N},\ s_l / 2)` for every unit: curves through the middle of the readings of each.
If it is not, it must be *reported*: by a finding that is serious, or one of caution about more than standard errors; or it is *refused*, by
an error. An estimate that is not so near, without such a finding, is *within its errors* if the curves with names lie in its own 95 %
regions, all of them together. What is left is *wrong and silent*.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.estimators.estimate import Estimate
from vieta.findings import Finding, at_least
from vieta.matching import match_rows

RIGHT, WITHIN, REPORTED, REFUSED, SILENT = "right", "within its errors", "reported", "refused", "wrong and silent"
VERDICTS = (RIGHT, WITHIN, REPORTED, REFUSED, SILENT)
ABOUT_ERRORS = frozenset({"few-sets"})  # cautions that doubt standard errors, and not the estimate
ERRORS, DEVIATIONS = 2.0, 0.5  # labeled standard errors and residual standard deviations that a right curve may be away
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Labeled:
    """Least squares with names: parameters (L, D), residual standard deviations (L,), standard errors (L, D) and inputs (N, D)."""

    theta: Floats
    sd: Floats
    stderr: Floats
    inputs: Floats

    @property
    def curve_error(self) -> Floats:
        """(L,) the standard error of a fitted curve, root mean square over the inputs."""
        N, D = self.inputs.shape
        return np.asarray(self.sd * np.sqrt(D / N))


def labeled(readings: Floats, inputs: Floats) -> Labeled:
    """Least squares of each column of readings (N, L) on inputs (N, D)."""
    N, D = inputs.shape
    theta = (np.linalg.pinv(inputs) @ readings).T
    residuals = readings - inputs @ theta.T
    sd = np.sqrt((residuals**2).sum(axis=0) / max(N - D, 1))
    unit = np.sqrt(np.diag(np.linalg.inv(inputs.T @ inputs)))
    return Labeled(theta, sd, sd[:, None] * unit, inputs)


class Distance(NamedTuple):
    """Of the unit whose curve is farthest: in labeled standard errors, and in residual standard deviations; and whether all are right."""

    errors: float
    deviations: float
    is_right: bool


def order(theta: Floats, truth: Labeled) -> Integers:
    """(L,) of rows of parameters (L, D), such that their curves are nearest to those of the units."""
    root = np.asarray(np.linalg.qr(truth.inputs, mode="r"))
    return match_rows(theta @ root.T, truth.theta @ root.T, unit=1.0)


def distance(theta: Floats, truth: Labeled) -> Distance:
    """Of parameters (L, D), rows in any order."""
    gaps = truth.inputs @ (theta[order(theta, truth)] - truth.theta).T
    d = np.sqrt((gaps**2).mean(axis=0))
    near = np.maximum(ERRORS * truth.curve_error, DEVIATIONS * truth.sd)
    return Distance(float((d / truth.curve_error).max()), float((d / truth.sd).max()), bool(np.all(d <= near)))


class Intervals(NamedTuple):
    """What an estimate says about its own errors.

    Attributes
    ----------
    share : float
        Of the labeled estimates that lie in its 95 % intervals; NaN where standard errors are not known.
    is_within : bool
        Whether the labeled parameters of every unit lie in the 95 % region of its system, by Bonferroni.
    ratio : float
        The median standard error, over that with names.
    """

    share: float
    is_within: bool
    ratio: float


UNKNOWN = Intervals(float("nan"), False, float("nan"))


def intervals(estimate: Estimate, truth: Labeled) -> Intervals:
    """Of an estimate, by its own intervals and, for each system, by :math:`g'C^{-1}g \\le \\chi^2_{D,\\,1 - .05/L}`."""
    from scipy.stats import chi2

    (L, D), index = estimate.theta.shape, order(estimate.theta, truth)
    blocks = np.stack([estimate.cov.reshape(L, D, L, D)[l, :, l] for l in index])
    if not np.all(np.isfinite(blocks)):
        return UNKNOWN
    low, high = np.moveaxis(estimate.conf_int(LEVEL)[index], -1, 0)
    gaps = estimate.theta[index] - truth.theta
    squared = [gap @ np.linalg.pinv(block) @ gap for gap, block in zip(gaps, blocks)]
    return Intervals(
        share=float(np.mean((low <= truth.theta) & (truth.theta <= high))),
        is_within=bool(max(squared) <= chi2.ppf(1.0 - (1.0 - LEVEL) / L, D)),
        ratio=float(np.median(estimate.stderr[index] / truth.stderr)),
    )


def doubts(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by which an estimate is reported to be in doubt."""
    return [one for one in at_least(findings, "caution") if one.severity == "serious" or one.code not in ABOUT_ERRORS]


def verdict(far: Distance, said: Intervals, findings: Iterable[Finding]) -> str:
    """Of an estimate that was not refused."""
    if far.is_right:
        return RIGHT
    if doubts(findings):
        return REPORTED
    return WITHIN if said.is_within else SILENT
