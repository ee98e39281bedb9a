r"""What answers can tell: the Cramér-Rao bound of unlabeled sets of answers, how many sets are needed, and the price of rounding.

The bound after n sets is :math:`(n I)^{-1}`, I the mean Fisher information of a set over the inputs and known numbers that are given: exact for
right and wrong answers, over all sets of levels for scales where these are few, by simulated answers for other families. With labels a system
is a set of one. For levels that is the bound of Wang and Yin (Automatica 43, 2007), for one input and N answers with M - 1 thresholds
:math:`C_i` and noise of a known law F,

.. math:: \Bigl(N \sum_{i=1}^{M} h_i^2 / \tilde p_i\Bigr)^{-1}, \qquad
    \tilde p_i = F(C_i - \psi\theta) - F(C_{i-1} - \psi\theta), \quad h_i = \partial \tilde p_i / \partial\theta .

A number with normal noise that is rounded to a step tells less. With labels, at a mean m,

.. math:: I(m) = \frac{1}{\sigma^2} \sum_y \frac{(\varphi(a_y) - \varphi(b_y))^2}{\Phi(b_y) - \Phi(a_y)}, \qquad
    a_y, b_y = \frac{y \mp \Delta/2 - m}{\sigma},

and the variance of an estimate grows by :math:`1/(\sigma^2 \bar I)`: by :math:`1 + \Delta^2/12\sigma^2`, nearly, for small steps.
"""

from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.answers import families
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerLikelihood, predictors
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.count import CountLikelihood
from vieta.answers.intervals import interval
from vieta.answers.number_findings import rounding_bias as first_harmonic
from vieta.answers.ordinal import OrdinalLikelihood
from vieta.answers.rounded import RoundedLikelihood
from vieta.arrays import Floats
from vieta.checks import as_floats, as_number, as_size, as_theta
from vieta.errors import InputError
from vieta.laws import answers as laws
from vieta.predictions import PerSet
from vieta.quantiles import two_sided
from vieta.sets import Data, as_data, with_known

DRAWS = 20_000  # sets of simulated answers
PHASES = 64  # places of a mean within a step
REACH = 8.0  # deviations that are summed over


def answer_bound(
    theta: ArrayLike,
    law: laws.Answers,
    inputs: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    *,
    labeled: bool = False,
    sd: float = 1.0,
    draws: int = DRAWS,
    seed: int = 0,
) -> PerSet:
    """The Cramér-Rao bound of parameters (L,) or (L, D) from unlabeled sets of answers, or from labeled ones.

    Parameters
    ----------
    theta
        The parameters.
    law
        A law of `vieta.laws.answers`. Thresholds are known; a dispersion above one and the noise of rounded numbers are not.
    inputs, offset
        The inputs (n,) or (n, D) and known numbers (n,) of some sets, over which it is averaged; one set without either if both are absent.
    labeled
        Whether it is known which answer is whose.
    sd
        Deviation of the noise, for rounded numbers.
    draws, seed
        Sets of simulated answers, where not all sets are gone through: for counts, rounded numbers, and levels with more sets than that.

    >>> from vieta.laws.answers import Binary
    >>> items = np.linspace(-3.0, 3.0, 61)
    >>> answer_bound((-1.0, 1.0), Binary(), offset=items).stderr(500).ravel().round(2)
    array([0.15, 0.15])
    >>> answer_bound((-1.0, 1.0), Binary(), offset=items, labeled=True).stderr(500).ravel().round(2)
    array([0.12, 0.12])
    """
    parameters, most = as_theta(theta), as_size(draws, "draws")

    def of(some: Floats) -> Floats:
        return _information(some, _design(some, inputs, offset), law, sd, most, seed)

    information = _joined([of(one[None]) for one in parameters], parameters.size) if labeled else of(parameters)
    n = parameters.size
    return PerSet(parameters, inverse(information)[:n, :n])


def answers_needed(theta: ArrayLike, law: laws.Answers, tolerance: float, *, level: float = 0.95, **design: Any) -> int:
    """How many sets it takes until every parameter is known to plus or minus `tolerance` with a probability `level`, at best.

    Other arguments are those of `answer_bound`.

    >>> from vieta.laws.answers import Binary
    >>> answers_needed((-1.0, 1.0), Binary(), 0.2, offset=np.linspace(-3.0, 3.0, 61))
    1119
    """
    width = as_number(tolerance, "tolerance", above=0.0) / two_sided(
        as_number(level, "level", above=0.0, below=1.0), np.inf
    )
    largest = float(np.diag(answer_bound(theta, law, **design).covariance).max())
    return max(int(np.ceil(largest / width**2)), 1)


