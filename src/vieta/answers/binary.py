r"""`binary`: right or wrong, 0 or 1. The exact likelihood of the count (`vieta.answers.poisson_binomial`).

.. math:: P(y_l = 1) = g(\psi'\theta_l + b), \qquad g \text{ logistic or normal}
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums, input_rows, known_numbers, predictors
from vieta.answers.answer_stream import Recursion, remembered
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.family import FLIPPED, Family, FamilyOptions, Moments
from vieta.answers.flips import as_flipped, mixed, mixed_interval
from vieta.answers.intervals import interval
from vieta.answers.links import LINKS
from vieta.arrays import Floats, Integers, unshared
from vieta.errors import InputError
from vieta.options import option
from vieta.sets import Data


@dataclass(frozen=True, slots=True, eq=False)
class BinaryLikelihood(AnswerLikelihood):
    """The likelihood of counts of right answers."""

    n_systems: int
    dim: int
    link: str
    flipped: float = 0.0
    n_nuisance: int = 0
    has_mean_information: ClassVar[bool] = True

    @property
    def code(self) -> int:
        """Of the link, in the kernels."""
        from vieta.answers.poisson_binomial import LOGIT, PROBIT

        return {"logit": LOGIT, "probit": PROBIT}[self.link]

    def of_size(self, n_systems: int) -> "BinaryLikelihood":
        """The same of another number of systems."""
        return replace(self, n_systems=n_systems)

    def sums(self, block: Data, u: Floats) -> AnswerSums:
        """Log-likelihood, score and expected information of a block."""
        from vieta.answers.poisson_binomial import binomial_sums

        score, information = unshared((self.size,), (self.size, self.size))
        place = counts(block), input_rows(block), known_numbers(block), self.theta(u), self.code, self.flipped
        likelihood = binomial_sums(*place, score, information)
        return AnswerSums(len(block), likelihood, score, information, np.zeros_like(information))

    def scores(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        """Log densities (n,) and scores (n, L D)."""
        from vieta.answers.poisson_binomial import binomial_scores

        rows, logs, scores = input_rows(block), np.empty(len(block)), np.empty((len(block), self.n_systems))
        place = counts(block), rows, known_numbers(block), self.theta(u), self.code, self.flipped
        binomial_scores(*place, logs, scores)
        return logs, (scores[:, :, None] * rows[:, None, :]).reshape(len(block), -1)

    def weighted(self, block: Data, u: Floats, weights: Floats) -> Floats:
        """(L D, L D) the expected information, each set with a weight."""
        if (weights == 1.0).all():
            return self.sums(block, u).information
        each = (w * self.sums(block.part(k, k + 1), u).information for k, w in enumerate(weights) if w > 1e-12)
        return sum(each, np.zeros((self.size, self.size)))


def counts(block: Data) -> Integers:
    """(n,) how many answers of each set are right."""
    return np.asarray(np.rint(block.readings.sum(axis=(1, 2))), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BinaryOptions(FamilyOptions):
    """Options of right and wrong."""

    flipped: float | None = option(None, FLIPPED, "number", "SHARE")


class Binary(Family):
    """Right or wrong."""

    name = "binary"
    line = "Right or wrong, 0 or 1: exact likelihood of the number of right answers."
    links = ("logit", "probit")
    Options = BinaryOptions
    tells_sums = True
    most_systems = 60

    def require(self, block: Data, options: Any) -> None:
        """Refuse anything but 0 and 1."""
        wrong = np.argwhere((block.sets != 0.0) & (block.sets != 1.0))
        if len(wrong):
            raise InputError(
                "not-binary",
                "sets[{index}] holds {value:.6g}, and answers of family 'binary' are 0 or 1.",
                index=int(wrong[0][0]),
                value=float(block.sets[tuple(wrong[0])]),
            )

    def law(self, known: AnswerSurvey, like: Data, options: Any) -> BinaryLikelihood:
        """The likelihood; answers that are all the same tell no parameter."""
        if len(known.values) == 1:
            raise InputError(
                "answers-constant",
                "all answers are {value:g}: every parameter goes to {where} infinity, and none can be estimated. Ask something that some "
                "systems answer differently.",
                value=float(known.values[0]),
                where="plus" if known.values[0] else "minus",
            )
        return self.law_of(np.empty(0), like, options)

    def law_of(self, numbers: Floats, like: Data, options: Any) -> BinaryLikelihood:
        """The likelihood."""
        return BinaryLikelihood(like.n_systems, like.dim, self.link(options), as_flipped(options.flipped, 2))

    def scored(self, law: Any, now: Recursion, block: Data, forgetting: float) -> Recursion:
        """Recursive scoring, one set after another."""
        from vieta.answers.binary_stream import score_stream

        place = counts(block), input_rows(block), known_numbers(block), law.code, law.flipped, forgetting
        theta, H, M = law.theta(now.u).copy(), now.information.copy(), now.meat.copy()
        score_stream(*place, theta, H, M)
        g = law.scores(block, now.u)[1]
        told = H - forgetting ** len(block) * now.information
        return replace(remembered(now, g, told, told), u=theta.ravel(), information=H, meat=M)

    def model(self, law: Any, u: Floats, cov: Floats) -> AnswerModel:
        """Family and link."""
        return AnswerModel(self.name, law.link, flipped=law.flipped)

    def logs_of(self, model: AnswerModel, block: Data, theta: Floats) -> Floats:
        """log p or log (1 - p), by the sides of zero on which the latent number lies."""
        side = np.where(block.sets[:, :, 0] > 0.5, 1.0, -1.0)[:, :, None] * predictors(block, theta)[:, None, :]
        return mixed_interval(interval(model.link, np.full(side.shape, -np.inf), side), model.flipped, 2).log

    def require_model(self, model: AnswerModel, block: Data) -> None:
        """Refuse anything but 0 and 1."""
        self.require(block, None)

    def values(self, model: AnswerModel) -> Floats:
        """Wrong and right."""
        return np.array([0.0, 1.0])

    def moments(self, law: Any, block: Data, u: Floats) -> Moments:
        """Means and variances of counts."""
        p = mixed(LINKS[law.link].mean(predictors(block, law.theta(u))), law.flipped, 2)
        variance = p * (1.0 - p)
        return Moments(p.sum(axis=1), variance.sum(axis=1), float(variance.mean()) if variance.size else 0.0)


FAMILY = Binary()
