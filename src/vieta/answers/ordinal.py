r"""`ordinal`: levels 1 to M of a scale.

.. math:: P(y_l \le m) = G(c_m - \psi'\theta_l - b), \qquad c_1 < \dots < c_{M-1}, \quad G \text{ logistic or normal}

The thresholds c are given, or estimated. Where the inputs span a constant, they are known up to a shift, and :math:`c_1 = 0`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.answer_model import AnswerModel
from vieta.answers.answer_climb import Climb
from vieta.answers.answer_likelihood import predictors
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.association_likelihood import PIECE, AssociationLikelihood, Kept
from vieta.answers.family import FLIPPED, Begin, Family, FamilyOptions, Moments
from vieta.answers.flips import as_flipped, mixed, mixed_interval
from vieta.answers.intervals import DEVIATION, interval
from vieta.answers.number_start import number_start
from vieta.answers.score_test import ScoreTest
from vieta.arrays import Floats, Integers, plain
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError
from vieta.findings import Finding, finding
from vieta.options import option, positive_integer
from vieta.sets import Data
from vieta.sums import Passes
from vieta.wording import short

MOST_LEVELS = 50
TOLD = {"logit": 1.0 / 3.0, "probit": 1.0}  # information of a latent number about its place
MOST_AT_ENDS = 0.7  # of the answers


@dataclass(frozen=True, eq=False)
class OrdinalOptions(FamilyOptions):
    """Options of levels of a scale."""

    levels: int | None = option(None, "How many levels the scale has; the highest answer if absent.")
    thresholds: ArrayLike | None = option(
        None, "Where levels meet, one number less than there are levels; estimated if absent.", "numbers", "C"
    )
    flipped: float | None = option(None, FLIPPED, "number", "SHARE")


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalLikelihood(AssociationLikelihood):
    """The likelihood of levels; `given` (M - 1,) thresholds, or none, and whether the first of them is zero."""

    n_systems: int
    dim: int
    link: str
    levels: int
    given: Floats | None
    anchored: bool
    flipped: float = 0.0

    @property
    def n_nuisance(self) -> int:  # type: ignore[override]
        """Thresholds that are estimated."""
        return 0 if self.given is not None else self.levels - 1 - self.anchored

    def of_size(self, n_systems: int) -> "OrdinalLikelihood":
        """The same of another number of systems."""
        return replace(self, n_systems=n_systems)

    def thresholds(self, u: Floats) -> Floats:
        """(M - 1,) c: the first one, and logarithms of the steps from one to the next."""
        if self.given is not None:
            return self.given
        beside = u[self.n_systems * self.dim :]
        first = 0.0 if self.anchored else float(beside[0])
        steps = np.exp(beside if self.anchored else beside[1:])
        return np.concatenate([[first], first + np.cumsum(steps)])

    def unknowns_of(self, thresholds: Floats) -> Floats:
        """What is estimated of thresholds."""
        if self.given is not None:
            return np.empty(0)
        steps = np.log(np.maximum(np.diff(thresholds), 1e-3))
        return steps if self.anchored else np.concatenate([thresholds[:1], steps])

    def _bounds(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        ends = np.concatenate([[-np.inf], self.thresholds(u), [np.inf]])
        level, eta = levels_of(block), predictors(block, self.theta(u))[:, None, :]
        return ends[level - 1][:, :, None] - eta, ends[level][:, :, None] - eta

    def logs(self, block: Data, u: Floats) -> tuple[Floats, Kept]:
        """(n, L, L) log probabilities of levels."""
        found = mixed_interval(interval(self.link, *self._bounds(block, u)), self.flipped, self.levels)
        return found.log, found[1:]

    def told(self, block: Data, u: Floats) -> Floats:
        """That of the latent number, which is more than that of its level."""
        return np.full((len(block), self.n_systems), TOLD[self.link])

    def slopes(self, block: Data, u: Floats, P: Floats, kept: Kept) -> tuple[Floats, Floats]:
        """Scores of predictors, and of thresholds."""
        lower, upper = P * kept[0], P * kept[1]
        at_eta = (lower - upper).sum(axis=1)
        if not self.n_nuisance:
            return at_eta, np.empty((len(block), 0))
        level, index = levels_of(block), np.arange(1, self.levels)
        above, below = upper.sum(axis=2), lower.sum(axis=2)
        at_c = ((level[:, :, None] == index) * above[:, :, None]).sum(axis=1)
        at_c -= ((level[:, :, None] == index + 1) * below[:, :, None]).sum(axis=1)
        steps = np.diff(self.thresholds(u))
        behind = np.cumsum(at_c[:, ::-1], axis=1)[:, ::-1]
        at_steps = behind[:, 1:] * steps
        return at_eta, at_steps if self.anchored else np.concatenate([behind[:, :1], at_steps], axis=1)

    def spread_scores(self, block: Data, u: Floats) -> Floats:
        r"""(n, L) scores of thresholds of one's own, :math:`\bar c + e^{\delta_l}(c_m - \bar c)`, at :math:`\delta = 0`."""
        from vieta.association.permanents import associate_each

        c = self.thresholds(u)
        away = np.concatenate([[0.0], c - c.mean(), [0.0]])
        found = []
        for at in range(0, max(len(block), 1), PIECE):
            some = block.part(at, at + PIECE)
            logs, (lower, upper) = self.logs(some, u)
            P, level = associate_each(plain(logs))[1], levels_of(some)
            slope = upper * away[level][:, :, None] - lower * away[level - 1][:, :, None]
            found.append((P * slope).sum(axis=1))
        return np.concatenate(found)


