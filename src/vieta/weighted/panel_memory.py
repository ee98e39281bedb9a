r"""Memory over time in few sets whose readings are assigned: an autoregression of first order, the same for all systems.

With :math:`M = I - X(X'X)^{-1}X'` and noise of the correlation :math:`R_{jk} = \rho^{|j-k|}` over time, the residuals r of a system have

.. math:: \mathrm{E}\,r'r = \sigma^2 \operatorname{tr} MR, \qquad \mathrm{E}\,r'Ar = \sigma^2 \operatorname{tr} MAMR, \qquad
    A_{jk} = \tfrac12 [|j - k| = 1] .

The ratio of the two, averaged over the systems, is tested against what no memory makes of it: its variance is that of one system,
:math:`2\,(m \operatorname{tr} B^2 - (\operatorname{tr} B)^2) / (m^2 (m + 2))` with B = MAM and m = N - D, times the mean of the squared
correlations of two systems. Where it is too large, :math:`\rho` is the one at which normal noise has that ratio on average: the fit of the
parameters, and the few sets, shorten the memory of residuals, of both alike. Then

.. math:: \mathrm{Cov}(\hat\theta_i, \hat\theta_j) = \frac{r_i'r_j}{\operatorname{tr} MR}\,(X'X)^{-1} X'RX\,(X'X)^{-1},
    \quad \nu = \frac{(\operatorname{tr} MR)^2}{\operatorname{tr} MRMR}

degrees of freedom. (Anderson 1971 for the test of one series; the average over systems and the rest are ours.)
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.tails import normal_quantile

LEVEL = 0.005  # probability of finding memory where there is none
FEWEST = 8  # degrees of freedom, below which nothing is tested
MOST = 0.98  # rho
DRAWS, STEPS = 400, 20  # systems, and halvings of the range of rho
EXACT = 1e-20  # squares of residuals over those of readings, below which there is no noise


class PanelMemory(NamedTuple):
    """Covariance (D, D) of the parameters of a system whose residuals have the sum of squares one, degrees of freedom, and :math:`\\rho`."""

    cov: Floats
    dof: float
    rho: float

    def factors(self, rows: Floats) -> Floats:
        """(D,) by what memory makes standard errors larger."""
        plain = np.diag(np.linalg.inv(rows.T @ rows)) / (len(rows) - rows.shape[1])
        return np.asarray(np.sqrt(np.diag(self.cov) / plain))


def panel_memory(rows: Floats, residuals: Floats) -> PanelMemory | None:
    """Of inputs (N, D) and the residuals (N, L) of least squares, if there is any."""
    N, D = rows.shape
    squares = (residuals**2).sum(axis=0)
    if N - D < FEWEST or not squares.min() > EXACT * squares.max():
        return None
    Q = np.linalg.qr(rows)[0]
    ratio = _ratio(residuals)
    if ratio < _least(Q, residuals / np.sqrt(squares)):
        return None
    rho = _matching(ratio, Q)
    R = rho ** abs(np.subtract.outer(np.arange(N), np.arange(N), dtype=np.float64))
    inverse = np.linalg.inv(rows.T @ rows)
    first, second = _traces(N, float(np.sum(R * R)), Q, R @ Q)
    found = PanelMemory(inverse @ rows.T @ R @ rows @ inverse / first, first**2 / second, rho)
    growth = np.maximum(
        1.0 / found.factors(rows), 1.0
    )  # of single parameters errors may be smaller with memory, which a guess of rho is no reason for
    return found._replace(cov=found.cov * np.outer(growth, growth))


def _ratio(residuals: Floats) -> float:
    """The mean over systems (N, L) of r'Ar / r'r."""
    return float(np.mean((residuals[1:] * residuals[:-1]).sum(axis=0) / (residuals**2).sum(axis=0)))


def _traces(trace: float, squares: float, Q: Floats, SQ: Floats) -> tuple[float, float]:
    """tr MS and tr MSMS for M = I - QQ' and a symmetric S, from tr S, the sum of its squares, and SQ."""
    inner = Q.T @ SQ
    return trace - float(np.trace(inner)), squares - 2.0 * float(np.sum(SQ * SQ)) + float(np.sum(inner * inner))


def _matching(ratio: float, Q: Floats) -> float:
    """The rho at which residuals of systems that are drawn have a ratio on average, between zero and `MOST`."""
    drawn = np.random.default_rng(0).standard_normal((len(Q), DRAWS))
    low, high = 0.0, MOST
    for _ in range(STEPS):
        rho = 0.5 * (low + high)
        u = _remembering(drawn, rho)
        low, high = (rho, high) if _ratio(u - Q @ (Q.T @ u)) < ratio else (low, rho)
    return 0.5 * (low + high)


def _remembering(drawn: Floats, rho: float) -> Floats:
    """An autoregression (N, n) of variance one from independent draws."""
    found = drawn.copy()
    for k in range(1, len(drawn)):
        found[k] = rho * found[k - 1] + np.sqrt(1.0 - rho**2) * drawn[k]
    return found


def _least(Q: Floats, units: Floats) -> float:
    """The ratio that chance exceeds with the probability `LEVEL`; `units` (N, L) are residuals of length one."""
    N, D = Q.shape
    AQ = np.zeros((N, D))
    AQ[1:] += 0.5 * Q[:-1]
    AQ[:-1] += 0.5 * Q[1:]
    m = N - D
    first, second = _traces(0.0, 0.5 * (N - 1), Q, AQ)
    variance = 2.0 * (m * second - first**2) / (m**2 * (m + 2.0))
    alike = float(np.mean((units.T @ units) ** 2))
    return float(first / m - normal_quantile(LEVEL) * np.sqrt(variance * alike))
