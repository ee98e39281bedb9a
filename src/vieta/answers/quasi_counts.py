r"""Quasi-likelihood of sets of counts: values of the set's polynomial at the means, weighted by their covariance.

With nodes at the means, :math:`\mu_l = e^{\eta_l}` and :math:`\mathrm{var}\,y_l = \varphi\mu_l`, independent within a set,

.. math:: r_l = \prod_j (y_j - \mu_l), \qquad E r_l = 0, \qquad V_{lm} = \prod_j \bigl((\mu_j - \mu_l)(\mu_j - \mu_m) + \varphi\mu_j\bigr),
    \qquad J_l = \frac{\partial E r_l}{\partial \eta_l} = \mu_l \prod_{j \ne l} (\mu_j - \mu_l),

exactly, for any law of the counts. The quasi-score of the predictors is :math:`J V^{-1} r`, its information :math:`J V^{-1} J`; the
covariance of the root is :math:`H^{-1} (\sum g g') H^{-1}`. The dispersion comes from the sums of sets,
:math:`\mathrm{var} \sum_l y_l = \varphi \sum_l \mu_l`, which need no labels.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.answers.answer_climb import Climb, bounded, ridged
from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums, input_rows, predictors
from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail

LARGEST = 30.0  # predictor of a count
PIECE = 4000  # sets that are looked at together
RIDGE = 1e-9  # of the variances of values, so that coincident means do no harm
LEAST = 0.05  # dispersion
ROUNDS = 30
SMALL = 1e-6  # of the largest, in units of the diagonal: directions of a contrast that are rounding
SETTLED = 1e-10  # squared step, in standard errors, that ends it


@dataclass(frozen=True, slots=True, eq=False)
class QuasiCounts(AnswerLikelihood):
    """Quasi-scores of counts with dispersion phi; there is no likelihood, which is given as zero."""

    n_systems: int
    dim: int
    dispersion: float
    link: str = "log"
    n_nuisance: int = 0
    robust: bool = True

    def of_size(self, n_systems: int) -> "QuasiCounts":
        """The same of another number of systems."""
        return replace(self, n_systems=n_systems)

    def phi(self, u: Floats) -> float:
        """The dispersion."""
        return self.dispersion

    def scores(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        """Zeros (n,) and quasi-scores (n, L D)."""
        pieces = [self._parts(block.part(at, at + PIECE), u)[0] for at in range(0, max(len(block), 1), PIECE)]
        return np.zeros(len(block)), np.concatenate(pieces)

    def sums(self, block: Data, u: Floats) -> AnswerSums:
        """Quasi-score and its information."""
        nothing = np.zeros((self.size, self.size))
        total = AnswerSums(0, 0.0, np.zeros(self.size), nothing, nothing)
        for at in range(0, len(block), PIECE):
            g, H = self._parts(block.part(at, at + PIECE), u)
            total = total + AnswerSums(len(g), 0.0, g.sum(axis=0), H, nothing)
        return total

    def weighted(self, block: Data, u: Floats, weights: Floats) -> Floats:
        """(m, m) the information of sets with weights (n,)."""
        starts = range(0, len(block), PIECE)
        each = (self._parts(block.part(at, at + PIECE), u, weights[at : at + PIECE])[1] for at in starts)
        return sum(each, np.zeros((self.size, self.size)))

    def _parts(self, block: Data, u: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
        """(n, L D) quasi-scores, and the sum of their information, with weights (n,) if there are any."""
        mu = np.exp(np.clip(predictors(block, self.theta(u)), -LARGEST, LARGEST))
        rows, (n, L) = input_rows(block), mu.shape
        r, V, J = node_values(block.sets[:, :, 0], mu, self.dispersion)
        weight = np.linalg.solve(V, np.concatenate([r[:, :, None], J[:, :, None] * np.eye(L)], axis=2))
        g = J * weight[:, :, 0]
        I = J[:, :, None] * weight[:, :, 1:]
        with_weights = rows if weights is None else rows * weights[:, None]
        H = np.einsum("klm,kd,ke->ldme", I, with_weights, rows, optimize=True).reshape(self.size, self.size)
        return (g[:, :, None] * rows[:, None, :]).reshape(n, self.size), 0.5 * (H + H.T)


def node_values(y: Floats, mu: Floats, phi: float) -> tuple[Floats, Floats, Floats]:
    """(n, L) r, (n, L, L) V and (n, L) J of sets y (n, L) with means mu (n, L), each node in units of its deviation."""
    L = mu.shape[1]
    away = mu[:, :, None] - mu[:, None, :]  # of j from node l
    spread = phi * mu[:, :, None]
    size = np.sqrt(away**2 + spread)  # factors of the deviation of a value, so that products do not overflow
    r = ((y[:, :, None] - mu[:, None, :]) / size).prod(axis=1)
    V = np.empty((len(mu), L, L))
    for l in range(L):
        cross = away[:, :, l, None] * away + spread
        V[:, l] = (cross / (size[:, :, l, None] * size)).prod(axis=1)
    V += RIDGE * np.eye(L)
    own = np.where(np.eye(L, dtype=bool), mu[:, :, None], away)
    return r, V, (own / size).prod(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Dispersion(Sums):
    """Sums of sets' squared residuals over their means, and of the squares of these."""

    count: int
    ratio: float
    square: float
    unknowns: int = 0

    @property
    def phi(self) -> float:
        """The dispersion, which is one for Poisson counts."""
        return max(self.ratio / max(self.count - self.unknowns, 1), LEAST)

    @property
    def z(self) -> float:
        """Its difference from one, in standard errors."""
        variance = self.square / self.count - (self.ratio / self.count) ** 2
        return (self.phi - 1.0) / float(np.sqrt(max(variance, 1e-12) / self.count))


