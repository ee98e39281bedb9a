r"""What an oracle, who knows the truth, finds in the same answers: how far an estimate is off, and whether a doubt of it has a cause.

The oracle climbs the likelihood from the true parameters. A finding has a cause in the data if

- *systems-coincide*: two true systems lie within three standard errors of each other in every direction, by the information at
  the oracle's top;
- *rival-solution*: the rival that is named, or the estimate, is farther from the truth than a right answer may be, and the rival
  test does not exclude it against the oracle's top;
- *intervals-widened*, *intervals-short*: the likelihood bends as much at the oracle's top.

Few sets, answers that are all at one end and scales that are too short are facts of the data. Whatever else is found has no cause.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.answers.designs import KINDS, Answered, Cell
from vieta.answers import families
from vieta.answers.answer_climb import Climb, climb
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.bent_regions import regions
from vieta.arrays import Floats
from vieta.findings import Finding, at_least
from vieta.matching import match_rows
from vieta.search.rivals import is_excluded
from vieta.sets import Data, as_data, with_known
from vieta.solution import coincident
from vieta.sums import Passes, in_memory

FAR, SHARE, ERRORS = (
    0.5,
    0.25,
    5.0,
)  # a predictor, errors of one answer, and labeled standard errors that a right curve may be away
FACTS = frozenset(
    {"few-sets", "answers-separated", "answers-separated-by-inputs", "answers-unbounded", "scale-too-short", "one-item"}
)


def root(given: Answered) -> Floats:
    """(D, D) what makes lengths of parameters those of curves."""
    return np.asarray(np.linalg.qr(given.inputs, mode="r") / np.sqrt(len(given.inputs)))


def order(theta: Floats, given: Answered) -> Any:
    """Which estimate is matched to each true system."""
    R = root(given)
    return match_rows(theta @ R.T, given.theta @ R.T, unit=1.0)


def off(theta: Floats, given: Answered) -> float:
    """How far the curve that is farthest from its true one is away, root mean square."""
    away = (theta[order(theta, given)] - given.theta) @ root(given).T
    return float(np.linalg.norm(away, axis=1).max())


def tolerance(given: Answered) -> float:
    """How far a right curve may be away."""
    N, D = given.inputs.shape
    return float(max(min(FAR, SHARE * given.unit), ERRORS * given.unit * np.sqrt(D / N)))


@dataclass(frozen=True, eq=False)
class Oracle:
    """The likelihood of a run's answers, and where it is climbed to from the truth."""

    given: Answered
    data: Data
    passes: Passes
    law: Any
    root: Floats
    top: Climb

    def climbed(self, theta: Floats) -> Climb:
        """Where the likelihood is climbed to from parameters (L, D), and from the true ones of what is estimated beside."""
        u = np.concatenate([np.nan_to_num(theta).ravel(), self.given.beside[: self.law.n_nuisance]])
        return climb(self.passes, self.law, u, self.root)

    def leaves(self, theta: Floats) -> bool:
        """Whether another answer than the truth, near parameters, is not excluded."""
        there = self.climbed(theta)
        is_other = off(self.law.theta(there.u), self.given) > tolerance(self.given)
        logs, others = (self.law.scores(self.data, u)[0] for u in (self.top.u, there.u))
        return is_other and not is_excluded(logs, others)


def oracle(cell: Cell, given: Answered) -> Oracle:
    """That of one run."""
    data = with_known(as_data(given.sets, given.inputs), given.offset)
    family, passes, known = families.every()[cell.family], in_memory(data), AnswerSurvey.of(data)
    law: Any = family.law(known, data.part(0, 0), family.Options(**KINDS[cell.family].options))
    u = np.concatenate([given.theta.ravel(), given.beside[: law.n_nuisance]])
    return Oracle(given, data, passes, law, known.root, climb(passes, law, u, known.root))


def without_cause(found: tuple[Finding, ...], theta: Floats, known: Oracle) -> list[str]:
    """The codes of findings of caution or more on an estimate (L, D) that the oracle has no cause for."""
    left = [one for one in at_least(found, "caution") if one.code not in FACTS]
    return [one.code for one in left if not _has_cause(one, theta, known)]


def _has_cause(one: Finding, theta: Floats, known: Oracle) -> bool:
    L, D = theta.shape
    if one.code == "systems-coincide":
        cov = inverse(known.law.sums(known.data, known.top.u).information)[: L * D, : L * D]
        return bool(coincident(known.given.theta, cov))
    if one.code in ("intervals-widened", "intervals-short"):
        return bool(at_least(regions(known.passes, known.law, known.top, known.root).findings, "caution"))
    if one.code == "rival-solution":
        rows = [float(text) for text in re.findall(r"[-+.\deE]+", str(one.facts["rival"]).replace(";", " "))]
        return known.leaves(np.array(rows).reshape(L, D)) or known.leaves(theta)
    return False
