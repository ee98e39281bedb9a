r"""Whether sets contradict what is assumed of misses and false readings.

Each assumption is a score that would be zero on average (`vieta.adaptive.assumed_scores`). With :math:`w_l = \sum_i P_{il}` and
:math:`m_l = \Psi\theta_l`,

.. math:: \text{misses do not depend on the value: } \sum_l (w_l - p_l)\,m_l, \qquad
    \text{false readings not on the input: } \sum_i P_{i0} (y_i - \bar c)'\Psi ,

the scores of :math:`\mathrm{logit}\,p_l + \beta' m_l` and of :math:`c(y)\,e^{\gamma' \Psi'(y - \bar c)}`, given each system's own surplus of
readings and the mean of the false ones; and

.. math:: \text{sizes: } (n - \mu)^2 - v, \qquad \mu = \sum_l p_l + \Lambda, \quad v = \sum_l p_l q_l + \Lambda .

That what happens in a set does not depend on the sets before is tested by products over time (`vieta.long_run`).
"""

from dataclasses import dataclass

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.assumed_scores import Outcome, Scored, score_test
from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.set_errors import all_scores
from vieta.adaptive.set_findings import FEW
from vieta.adaptive.set_model import LEAST, Expectation, SetModel, by_set, expect
from vieta.adaptive.set_sums import pieces
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.laws.linear import respond
from vieta.long_run import Persistence
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.sum_regression import as_matrices

LEVEL = 7e-6  # probability of a false alarm, of each test
SURE = 4.5  # standard errors that have this probability
ENOUGH = 100  # sets, below which nothing is tested


@dataclass(frozen=True, slots=True, eq=False)
class AssumptionSums(Sums):
    """Scores of what was estimated and of what was assumed; what tells whether misses, and false readings, last; and squares of sizes."""

    scores: Scored
    misses: Persistence
    false: Persistence
    squares: float


@dataclass(frozen=True, slots=True, eq=False)
class Assumptions:
    """What the sets say about each assumption; the variance of their sizes, and that which is expected."""

    misses: Outcome
    clutter: Outcome
    sizes: Outcome
    misses_last: float
    clutter_lasts: float
    variance: float
    expected: float


def assumptions(passes: Passes, found: AdaptiveFit) -> Assumptions:
    """All tests, in one pass."""
    model, free = found.chosen.model, found.chosen.free
    counts, (L, D), p = found.chosen.climbed.sums.clutter, found.chosen.model.theta.shape, passes.like.reading_dim
    sizes = np.sqrt(np.maximum(np.diag(found.known.gram) / found.known.n_sets, 1e-300))
    J = 1 if model.law.weights is None else len(model.law.weights)
    cut = passes.cut(lambda block: pieces(block, L, J))

    def work(piece: Data, _: int) -> AssumptionSums:
        known = expect(piece, model)
        w, false, offset, rest = assumed_scores(piece, model, known, sizes)
        h = np.concatenate([all_scores(piece, model, known, free, counts), w, offset, rest], axis=1)
        squares = float(rest[:, -1].sum())
        return AssumptionSums(
            Scored.of(h), Persistence.of(w[:, :, None]), Persistence.of(false[:, None, None]), squares
        )

    sums = cut.total(work)
    at = len(sums.scores.totals) - (p + D + 1)
    values, by_input, of_sizes = at + np.arange(p), at + p + np.arange(D), np.array([at + p + D])
    seen, also_false = (
        np.arange(at - p),
        np.arange(at),
    )  # without false readings, their offset is rounding that looks like a score
    misses, clutter = score_test(sums.scores, seen, values), score_test(sums.scores, also_false, by_input)
    beyond = score_test(sums.scores, seen, of_sizes)
    expected = size_moments(model)[1]
    variance = expected + sums.squares / found.known.n_sets
    return Assumptions(misses, clutter, beyond, lasting(sums.misses), lasting(sums.false), variance, expected)


def assumed_scores(
    data: Data, model: SetModel, found: Expectation, sizes: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Surplus of each system (N, L) and of false readings (N,), the offset of these (N, p), and scores of what is assumed (N, p + D + 1).

    `sizes` (D,) are those of the inputs, typically.
    """
    readings, offsets = data.flat
    means = respond(data.inputs, np.broadcast_to(model.theta, (len(data), *model.theta.shape)))
    middle, spread = clutter_moments(model.clutter)
    w = by_set(found.pairs, offsets) - model.detection
    surplus = by_set(found.false, offsets) - model.rate
    away = by_set(found.false[:, None] * (readings - middle) / spread, offsets)
    by_value = np.einsum("nl,nlp->np", w, (means - middle) / spread)
    by_input = np.einsum("np,npd->nd", away, as_matrices(data)) / sizes
    mean, variance = size_moments(model)
    beyond = (np.diff(offsets) - mean) ** 2 - variance
    return w, surplus, away, np.column_stack([by_value, by_input, beyond])


def clutter_moments(density: ClutterDensity) -> tuple[Floats, Floats]:
    """Mean and deviation (p,) of a density of false readings.

    >>> clutter_moments(ClutterDensity(np.zeros(1), np.ones(1), np.array([[0.5, 0.5]])))[0]
    array([1.])
    """
    share = density.heights * density.width[:, None]
    centres = density.low[:, None] + density.width[:, None] * (np.arange(share.shape[1]) + 0.5)
    mean = (share * centres).sum(axis=1) / share.sum(axis=1)
    variance = (share * (centres - mean[:, None]) ** 2).sum(axis=1) / share.sum(axis=1)
    return np.asarray(mean), np.asarray(np.sqrt(variance + density.width**2 / 12.0))


def size_moments(model: SetModel) -> tuple[float, float]:
    """Mean and variance of the size of a set."""
    p, rate = model.detection, model.rate if model.rate > LEAST else 0.0
    return float(p.sum() + rate), float((p * (1.0 - p)).sum() + rate)


def lasting(found: Persistence) -> float:
    """The largest z-value of products over time."""
    return float((found.totals / np.sqrt(np.maximum(found.squares, 1e-300))).max())


def of_assumptions(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """Findings where sets contradict what is assumed."""
    free = found.chosen.free
    if found.known.n_sets < ENOUGH or (free.detection == "none" and not free.rate):
        return ()
    told = assumptions(passes, found)
    missed = free.detection != "none"
    n_missed = found.known.n_sets * float((1.0 - found.chosen.model.detection).sum())
    n_false = found.known.n_sets * found.chosen.model.rate
    some_missed, some_false = missed and n_missed > FEW, free.rate and n_false > FEW  # else they are rounding
    by_value = some_missed and told.misses.p_value < LEVEL
    by_input = some_false and told.clutter.p_value < LEVEL
    sizes = finding("sizes-unlikely", variance=told.variance, expected=told.expected, z=told.sizes.z)
    return (
        *((finding("misses-follow-value", z=told.misses.z),) if by_value else ()),
        *((finding("clutter-follows-input", z=told.clutter.z),) if by_input else ()),
        *((sizes,) if told.sizes.p_value < LEVEL else ()),
        *((finding("misses-last", z=told.misses_last),) if some_missed and told.misses_last > SURE else ()),
        *((finding("clutter-lasts", z=told.clutter_lasts),) if some_false and told.clutter_lasts > SURE else ()),
    )