def rounding_price(step: float, sd: float = 1.0) -> float:
    """By what rounding to a step makes the variance of a labeled estimate grow, for means that lie anywhere within a step.

    >>> round(rounding_price(0.5), 4), round(rounding_price(2.0), 2)
    (1.0208, 1.33)
    """
    width = as_number(step, "step", above=0.0) / as_number(sd, "sd", above=0.0)
    means = width * (np.arange(PHASES) + 0.5) / PHASES
    values = width * np.arange(-np.ceil(REACH / width) - 1.0, np.ceil(REACH / width) + 2.0)
    a = values - 0.5 * width - means[:, None]
    found = interval("probit", a, a + width)
    information = (np.exp(found.log) * (found.lower - found.upper) ** 2).sum(axis=1)
    return float(1.0 / information.mean())


def quantization_price(thresholds: ArrayLike, means: ArrayLike, sd: float = 1.0) -> float:
    r"""By what a scale makes the variance of a labeled estimate grow: numbers with normal noise at some means, of which only the level is seen.

    .. math:: \bigl(\sigma^2 \bar I\bigr)^{-1}, \qquad
        I(m) = \frac{1}{\sigma^2} \sum_j \frac{(\varphi(a_j) - \varphi(a_{j+1}))^2}{\Phi(a_{j+1}) - \Phi(a_j)},
        \qquad a_j = \frac{c_j - m}{\sigma} .

    It is the bound of Wang and Yin over that of the numbers themselves. One threshold in the middle costs :math:`\pi/2`; evenly spaced ones
    without end, `rounding_price` of their distance. Without labels the price is `answer_bound` over `cramer_rao`.

    Parameters
    ----------
    thresholds : (M - 1,)
        Where levels meet, ascending.
    means : (n,)
        Over which information is averaged.
    sd
        Deviation of the noise.

    >>> round(quantization_price([0.0], [0.0]), 4)
    1.5708
    >>> [round(quantization_price(np.linspace(-1.5, 1.5, M - 1) if M > 2 else [0.0], np.linspace(-1, 1, 9)), 2) for M in (2, 3, 5, 9)]
    [1.82, 1.8, 1.12, 1.06]
    """
    cuts, centres, deviation = (
        as_floats(thresholds, "thresholds"),
        as_floats(means, "means"),
        as_number(sd, "sd", above=0.0),
    )
    if cuts.ndim != 1 or not cuts.size or (np.diff(cuts) <= 0.0).any():
        raise InputError("thresholds-order", "`thresholds` must be ascending numbers, got {value!r}.", value=thresholds)
    a = (np.concatenate([[-np.inf], cuts, [np.inf]]) - np.ravel(centres)[:, None]) / deviation
    found = interval("probit", a[:, :-1], a[:, 1:])
    information = (np.exp(found.log) * (found.lower - found.upper) ** 2).sum(axis=1)
    return float(1.0 / information.mean())


def rounding_bias(step: float, sd: float = 1.0) -> float:
    r"""The most by which rounding moves the mean of a number with normal noise: :math:`(\Delta/\pi)\,e^{-2\pi^2\sigma^2/\Delta^2}` and less.

    It is what an estimate that ignores the rounding is off by, at the worst place of the mean within a step.

    >>> round(rounding_bias(2.0), 4), round(rounding_bias(1.0), 6)
    (0.0046, 0.0)
    """
    return first_harmonic(as_number(step, "step", above=0.0), as_number(sd, "sd", above=0.0))


def dither_price(step: float, sd: float = 1.0) -> float:
    r"""By what a uniform dither of one step, before rounding, makes the variance of a mean grow: :math:`1 + \Delta^2/6\sigma^2`.

    The mean is unbiased then. A twelfth of the squared step is the dither's, and another one that of rounding, averaged over places of the
    mean within a step.

    >>> round(dither_price(2.0), 4)
    1.6667
    """
    width = as_number(step, "step", above=0.0) / as_number(sd, "sd", above=0.0)
    return 1.0 + width**2 / 6.0


