"""What a family of answers is: a method of its own, with a check of answers, links, a likelihood, and what it estimates beside parameters."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.answers.answer_climb import Climb
from vieta.answers.answer_likelihood import AnswerLikelihood
from vieta.answers.answer_stream import Recursion, scored
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.score_test import ScoreTest
from vieta.arrays import Floats
from vieta.engine import Engine
from vieta.errors import InputError
from vieta.findings import Finding
from vieta.method.base import Method
from vieta.options import Options, as_forgetting, option
from vieta.sets import Data
from vieta.solution import Solution
from vieta.sums import Passes
from vieta.wording import short

FLIPPED = (
    "Probability with which each answer was exchanged for another one, drawn evenly, before release; zero by default."
)


@dataclass(frozen=True, eq=False)
class FamilyOptions(Options):
    """Options of every family."""

    link: str | None = option(None, "What makes of a predictor the mean of an answer.", "text", "NAME")
    memory: float | None = option(
        None, "Old sets lose weight, so that about so many are remembered; all of them by default.", "number", "SETS"
    )


class Moments(NamedTuple):
    """Mean and variance (n,) of the sum of each set's answers, and the mean variance of one answer."""

    mean: Floats
    variance: Floats
    single: float


class Begin(NamedTuple):
    """Parameters (L, D) to begin from, beside those that the search finds for itself, and where what is estimated beside them begins."""

    theta: list[Floats]
    nuisance: Floats


class Refined(NamedTuple):
    """What the estimate solves, where, and what is to be said of the choice."""

    law: AnswerLikelihood
    climb: Climb
    findings: tuple[Finding, ...] = ()


class Family(Method):
    """A family of laws of answers, in a module of its own that ends in ``FAMILY = TheClass()``; it is found by itself.

    Attributes
    ----------
    links : tuple of str
        Those that it takes, the default first.
    tells_sums : bool
        Whether sets tell no more than the sum of their answers.
    has_ends : bool
        Whether its answers end somewhere, so that a parameter may go to infinity.
    most_systems : int
        L, beyond which its likelihood takes too long.
    """

    links: ClassVar[tuple[str, ...]]
    tells_sums: ClassVar[bool] = False
    has_ends: ClassVar[bool] = True
    most_systems: ClassVar[int] = 12
    Options: ClassVar[type[Options]] = FamilyOptions
    thorough = True

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets; with a memory, that of the filter after the last set."""
        from vieta.answers.answer_solution import solution

        return solution(self, passes, options) if options.memory is None else super().fit(passes, options)

    def engine(self, like: Data, options: Any) -> Engine:
        """The filter."""
        from vieta.answers.answer_engine import AnswerEngine

        self.require_shape(like)
        self.link(options)
        return AnswerEngine(self, like, options, as_forgetting(options.memory))

    def scored(self, law: Any, now: Recursion, block: Data, forgetting: float) -> Recursion:
        """Recursive scoring by a block of sets."""
        return scored(law, now, block, forgetting)

    def law_numbers(self, law: Any) -> Floats:
        """(K,) what tells a law among those of the family, beside the options."""
        return np.empty(0)

    @abstractmethod
    def law_of(self, numbers: Floats, like: Data, options: Any) -> AnswerLikelihood:
        """The law that such numbers tell."""

    def knows_law(self, numbers: Floats) -> bool:
        """Whether numbers tell a law."""
        return len(numbers) == 0

    def require_known(self, law: Any, block: Data) -> None:
        """Refuse answers that a law does not know, although the family does."""

    def link(self, options: Any) -> str:
        """The link by name."""
        name = self.links[0] if options.link is None else options.link
        if name not in self.links:
            raise InputError(
                "unknown-link",
                "{option.link:{value}} is not a link of family {family!r}, which takes {known}.",
                value=short(options.link),
                family=self.name,
                known=", ".join(self.links),
            )
        return str(name)

    def require_shape(self, like: Data) -> None:
        """Refuse answers that are vectors, and more systems than are practical."""
        if like.reading_dim != 1:
            raise InputError(
                "answers-are-numbers",
                "answers of family {family!r} are one number each, and readings of {p} numbers were given.",
                family=self.name,
                p=like.reading_dim,
            )
        if like.n_systems > self.most_systems:
            raise InputError(
                "answers-too-many",
                "sets of {given} answers were given, and {most} are practical in family {family!r}.",
                given=like.n_systems,
                most=self.most_systems,
                family=self.name,
            )

    @abstractmethod
    def require(self, block: Data, options: Any) -> None:
        """Refuse answers outside the family, by the number of their set in the block."""

    @abstractmethod
    def law(self, known: AnswerSurvey, like: Data, options: Any) -> AnswerLikelihood:
        """The likelihood of sets of the shape of `like`; refuses what cannot be estimated."""

    def begin(self, passes: Passes, law: Any, known: AnswerSurvey) -> Begin:
        """Where the search begins, beside its own starts."""
        return Begin([], np.empty(0))

    def refine(self, passes: Passes, law: Any, found: Climb, root: Floats) -> Refined:
        """What follows on the climb of the likelihood: nothing, or equations that assume less."""
        return Refined(law, found)

    @abstractmethod
    def model(self, law: Any, u: Floats, cov: Floats) -> AnswerModel:
        """What is kept of the unknowns u, with their covariance, beside the parameters."""

    @abstractmethod
    def logs_of(self, model: AnswerModel, block: Data, theta: Floats) -> Floats:
        """(n, L, L) log f of answer i as one of system l, by what was kept of an estimate."""

    @abstractmethod
    def require_model(self, model: AnswerModel, block: Data) -> None:
        """Refuse answers that an estimate does not know."""

    def values(self, model: AnswerModel) -> Floats | None:
        """(M,) all answers that there are; None if there is no end of them."""
        return None

    def further(self, law: Any) -> Callable[[Data, Floats], Floats] | None:
        """Scores (n, K) of what systems may have of their own and the family has not, to be tested; None if there is nothing."""
        return None

    def end_use(self, passes: Passes, law: Any, found: Climb, root: Floats) -> tuple[ScoreTest, ...]:
        """Tests whether the ends of a scale are used too often; none for families without one."""
        return ()

    def of_scale(self, law: Any, known: AnswerSurvey) -> tuple[Finding, ...]:
        """What is to be said of the answers that occur, and how often."""
        return ()

    def unit(self, law: Any) -> float:
        """The distance of neighbouring answers."""
        return 1.0

    @abstractmethod
    def moments(self, law: Any, block: Data, u: Floats) -> Moments:
        """Means and variances of the sums of answers."""