def levels_of(block: Data) -> Integers:
    """(n, L) the levels."""
    return np.rint(block.sets[:, :, 0]).astype(np.int64)


class Ordinal(Family):
    """Levels of a scale."""

    name = "ordinal"
    line = "Levels 1 to M of a scale: likelihood over assignments, thresholds given or estimated."
    links = ("logit", "probit")
    Options = OrdinalOptions

    def require(self, block: Data, options: Any) -> None:
        """Refuse anything but whole numbers from 1 to the number of levels."""
        most = self._levels(options) or MOST_LEVELS
        values = block.sets[:, :, 0]
        wrong = np.argwhere((values != np.rint(values)) | (values < 1.0) | (values > most))
        if len(wrong):
            raise InputError(
                "not-a-level",
                "sets[{index}] holds {value:.6g}, and answers of family 'ordinal' are whole numbers from 1 to {most}: number the "
                "levels from 1 on.",
                index=int(wrong[0][0]),
                value=float(values[tuple(wrong[0])]),
                most=most,
            )

    @staticmethod
    def _levels(options: Any) -> int | None:
        if options.levels is not None:
            return positive_integer(options.levels, "levels")
        given = _as_thresholds(options.thresholds)
        return None if given is None else len(given) + 1

    def law(self, known: AnswerSurvey, like: Data, options: Any) -> OrdinalLikelihood:
        """The likelihood; a level that never occurs has no threshold that could be estimated."""
        given = _as_thresholds(options.thresholds)
        levels = self._levels(options) or int(known.values[-1])
        if given is not None and len(given) != levels - 1:
            raise InputError(
                "thresholds-count",
                "{option.thresholds} must be {needed} ascending numbers for {levels} levels; {count} were given.",
                needed=levels - 1,
                levels=levels,
                count=len(given),
            )
        if len(known.values) == 1:
            raise InputError(
                "levels-constant",
                "all answers are {value:g}: no parameter can be estimated from them.",
                value=float(known.values[0]),
            )
        absent = sorted(set(range(1, levels + 1)) - set(known.values.astype(int).tolist()))
        if absent and given is None:
            raise InputError(
                "level-absent",
                "level {level} of {levels} never occurs, so that its thresholds cannot be estimated. Give {option.thresholds}, or number the "
                "levels that occur without it.",
                level=absent[0],
                levels=levels,
            )
        anchored = given is None and known.spans_constant
        return self._likelihood(levels, anchored, given, like, options)

    def law_numbers(self, law: Any) -> Floats:
        """How many levels, and whether the first threshold is zero."""
        return np.array([law.levels, law.anchored], dtype=np.float64)

    def law_of(self, numbers: Floats, like: Data, options: Any) -> OrdinalLikelihood:
        """The likelihood with so many levels."""
        given, (levels, anchored) = _as_thresholds(options.thresholds), numbers
        return self._likelihood(int(levels), bool(anchored), given, like, options)

    def _likelihood(
        self, levels: int, anchored: bool, given: Floats | None, like: Data, options: Any
    ) -> OrdinalLikelihood:
        flipped = as_flipped(options.flipped, levels)
        return OrdinalLikelihood(like.n_systems, like.dim, self.link(options), levels, given, anchored, flipped)

    def knows_law(self, numbers: Floats) -> bool:
        """Whether numbers are a number of levels and a choice."""
        return bool(len(numbers) == 2 and numbers[0] in range(2, MOST_LEVELS + 1) and numbers[1] in (0.0, 1.0))

    def require_known(self, law: Any, block: Data) -> None:
        """Refuse levels above those that the law has thresholds for."""
        above = np.argwhere(block.sets[:, :, 0] > law.levels)
        if len(above):
            raise InputError(
                "level-new",
                "level {value:g} came up, and the filter started with sets of which the highest was {levels}: it has no threshold for it. "
                "Begin anew with {option.levels} or {option.thresholds}.",
                value=float(block.sets[tuple(above[0])][0]),
                levels=law.levels,
            )

    def begin(self, passes: Passes, law: Any, known: AnswerSurvey) -> Begin:
        """From the levels as if they were measurements, in units of their noise."""
        first = number_start(passes, known.n_sets)
        spread, theta = 1.0, []
        middle = np.arange(1, law.levels) + 0.5
        if first is not None:
            spread = DEVIATION[law.link] / max(first.sd, 0.3)
            theta = [first.theta * spread]
        thresholds = middle * spread
        if law.given is not None:
            scale = np.ptp(law.given) / max(np.ptp(middle), 1.0) if law.levels > 2 else spread
            shift = law.given[0] - middle[0] * scale
            ones = np.linalg.lstsq(known.gram, known.total, rcond=1e-12)[0]
            return Begin([one / spread * scale + shift * ones for one in theta], np.empty(0))
        if law.anchored:
            ones = np.linalg.lstsq(known.gram, known.total, rcond=1e-12)[0]
            theta = [one - thresholds[0] * ones for one in theta]
            thresholds = thresholds - thresholds[0]
        return Begin(theta, law.unknowns_of(thresholds))

    def model(self, law: Any, u: Floats, cov: Floats) -> AnswerModel:
        """Thresholds with their standard errors."""
        c, first = law.thresholds(u), law.n_systems * law.dim
        names = tuple(f"threshold {m}" for m in range(1, law.levels))
        if not law.n_nuisance:
            return AnswerModel(self.name, law.link, names, c, np.zeros(len(c)), flipped=law.flipped)
        steps = np.concatenate([[1.0], np.diff(c)])
        J = np.tril(np.tile(steps, (len(c), 1)))[:, int(law.anchored) :]
        errors = np.sqrt(np.maximum(np.diag(J @ cov[first:, first:] @ J.T), 0.0))
        return AnswerModel(self.name, law.link, names, c, errors, flipped=law.flipped)

    def logs_of(self, model: AnswerModel, block: Data, theta: Floats) -> Floats:
        """Log probabilities of levels."""
        levels = len(model.values) + 1
        law = OrdinalLikelihood(len(theta), theta.shape[1], model.link, levels, model.values, False, model.flipped)
        return law.logs(block, theta.ravel())[0]

    def require_model(self, model: AnswerModel, block: Data) -> None:
        """Refuse anything but the levels of the estimate."""
        self.require(block, OrdinalOptions(levels=len(model.values) + 1))

    def values(self, model: AnswerModel) -> Floats:
        """The levels."""
        return np.arange(1.0, len(model.values) + 2.0)

    def of_scale(self, law: Any, known: AnswerSurvey) -> tuple[Finding, ...]:
        """A scale that is too short: most answers are at its ends."""
        if len(known.values) < 3:
            return ()
        share = float(known.times[[0, -1]].sum() / known.times.sum())
        return (finding("scale-too-short", share=share),) if share > MOST_AT_ENDS else ()

    def further(self, law: Any) -> Callable[[Data, Floats], Floats] | None:
        """Thresholds of one's own, of several systems with three levels or more."""
        return law.spread_scores if law.n_systems > 1 and law.levels > 2 else None

    def end_use(self, passes: Passes, law: Any, found: Climb, root: Floats) -> tuple[ScoreTest, ...]:
        """An end in the place of a level."""
        from vieta.answers.end_use import end_use

        return end_use(passes, law, found, root)

    def moments(self, law: Any, block: Data, u: Floats) -> Moments:
        """Means and variances of sums of levels."""
        ends = np.concatenate([[-np.inf], law.thresholds(u), [np.inf]])
        eta = predictors(block, law.theta(u))[:, :, None]
        P = mixed(np.exp(interval(law.link, ends[:-1] - eta, ends[1:] - eta).log), law.flipped, law.levels)
        level = np.arange(1, law.levels + 1)
        mean = P @ level
        variance = P @ level**2 - mean**2
        return Moments(mean.sum(axis=1), variance.sum(axis=1), float(variance.mean()) if variance.size else 0.0)


def _as_thresholds(thresholds: ArrayLike | None) -> Floats | None:
    if thresholds is None:
        return None
    found = as_real(thresholds)
    if isinstance(found, NotReal) or found.ndim != 1 or not np.isfinite(found).all() or (np.diff(found) <= 0.0).any():
        raise InputError(
            "thresholds-range",
            "{option.thresholds} must be ascending finite numbers; got {value}.",
            value=short(thresholds),
        )
    return found.copy()


FAMILY = Ordinal()
