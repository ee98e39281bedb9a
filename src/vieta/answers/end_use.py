r"""Whether the ends of a scale are used too often: tests of a share of answers that are an end in the place of their level.

With the probability :math:`\varepsilon` a level is exchanged for an end, so that its probability becomes

.. math:: P'(y) = (1 - \varepsilon)\,P(y) + \varepsilon\,Q(y) .

*At random*: whatever the level was, :math:`Q(1) = Q(M) = 1/2`. Ends are then used where they are hardly expected, which thresholds cannot
imitate. *The nearer one*: levels below the middle become the lowest, those above it the highest, :math:`Q(1) = P(y \le \lfloor M/2 \rfloor)`.
Where thresholds are estimated they take nearly all of that up, and no test sees it; it is tested where they are given.

The tests are those of the likelihood ratio, all unknowns estimated again. Those of scores at :math:`\varepsilon = 0` report what is not there,
and miss what is: their variances hang on few answers.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.answers.answer_climb import Climb, climb
from vieta.answers.answer_likelihood import predictors
from vieta.answers.association_likelihood import AssociationLikelihood, Kept
from vieta.answers.flips import kept, mixed
from vieta.answers.links import LINKS
from vieta.answers.ordinal import OrdinalLikelihood, levels_of
from vieta.answers.score_test import ScoreTest
from vieta.arrays import Floats
from vieta.sets import Data
from vieta.sums import Passes
from vieta.tails import chi_square_tail

START = 0.03  # share that the climb begins with
LEAST, MOST = 1e-6, 0.9
GAIN = 1e-3  # log-likelihood: a step that gains less ends the climb


@dataclass(frozen=True, slots=True, eq=False)
class EndsLikelihood(AssociationLikelihood):
    """The likelihood of levels of a `law` of which a share is exchanged for an end; the logarithm of the share is the last of the unknowns.

    For an end at random, or the `nearer` one: thresholds are then given.
    """

    law: OrdinalLikelihood
    nearer: bool = False

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """L."""
        return self.law.n_systems

    @property
    def dim(self) -> int:  # type: ignore[override]
        """D."""
        return self.law.dim

    @property
    def n_nuisance(self) -> int:  # type: ignore[override]
        """Those of the law, and the share."""
        return self.law.n_nuisance + 1

    def of_size(self, n_systems: int) -> "EndsLikelihood":
        """The same of another number of systems."""
        return replace(self, law=self.law.of_size(n_systems))

    def moved(self, u: Floats, step: Floats) -> Floats:
        """The unknowns after a step; the share stays one."""
        there = u + step
        there[-1] = np.clip(there[-1], np.log(LEAST), np.log(MOST))
        return there

    def logs(self, block: Data, u: Floats) -> tuple[Floats, Kept]:
        """(n, L, L) log probabilities of levels."""
        logs, (lower, upper) = self.law.logs(block, u[:-1])
        P, share = np.exp(logs), float(np.exp(u[-1]))
        Q, by_lower, by_upper = self._exchanged(block, u[:-1], P, lower, upper)
        after = (1.0 - share) * P + share * Q
        lower, upper = (
            ((1.0 - share) * P * one + share * other) / after for one, other in ((lower, by_lower), (upper, by_upper))
        )
        return np.log(after), (lower, upper, share * (Q - P) / after)

    def _exchanged(
        self, block: Data, u: Floats, P: Floats, lower: Floats, upper: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Q (n, L, L), and its slopes by the bounds of levels."""
        level, M, r = levels_of(block)[:, :, None], self.law.levels, self.law.flipped
        if not self.nearer:
            nothing = np.zeros(P.shape)
            return mixed(0.5 * ((level == 1) | (level == M)), r, M) + nothing, nothing, nothing
        link, side, c, left = LINKS[self.law.link], M // 2, self.law.thresholds(u), kept(r, M)
        eta = predictors(block, self.law.theta(u))[:, None, :]
        below, above = c[side - 1] - eta, eta - c[M - side - 1]
        stays = (level > side) & (level <= M - side)
        gone = np.where(level == 1, link.mean(below), np.where(level == M, link.mean(above), 0.0))
        return (
            np.where(stays, P, mixed(gone, r, M)),
            np.where(stays, P * lower, np.where(level == M, left * link.slope(above), 0.0)),
            np.where(stays, P * upper, np.where(level == 1, left * link.slope(below), 0.0)),
        )

    def told(self, block: Data, u: Floats) -> Floats:
        """That of the law."""
        return self.law.told(block, u[:-1])

    def slopes(self, block: Data, u: Floats, P: Floats, kept: Kept) -> tuple[Floats, Floats]:
        """Scores of predictors, of thresholds, and of the logarithm of the share."""
        lower, upper, of_share = kept
        at_eta, beside = self.law.slopes(block, u[:-1], P, (lower, upper))
        return at_eta, np.column_stack([beside, (P * of_share).sum(axis=(1, 2))])


def end_use(passes: Passes, law: OrdinalLikelihood, found: Climb, root: Floats) -> tuple[ScoreTest, ...]:
    """Those tests that there are: of three levels or more; of the nearer end of four or more, where thresholds are given."""
    kinds = (False, True) if law.given is not None and law.levels > 3 else (False,)
    return tuple(
        likelihood_ratio(passes, EndsLikelihood(law, nearer), found, root) for nearer in kinds if law.levels > 2
    )


def likelihood_ratio(passes: Passes, law: EndsLikelihood, found: Climb, root: Floats) -> ScoreTest:
    """That of one share that is not negative: half a chi-square with one degree of freedom."""
    top = climb(passes, law, np.append(found.u, np.log(START)), root, gain=GAIN)
    x = max(2.0 * (top.height - found.height), 0.0)
    return ScoreTest(x, 1, 0.5 * chi_square_tail(1, x) if x > 0.0 else 1.0)
