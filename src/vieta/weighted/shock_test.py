r"""Whether the noises of the systems are independent of each other: a score test that needs no noise law.

At the estimate that takes them as independent, values and their products have scores about the parameters, the variances and a covariance g
of every two noises (`shared_products`); their sums come with the refinement's last pass, or from a pass of their own. One step of scoring
from there gives

.. math:: \hat g = \bigl(H^{-1} \textstyle\sum s_k\bigr)_g, \qquad
    z = \hat g \Big/ \sqrt{\bigl(H^{-1} \textstyle\sum s_k s_k'\,H^{-1}\bigr)_{gg}} ,

standard normal where noises of mean zero are independent across systems, whatever their laws and variances. The products let it tell a shock
from noise where the values alone cannot: under constant inputs, too, if the systems are apart. But they take the spread of the noise as the
same in all sets; a scale that changes from set to set, for all systems alike, looks to them like noises that go against each other. So a
negative g must be seen by the values alone.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes, Sums, in_memory
from vieta.weighted.decorrelation import rows_of
from vieta.weighted.scaled_inverse import scaled_inverse

SURE = 3.6  # z-values beyond which noises count as dependent
FEWEST_SETS = 50
MOST_SYSTEMS = 10  # with products
PASSES = 6
SHORT = 2.0  # length of a step, for each unknown, that does not matter any more
WORK = 2e8  # operations, roughly, that the products may take
IDENTIFIED = 1e-3  # information about g that parameters and variances must leave
LIKELY = 0.5  # correlation of which the test should say whether it is there
POWER = 1.6  # standard errors beyond `SURE` at which it says so in 19 of 20 cases
NORMAL = (0.0, 3.0)  # skewness and kurtosis, which values do not use
HARM = 5.0  # standard errors by which an estimate must be off to matter


class Dependence(NamedTuple):
    """Of a common covariance g: its z-value, its standard error, by how many standard errors a unit of it moves the estimate, and whether
    the estimate without it was reached.
    """

    z: float
    stderr: float
    harm: float
    settled: bool


NOTHING = Dependence(0.0, float("inf"), 0.0, True)


def dependence_test(
    passes: Passes, n_sets: int, theta: Floats, variances: Floats, shape: tuple[float, float]
) -> Dependence:
    """The test, from parameters (L, D) and variances (L,) near the estimate; `shape` is the skewness and the kurtosis of the noise.

    For many systems, products of some sets and the values of all of them are tested, and the larger z-value counts.
    """
    L = len(theta)
    if L < 2 or n_sets < FEWEST_SETS:
        return NOTHING
    affordable = int(WORK / (3.0 * L) ** 3)
    if L > MOST_SYSTEMS or affordable < n_sets:
        found = _tested(passes, theta, variances, shape, products=False)
        if L > MOST_SYSTEMS:
            return found
        some = in_memory(passes.spread(max(affordable, FEWEST_SETS), n_sets))
        return max(found, _tested(some, theta, variances, shape, products=True), key=lambda one: abs(one.z))
    return confirmed(passes, _tested(passes, theta, variances, shape, products=True), theta, variances)


def confirmed(passes: Passes, found: Dependence, theta: Floats, variances: Floats) -> Dependence:
    """What was found with products; where that speaks of a negative g, what the values alone say."""
    return found if found.z > -SURE else _tested(passes, theta, variances, NORMAL, products=False)


def is_unknowable(found: Dependence, total: float, n_systems: int) -> bool:
    """Whether a shock that makes up much of the noise would bias the estimate and not be found; `total` is the sums' variance over L."""
    g = LIKELY * total / (1.0 + (n_systems - 1) * LIKELY)
    return g * found.harm > HARM and g < (SURE + POWER) * found.stderr


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTest(Sums):
    """Information (n, n), score (n,) and the sum of the scores' outer products (n, n) at an estimate without g; last is g."""

    information: Floats
    score: Floats
    meat: Floats

    def conclusion(self, n: int) -> Dependence:
        """What they tell; the first n numbers are parameters."""
        H, cross, own = self.information[:-1, :-1], self.information[:-1, -1], self.information[-1, -1]
        inverse = scaled_inverse(H, rcond=1e-12)
        slope = inverse @ cross  # by which the estimate moves with g
        left = own - cross @ slope
        spread = np.sqrt(np.maximum(np.diag(inverse @ self.meat[:-1, :-1] @ inverse)[:n], 1e-300))
        harm = float(np.max(abs(slope[:n]) / spread))
        if not left > IDENTIFIED * own:
            return NOTHING._replace(harm=harm)
        effective = np.append(-slope, 1.0)
        stderr = float(np.sqrt(effective @ self.meat @ effective)) / left
        return Dependence(float(effective @ self.score) / left / stderr, stderr, harm, True)


def _tested(
    passes: Passes, theta: Floats, variances: Floats, shape: tuple[float, float], *, products: bool
) -> Dependence:
    L, D = theta.shape
    kept = [*range(L * (D + products)), L * (D + 1)]  # values tell nothing about variances
    for _ in range(PASSES):
        sums = _sums(passes, theta, variances, shape, kept, products=products)
        if not np.isfinite(sums.information).all():
            return NOTHING._replace(settled=False)
        H, g = sums.information[:-1, :-1], sums.score[:-1]
        step = scaled_inverse(H, rcond=1e-12) @ g
        settled = bool(g @ step < SHORT * len(step))
        if settled:
            break
        theta = theta + step[: L * D].reshape(L, D)
        if products:
            variances = variances * np.exp(np.clip(step[L * D :], -1.0, 1.0))
    return sums.conclusion(L * D)._replace(settled=settled)


def _sums(
    passes: Passes, theta: Floats, variances: Floats, shape: tuple[float, float], kept: list[int], *, products: bool
) -> ScoreTest:
    from vieta.weighted.shared_products import accumulate_products

    def work(block: Data, _: int) -> ScoreTest:
        sets = np.sort(block.sets[:, :, 0], axis=1)
        found = accumulate_products(sets, rows_of(block), theta, variances, *shape, products=products)
        both = np.ix_(kept, kept)
        return ScoreTest(found.information[both], found.score[kept], found.meat[both])

    return passes.total(work)
