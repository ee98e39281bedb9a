r"""The weighted estimate where the systems share a shock: parameters, variances and the size of the shock in one system of equations.

The sets are decorrelated (`decorrelation`) by a share that is among the unknowns: with :math:`\eta = \bar\sigma^2/L` and
:math:`1 - \kappa = \sqrt{\eta/R}`, the noise that is left has covariance :math:`g' = (1-\kappa)^2 R - \bar\sigma^2/L`, and the scores of
`shared_products` about g' are zero at the right :math:`\eta`. Unknown are, in this order,

- the parameters :math:`\theta` (L D numbers),
- with products, the logarithms of the variances of v' (L),
- :math:`-\log\eta`,
- the skewness and, with products, the excess of the systems' own noises, held near zero by a weak prior where the sets do not tell.

The mean parameter :math:`\bar\theta = b/L` by which the sets are decorrelated is the regression of the mean reading. Shifting it shifts all
means alike, so that the influence of a set on the estimate is

.. math:: H^{-1} s_k + \kappa\,(1 \otimes (\textstyle\sum\psi\psi')^{-1} \psi_k r_k), \qquad r_k = \bar y_k - \psi_k'\bar\theta ,

and the covariance is the sum of the influences' outer products: differences between systems do not feel the shock, their mean does.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import chi_square_tail
from vieta.weighted.decorrelation import (
    decorrelate,
    joint_law,
    mean_residuals,
    mean_variance,
    own_variances,
    removed_share,
    rows_of,
)
from vieta.weighted.refinement import chance_of, held
from vieta.weighted.root_finding import find_root
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.solve import FARTHEST
from vieta.weighted.sum_regression import SumRegression

MOST_SYSTEMS = 5  # with products
FEWEST = 40  # sets for each unknown, for products
PRIOR = (2.0, 6.0)  # standard deviations of skewness and excess
STEEPEST, LIGHTEST, HEAVIEST = 4.0, -2.0, 20.0  # skewness and excess of the mean residuals, to which they are held
SMALLEST, LARGEST = 1e-9, 1e3  # eta over R
WIDEST = 1e6  # ratio of variances
CONTRADICTION = 1e-3  # probability, by chance, of a difference that counts as a contradiction
DOUBTED = 0.05  # the same, from which on values are not taken for the more precise ones
SKEWED = 1.5  # skewness that products see and values do not: values alone take skewed noise for small noise, and curves for more distant ones
UNKNOWN = 1e-7  # of the information about single unknowns: a direction that has less is not told
TRIED = (1.0, 4.0, 0.25)  # times the own variance that was found, to start from
WORSE = 1.05  # times the variances of the values alone, from which on products are left out


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What stays the same during a fit.

    Attributes
    ----------
    regression : SumRegression
    dim : int
        D.
    products : bool
        Whether products join in.
    shape : (2,) floats
        Skewness and kurtosis of v', which weights use.
    inverse : (D, D)
        Of the sum of the inputs' outer products.
    ratios : (L,)
        Variances of v' over their mean, where they are not unknown.
    """

    regression: SumRegression
    dim: int
    products: bool
    shape: tuple[float, float]
    inverse: Floats
    ratios: Floats

    @property
    def n_systems(self) -> int:
        """L."""
        return self.regression.n_systems

    @property
    def kept(self) -> list[int]:
        """The scores of `shared_products` that belong to the unknowns."""
        L, n = self.n_systems, self.n_systems * self.dim
        middle = list(range(n, n + L)) if self.products else []
        cumulants = [n + L + 1, n + L + 2] if self.products else [n + L + 1] if L > 2 else []
        return [*range(n), *middle, n + L, *cumulants]

    @property
    def at(self) -> int:
        """The place of -log eta among the unknowns."""
        return self.n_systems * (self.dim + self.products)

    @property
    def mean_shape(self) -> tuple[float, float]:
        """Skewness and excess of the mean residuals."""
        second, third, fourth = self.regression.powers
        excess = float(np.clip(fourth / second**2 - 3.0, LIGHTEST, HEAVIEST)) if self.products else 0.0
        return float(np.clip(third / second**1.5, -STEEPEST, STEEPEST)), excess

    def unknowns(self, theta: Floats, own: float) -> Floats:
        """(n,) the unknowns to start from: parameters (L, D), and one variance for all."""
        L = self.n_systems
        variances = np.full(L, np.log(own)) if self.products else np.empty(0)
        return np.concatenate([theta.ravel(), variances, [-np.log(own / L)], np.zeros(len(self.kept) - self.at - 1)])

    def values(self, place: Floats) -> "Values":
        """What unknowns stand for."""
        L, n = self.n_systems, self.n_systems * self.dim
        R = mean_variance(self.regression)
        eta = float(np.clip(np.exp(np.clip(-place[self.at], -700.0, 700.0)), SMALLEST * R, LARGEST * R))
        level = np.log(L * eta)
        variances = L * eta * self.ratios
        if self.products:
            variances = np.exp(np.clip(place[n : n + L], level - np.log(WIDEST), level + np.log(WIDEST)))
        cumulants = (*map(float, place[self.at + 1 :]), 0.0, 0.0)[:2]
        return Values(
            place[:n].reshape(L, self.dim), variances, eta, removed_share(L * eta, self.regression), cumulants
        )