def dispersion(passes: Passes, law: AnswerLikelihood, u: Floats) -> Dispersion:
    """The dispersion of the sums of sets: the mean square of their residuals over their means."""

    def work(block: Data, _: int) -> Dispersion:
        mean = np.exp(np.clip(predictors(block, law.theta(u)), -LARGEST, LARGEST)).sum(axis=1)
        ratio = (block.readings.sum(axis=(1, 2)) - mean) ** 2 / mean
        return Dispersion(len(block), float(ratio.sum()), float(ratio @ ratio))

    return replace(passes.total(work), unknowns=law.dim)


@dataclass(frozen=True, slots=True, eq=False)
class _Squares(Sums):
    products: Floats


def contrast(passes: Passes, law: AnswerLikelihood, found: Climb, quasi: QuasiCounts, there: Climb) -> float:
    r"""The probability that a likelihood and quasi-likelihood differ so much where both are right (Hausman).

    The difference has the covariance :math:`\sum_k (a_k - b_k)(a_k - b_k)'` of the influences a, b of the sets on the two.
    """
    n = quasi.size
    first, second = (np.linalg.pinv(one.sums.information, rcond=1e-10, hermitian=True)[:, :n] for one in (found, there))

    def work(block: Data, _: int) -> _Squares:
        d = law.scores(block, found.u)[1] @ first - quasi.scores(block, there.u)[1] @ second
        return _Squares(d.T @ d)

    products = passes.total(work).products
    scale = np.sqrt(np.maximum(np.diag(products), 1e-300))
    values, vectors = np.linalg.eigh(products / (scale[:, None] * scale))
    kept = values > SMALL * values[-1]
    away = vectors.T @ ((found.u[:n] - there.u) / scale)
    return chi_square_tail(int(kept.sum()), float((away[kept] ** 2 / values[kept]).sum()))


def quasi_root(passes: Passes, law: QuasiCounts, u: Floats) -> Climb:
    """The root of the quasi-scores near a start, by scoring; a step after which the next one would be longer is halved."""

    def at(u: Floats) -> AnswerSums:
        return passes.total(lambda block, _: law.sums(block, u))

    root = np.eye(law.dim)
    now = at(u)
    for _ in range(ROUNDS):
        step = bounded(law, ridged(now, 1e-9), root)
        size = float(step @ now.information @ step)
        if size < SETTLED:
            return Climb(u, now, True)
        for _ in range(8):
            there = at(u + step)
            next_step = ridged(there, 1e-9)
            if float(next_step @ now.information @ next_step) < size:
                break
            step = 0.5 * step
        u, now = u + step, there
    return Climb(u, now, False)
