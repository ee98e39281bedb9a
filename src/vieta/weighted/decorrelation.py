r"""Noise that the systems share, :math:`v_l = c + u_l`, and the sets from which its correlation is taken out.

The shock c has variance g, the systems' own noises u have variances :math:`\sigma_l^2 = \bar\sigma^2 + \delta_l`. Part of each set's mean
residual is taken away from every reading,

.. math:: y'_l = y_l - \kappa\,(\bar y - \psi'\bar\theta), \qquad (1 - \kappa)^2 R = \bar\sigma^2 / L, \qquad
    R = \mathrm{Var}(\bar y - \psi'\bar\theta) = g + \bar\sigma^2 / L ,

so that :math:`E y'_l = \psi'\theta_l` still, and the noise that is left, :math:`v'_l = (1-\kappa) c + u_l - \kappa \bar u`, has

.. math:: \mathrm{Cov}(v'_j, v'_k) = -\tfrac{\kappa}{L} (\delta_j + \delta_k), \qquad
    \mathrm{Var}\,v'_j = \bar\sigma^2 + \bigl(1 - \tfrac{2\kappa}{L}\bigr)\,\delta_j .

With equal variances it is uncorrelated, and under Gaussian noise the sets are those of systems with independent noises. It does not matter
that the order within a set is unknown. :math:`\kappa = 1` would centre the sets, which suits a shock of infinite size. A negative
:math:`\kappa` stands for noises that go against each other.
"""

import numpy as np

from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.sum_regression import SumRegression, as_matrices


def mean_variance(regression: SumRegression) -> float:
    """R, for readings that are numbers."""
    return float(regression.noise[0, 0]) / regression.n_systems


def removed_share(own: float, regression: SumRegression) -> float:
    """The kappa at which the mean of the systems' own noise variances is `own`."""
    return float(1.0 - np.sqrt(own / (regression.n_systems * mean_variance(regression))))


def mean_residuals(data: Data, regression: SumRegression) -> Floats:
    """(n,) residuals of the mean reading; `data` holds numbers."""
    return regression.residuals(data)[:, 0] / regression.n_systems


def decorrelate(data: Data, regression: SumRegression, share: float) -> Floats:
    """(n, L) the readings y', in ascending order."""
    readings = np.sort(data.sets[:, :, 0], axis=1)
    ordered = Data(plain(readings[:, :, None]), data.inputs, data.dim)
    return plain(readings - share * mean_residuals(ordered, regression)[:, None])


def decorrelated(passes: Passes, regression: SumRegression, share: float) -> Passes:
    """The same sets with y' in the place of y."""

    def block(data: Data) -> Data:
        return Data(decorrelate(data, regression, share)[:, :, None], data.inputs, data.dim)

    return passes.changed(passes.like, block)


def own_variances(variances: Floats, share: float) -> Floats:
    """(L,) variances of the systems' own noises, from those of v'."""
    level, slope = float(variances.mean()), 1.0 - 2.0 * share / len(variances)
    spread = (variances - level) / max(
        slope, 0.1
    )  # two systems that share nearly all: nothing tells which is the noisier
    return np.asarray(np.maximum(level + spread, 1e-3 * level))


def rows_of(data: Data) -> Floats:
    """(n, D) inputs of readings that are numbers."""
    return plain(as_matrices(data)[:, 0])


def joint_law(
    share: float, n_systems: int, *, unequal: bool, own: tuple[float, float], mean: tuple[float, float]
) -> Floats:
    r"""(11,) what the noise v' has in common beyond its second moments, as `shared_products` takes it.

    `own` holds skewness :math:`\gamma_3` and excess :math:`\gamma_4` of the noises u, `mean` those of the mean residuals, from which those of
    the shock follow. In units of :math:`\bar\sigma` and with :math:`\beta = \kappa/L`, the joint cumulants of v' of three and four systems,
    some of them twice, are

    .. math:: \kappa_{jkl} = \gamma_3^{\bar y} L^{-3/2} + w\,\gamma_3, \quad \kappa_{jjk} = \kappa_{jkl} - \beta\gamma_3, \qquad
        w = 3\beta^2 - L\beta^3 - (1-\kappa)^3/L^2 ,

    .. math:: \kappa_{jklm} = \gamma_4^{\bar y} L^{-2} + x\,\gamma_4, \quad \kappa_{jjkl} = \kappa_{jklm} + \beta^2\gamma_4, \quad
        \kappa_{jjkk} = \kappa_{jklm} + 2\beta^2\gamma_4, \qquad x = L\beta^4 - 4\beta^3 - (1-\kappa)^4/L^3 .
    """
    L, b, left = n_systems, share / n_systems, 1.0 - share
    w = 3.0 * b**2 - L * b**3 - left**3 / L**2
    x = L * b**4 - 4.0 * b**3 - left**4 / L**3
    third, fourth = np.array([w, w - b]), np.array([x, x + b**2, x + 2.0 * b**2])
    a = b / (1.0 - 2.0 * b) if unequal and L > 2 else 0.0
    given = mean[0] * L**-1.5 + own[0] * third, mean[1] / L**2 + own[1] * fourth
    return np.concatenate([[a], third, given[0], fourth, given[1]])


def independent_law() -> Floats:
    """(11,) the same for noises that are independent."""
    return np.zeros(11)