class Values(NamedTuple):
    """Parameters (L, D), variances of v' (L,), eta, the removed share, and skewness and excess of the own noises."""

    theta: Floats
    variances: Floats
    eta: float
    share: float
    cumulants: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SharedFit:
    """An estimate with a shock.

    Attributes
    ----------
    theta : (L, D)
    cov : (L D, L D)
        Sum of the outer products of the sets' influences.
    variances : (L,)
        Of the systems' own noises.
    shock_variance : float
        g; negative for noises that go against each other.
    z : float
        g over its standard error.
    share : float
        The kappa by which the sets were decorrelated.
    converged : bool
    contradicted : bool
        Whether products contradict the values, which were then left as they are.
    identified : bool
        Whether the equations tell all unknowns: values alone do not, under constant inputs.
    model, place, bread
        From which `influences` are computed.
    """

    theta: Floats
    cov: Floats
    variances: Floats
    shock_variance: float
    z: float
    share: float
    converged: bool
    model: Model
    place: Floats
    bread: Floats
    identified: bool
    contradicted: bool = False

    @property
    def noise_variance(self) -> float:
        """The mean variance of the systems' own noises."""
        return float(self.variances.mean())

    @property
    def correlation(self) -> float:
        """Of the noises of two systems."""
        return self.shock_variance / (self.shock_variance + self.noise_variance)

    @property
    def noise(self) -> Floats:
        """(1, 1) the same as a covariance."""
        return np.array([[self.noise_variance]])

    @property
    def skewness(self) -> float:
        """Of the systems' own noises, as far as the sets tell."""
        return self.model.values(self.place).cumulants[0]

    @property
    def own_level(self) -> float:
        """L eta: the mean variance of the own noises by which the sets were decorrelated."""
        return self.model.n_systems * self.model.values(self.place).eta

    def influences(self, block: Data) -> Floats:
        """(n, L D) each set's influence on the estimate."""
        return _influences(block, self.model, self.place, self.bread)[:, :-1]

    def level_influences(self, block: Data) -> Floats:
        """(n,) each set's influence on `own_level`."""
        L, regression = self.model.n_systems, self.model.regression
        of_shock = _influences(block, self.model, self.place, self.bread)[:, -1]
        of_mean = (mean_residuals(block, regression) ** 2 - mean_variance(regression)) / regression.n_sets
        return np.asarray(L * (of_mean - of_shock))  # eta = R - g


def fit_shared(passes: Passes, regression: SumRegression, theta: Floats, own: float) -> SharedFit:
    """The estimate from parameters (L, D) and a mean of the own variances nearby; of values, and of products where they help.

    The values need the ratios of the variances, which the products tell; the products need, beyond that, a spread that does not change
    from set to set. Where the two contradict each other, the values alone decide. They also do where they are the more precise ones, as under
    noise with heavy tails, unless it is skewed, which they do not see.
    """
    L, D = theta.shape
    shape = rank_shape(passes, regression, theta, own)
    inverse = scaled_inverse(passes.total(lambda block, _: _outer(rows_of(block))))
    alone = Model(regression, D, False, shape, inverse, np.ones(L))
    if not 1 < L <= MOST_SYSTEMS or regression.n_sets < FEWEST * L * (D + 1):
        return _values(passes, alone, theta, own)
    products = _first_converged(passes, replace(alone, products=True), theta, own)
    if products is None:
        return _values(passes, alone, theta, own)
    now = products.model.values(products.place)
    values = _solved(passes, replace(alone, ratios=now.variances / now.variances.mean()), products.theta, L * now.eta)
    if not values.converged or not values.identified:
        return products
    chance = _chance(passes, products, values)
    if chance < CONTRADICTION:
        return replace(values, contradicted=True)
    worse = np.mean(np.diag(products.cov) / np.diag(values.cov)) >= WORSE
    skewed = abs(products.skewness - values.skewness) > SKEWED
    return values if worse and chance > DOUBTED and not skewed else products


def _first_converged(passes: Passes, model: Model, theta: Floats, own: float) -> SharedFit | None:
    """The solution from the first of some own variances that leads to one: skewed noise makes the size that is found first far too small."""
    every = (_solved(passes, model, theta, times * own) for times in TRIED)
    return next((one for one in every if one.converged), None)


def _values(passes: Passes, model: Model, theta: Floats, own: float) -> SharedFit:
    """The estimate of the values alone: none where they do not tell all unknowns."""
    found = _solved(passes, model, theta, own)
    return replace(found, converged=found.converged and found.identified)


