r"""Where the noise has its mean, if its law is learned and the inputs have a constant among them.

A law that has no centre of symmetry says nothing about its mean: systems that are all higher by the same constant, and a law that is lower by
it, make the same sets. The mean of the residuals is then the best there is (as the intercept of a regression is), and a learned law, whose
mean is zero by its weights, is only nearly as good. With residuals u of system l, counted by P,

.. math:: \delta_l = \frac{\sum P u}{\sum P}, \qquad \theta_l \leftarrow \theta_l + \delta_l S_l, \quad S_l = \sigma_l k, \qquad
    k = G^{-1} \sum \Psi' C^{1/2} 1, \quad G = \sum \Psi'\Psi,

:math:`\Psi k` being the constant. Systems with a deviation in common have a common :math:`\delta`; where each has its own, which a lopsided
law takes for a shift, each has a mean of its own. Let :math:`w_l` be the slope of :math:`-\delta` in :math:`\theta_l`. The mean of
the noise has the variance :math:`v = \sum P u^2/(\sum P)^2`, and is independent of what a law tells about the rest, so that

.. math:: \mathrm{Cov} \leftarrow (I - S w')\,\mathrm{Cov}\,(I - S w')' + v\,S S' .

Among false readings the long tail of a lopsided law is lost, and with it the mean: that is reported (`of_tails`).
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive.law_choice import Chosen
from vieta.adaptive.set_errors import SetErrors
from vieta.adaptive.set_model import SetModel, expect
from vieta.adaptive.set_sums import pieces
from vieta.adaptive.set_survey import Survey
from vieta.adaptive.sieve import points
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes, Sums

CONSTANT = 0.99  # multiple correlation of a constant with the inputs, from which on they have one
PARTLY = 0.5  # the same, from which on a common shift moves the parameters
SURE = 4.5  # standard errors by which residuals must be lopsided
EXACT = 1e-20  # variance of residuals, in units of the noise, below which there are none


@dataclass(frozen=True, slots=True, eq=False)
class Means(Sums):
    """Sums (L,) over the readings of each system: of P, of P u and of P u^2, averages over coordinates."""

    count: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """Means of residuals (g,) and their variances (g,); S and w (L D, g), by which they move the parameters, and these move them."""

    means: Floats
    variances: Floats
    directions: Floats
    responses: Floats


def common_shift(passes: Passes, chosen: Chosen, known: Survey) -> Shift | None:
    """The shifts that make means of residuals zero, in one pass; None for laws with a centre and inputs without a constant."""
    model, (L, D) = chosen.model, chosen.model.theta.shape
    if model.law.weights is None or chosen.constant < CONSTANT:
        return None
    values, vectors = np.linalg.eigh(model.shape)
    root, inverse = ((vectors * values**power) @ vectors.T for power in (0.5, -0.5))
    k = np.linalg.pinv(known.gram, hermitian=True) @ known.total.T @ root.sum(axis=1)
    row = inverse.sum(axis=0) @ known.total / (len(root) * known.n_sets)
    cut = Passes(passes.like, lambda: (one for block in passes.read() for one in pieces(block, L)))
    sums = cut.total(lambda piece, _: _means(piece, model))
    groups = np.eye(L) if chosen.free.sd == "own" else np.ones((L, 1))
    count = np.maximum(groups.T @ sums.count, 1e-300)
    S = np.einsum("lg,l,d->ldg", groups, model.sd, k).reshape(L * D, -1)
    w = np.einsum("lg,l,d->ldg", groups / count, sums.count / model.sd, row).reshape(L * D, -1)
    variances = groups.T @ sums.second / count**2 / len(root)
    return Shift(groups.T @ sums.first / count, variances, S, w)


def _means(data: Data, model: SetModel) -> Means:
    found = expect(data, model)
    u = found.residuals
    first, second = (found.pairs * u.mean(axis=2)).sum(axis=0), (found.pairs * (u**2).mean(axis=2)).sum(axis=0)
    return Means(found.pairs.sum(axis=0), first, second)


def centred(chosen: Chosen, shift: Shift | None) -> Chosen:
    """The model with its systems shifted."""
    if shift is None:
        return chosen
    theta = chosen.model.theta
    model = replace(chosen.model, theta=theta + (shift.directions @ shift.means).reshape(theta.shape))
    return replace(chosen, climbed=replace(chosen.climbed, model=model))


def shifted_errors(errors: SetErrors, shift: Shift | None) -> SetErrors:
    """The errors of a shifted model; the mean of noise with memory is as uncertain as the parameter that suffers most."""
    if shift is None:
        return errors
    S, w = shift.directions, shift.responses
    M = np.eye(len(S)) - S @ w.T
    variances = max(errors.basis.factor, 1.0) ** 2 * shift.variances
    return replace(errors, cov=M @ errors.cov @ M.T + (S * variances) @ S.T)


def lopsidedness(histogram: Floats) -> tuple[float, float]:
    r"""Skewness of residuals in a histogram, and (mean - median)/deviation, each over its standard error for normal ones.

    The second does not mind false readings that were taken for a tail on the other side. Their errors are :math:`\sqrt{6/n}` and
    :math:`\sqrt{(\pi/2 - 1)/n}`.

    >>> lopsidedness(np.where(abs(points()) == 1.0, 50.0, 0.0))[0]
    0.0
    """
    u, n = points(), max(float(histogram.sum()), 1e-300)
    mean = histogram @ u / n
    away = u - mean
    second, third = (float(histogram @ away**power) / n for power in (2, 3))
    if second < EXACT:
        return 0.0, 0.0
    sd = second**0.5
    below = np.cumsum(histogram) - 0.5 * histogram
    median = float(np.interp(0.5 * n, below, u))
    return float(third / sd**3 / np.sqrt(6.0 / n)), float((mean - median) / sd / np.sqrt((0.5 * np.pi - 1.0) / n))


def of_tails(chosen: Chosen) -> tuple[Finding, ...]:
    """Lopsided noise among false readings, where inputs have a constant."""
    if not chosen.free.rate or chosen.constant < PARTLY:
        return ()
    z = max(lopsidedness(chosen.climbed.sums.residuals), key=abs)
    return (finding("tails-hidden", z=z),) if abs(z) > SURE else ()