def _design(theta: Floats, inputs: ArrayLike | None, offset: ArrayLike | None) -> Data:
    """Sets without answers, with the inputs and known numbers that are given."""
    given = [np.shape(one)[0] for one in (inputs, offset) if one is not None and np.ndim(one)]
    data = with_known(as_data(np.zeros((given[0] if given else 1, len(theta))), inputs), offset)
    if data.dim != theta.shape[1]:
        raise InputError(
            "design-shape",
            "inputs of {dim} number(s) a set do not fit {needed} parameter(s) a system.",
            dim=data.dim,
            needed=theta.shape[1],
        )
    return data


def _likelihood(theta: Floats, law: laws.Answers, sd: float) -> tuple[AnswerLikelihood, Floats]:
    """The likelihood of a law, and what is unknown beside the parameters."""
    L, D = theta.shape
    if isinstance(law, laws.Binary):
        return BinaryLikelihood(L, D, law.link, law.flipped), np.empty(0)
    if isinstance(law, laws.Ordinal):
        cuts = as_floats(law.thresholds, "thresholds")
        return OrdinalLikelihood(L, D, law.link, len(cuts) + 1, cuts, False, law.flipped), np.empty(0)
    if isinstance(law, laws.Count):
        dispersed = law.dispersion > 1.0
        return CountLikelihood(L, D, dispersed), np.log([law.dispersion - 1.0]) if dispersed else np.empty(0)
    if isinstance(law, laws.Rounded) and not law.dither:
        return RoundedLikelihood(L, D, law.step), np.log([as_number(sd, "sd", above=0.0)])
    raise InputError(
        "no-bound-of-law",
        "the bound of {law!r} is not known: families are {known}, and rounded numbers without dither.",
        law=law,
        known=", ".join(families.every()),
    )


def _information(theta: Floats, design: Data, law: laws.Answers, sd: float, draws: int, seed: int) -> Floats:
    """(m, m) the mean information of a set about the parameters and what is unknown beside them."""
    likelihood, beside = _likelihood(theta, law, sd)
    u = np.concatenate([theta.ravel(), beside])
    if isinstance(likelihood, OrdinalLikelihood) and len(design) * _n_sets(likelihood) <= draws:
        return _over_levels(likelihood, design, u)
    if not isinstance(likelihood, BinaryLikelihood):
        design = _simulated(design, theta, law, sd, draws, seed)
    return np.asarray(likelihood.sums(design, u).information / len(design))


def _joined(each: list[Floats], n: int) -> Floats:
    """The information of systems one by one, of which each has parameters of its own, n in all, and all share what is beside them."""
    D = n // len(each)
    beside = np.arange(n, n + len(each[0]) - D)
    total = np.zeros((n + len(beside), n + len(beside)))
    for l, one in enumerate(each):
        place = np.concatenate([np.arange(l * D, (l + 1) * D), beside])
        total[np.ix_(place, place)] += one
    return total


def _n_sets(law: OrdinalLikelihood) -> int:
    """How many sets of levels there are."""
    return comb(law.levels + law.n_systems - 1, law.n_systems)


def _over_levels(law: OrdinalLikelihood, design: Data, u: Floats) -> Floats:
    """The mean information over all sets of levels: squares of scores, weighted by probability, a permanent over the orders that are alike."""
    sets = np.array(list(combinations_with_replacement(range(1, law.levels + 1), law.n_systems)), dtype=np.float64)
    alike = [prod(factorial(int((one == y).sum())) for y in set(one)) for one in sets]
    many = design.at(np.repeat(np.arange(len(design)), len(sets)))
    many = Data(np.tile(sets, (len(design), 1))[:, :, None], many.inputs, many.dim, known=many.known)
    weights = np.exp(law.scores(many, u)[0]) / np.tile(alike, len(design))
    return law.weighted(many, u, weights) / len(design)


def _simulated(design: Data, theta: Floats, law: laws.Answers, sd: float, draws: int, seed: int) -> Data:
    """About so many sets of simulated answers, over all inputs alike."""
    rng = np.random.default_rng(seed)
    many = design.at(np.tile(np.arange(len(design)), max(draws // len(design), 1)))
    eta = predictors(many, theta)[:, :, None]
    sets = law.draw(rng, eta, sd * rng.standard_normal(eta.shape))
    return Data(sets, many.inputs, many.dim, known=many.known)