def _chance(passes: Passes, products: SharedFit, values: SharedFit) -> float:
    """The least probability, by chance, of the differences between the parameters that products and values give, and between own noises."""
    spread = passes.total(lambda block, _: _outer(_all(products, block) - _all(values, block)))
    of_theta = chance_of(products.theta - values.theta, spread[:-1, :-1], values.cov)
    apart = (products.own_level - values.own_level) ** 2 / max(float(spread[-1, -1]), 1e-300)
    return min(of_theta, chi_square_tail(1, apart))


def _all(one: SharedFit, block: Data) -> Floats:
    """(n, L D + 1) each set's influence on the parameters and, last, on the own noise."""
    return np.column_stack([one.influences(block), one.level_influences(block)])


def rank_shape(passes: Passes, regression: SumRegression, theta: Floats, own: float) -> tuple[float, float]:
    """Skewness and kurtosis of the distances between readings and means of the same rank, for weights."""
    share = removed_share(own, regression)

    def work(block: Data, _: int) -> Floats:
        apart = decorrelate(block, regression, share) - np.sort(rows_of(block) @ theta.T, axis=1)
        square = apart**2 / own
        return np.array([apart.size, square.sum(), (apart * square).sum() / np.sqrt(own), (square**2).sum()])

    count, second, third, fourth = passes.total(work)
    second = second / count
    return held(third / count / second**1.5, fourth / count / second**2)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums(Sums):
    information: Floats
    score: Floats


def block_scores(block: Data, model: Model, now: Values) -> tuple[Floats, Floats, Floats]:
    """Information, score and each set's score (n, .) of a block, about the unknowns; that of g' in units of eta."""
    from vieta.weighted.shared_products import shared_products

    law = joint_law(
        now.share, model.n_systems, unequal=True, own=(now.cumulants[0], now.cumulants[1]), mean=model.mean_shape
    )
    sets = decorrelate(block, model.regression, now.share)
    H, g, scores = shared_products(
        sets, rows_of(block), now.theta, now.variances, model.shape, law, products=model.products
    )
    unit = np.ones(len(model.kept))
    unit[model.at] = now.eta
    kept = model.kept
    return H[np.ix_(kept, kept)] * np.outer(unit, unit), g[kept] * unit, scores[:, kept] * unit


def _solved(passes: Passes, model: Model, theta: Floats, own: float) -> SharedFit:
    def equations(place: Floats) -> tuple[Floats, Floats]:
        sums = _sums(passes, model, place)
        return sums.information, sums.score

    found = find_root(equations, lambda *_: 1.0, model.unknowns(theta, own))
    near = model.regression.moved(model.values(found.theta).theta, theta) <= FARTHEST * np.sqrt(own)
    H = _sums(passes, model, found.theta).information
    bread = scaled_inverse(H, rcond=1e-12)
    outer = passes.total(lambda block, _: _outer(_influences(block, model, found.theta, bread)))
    now = model.values(found.theta)
    g = mean_variance(model.regression) - now.eta
    variances = own_variances(now.variances, now.share)
    z = g / float(np.sqrt(outer[-1, -1]))
    known = _is_regular(H)
    return SharedFit(
        now.theta,
        outer[:-1, :-1],
        variances,
        g,
        z,
        now.share,
        found.converged and near,
        model,
        found.theta,
        bread,
        known,
    )


def _is_regular(H: Floats) -> bool:
    """Whether information (n, n) leaves no direction unknown, in units of its diagonal."""
    scale = np.sqrt(np.maximum(np.diag(H), 1e-300))
    return bool(np.linalg.eigvalsh(H / np.outer(scale, scale))[0] > UNKNOWN)


def _sums(passes: Passes, model: Model, place: Floats) -> _Sums:
    """One pass: what a step needs, and the prior."""
    now = model.values(place)

    def work(block: Data, _: int) -> _Sums:
        H, g, _scores = block_scores(block, model, now)
        return _Sums(H, g)

    sums = passes.total(work)
    for i, sd in enumerate(PRIOR[: len(place) - model.at - 1]):
        at = model.at + 1 + i
        sums.information[at, at] += sd**-2
        sums.score[at] -= place[at] * sd**-2
    return sums


def _influences(block: Data, model: Model, place: Floats, bread: Floats) -> Floats:
    """(n, L D + 1) each set's influence on the parameters and, last, on g."""
    now, n = model.values(place), model.n_systems * model.dim
    regression = model.regression
    own = block_scores(block, model, now)[2] @ bread
    residuals = mean_residuals(block, regression)
    mean = (rows_of(block) * residuals[:, None]) @ model.inverse
    R = mean_variance(regression)
    size = now.eta * own[:, model.at] + (1.0 - now.eta / R) * (residuals**2 - R) / regression.n_sets
    return np.column_stack([own[:, :n] + now.share * np.tile(mean, model.n_systems), size])


def _outer(rows: Floats) -> Floats:
    """The sum of the outer products of rows (n, q)."""
    return np.asarray(rows.T @ rows)
