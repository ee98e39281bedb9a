"""The estimate from answers: survey, search, errors, and everything that is to be said about it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vieta.answers.answer_climb import Climb, is_near
from vieta.answers.answer_errors import answer_errors
from vieta.answers.answer_fit_test import of_fit
from vieta.answers.answer_likelihood import AnswerLikelihood
from vieta.answers.answer_search import AnswerSearch, search
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.bent_regions import Regions, regions, shared_out, straight
from vieta.answers.family import Family, Refined
from vieta.answers.open_ends import Ends, find_ends
from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.findings import Finding, finding
from vieta.pairing import as_row
from vieta.sets import Data
from vieta.solution import Solution, in_parameters
from vieta.sums import Passes
from vieta.symmetric import canonical_order
from vieta.weighted.weighted_findings import of_memory

TRANSFORM = "likelihood"
HIDING = ("noise-below-step",)  # findings after which nothing can be tested


class Estimated(NamedTuple):
    """An estimate with the law of answers that it solves, all unknowns (m,), of which those that go to infinity are where they are shown, and
    where intervals end (L D, 2, 2), over those of the quadratic at the likelihood's top.
    """

    law: AnswerLikelihood
    u: Floats
    solution: Solution
    reach: Floats


def solution(family: Family, passes: Passes, options: Any) -> Solution:
    """The estimate from all sets."""
    return estimated(family, passes, options).solution


def estimated(family: Family, passes: Passes, options: Any) -> Estimated:
    """The same, with its law."""
    family.require_shape(passes.like)
    family.link(options)
    known = passes.total(lambda block, before: _looked_at(family, block, options, before))
    known.require_varied()
    law = family.law(known, passes.like, options)
    root = known.root
    begin = family.begin(passes, law, known)
    found = search(passes, known.n_sets, law, begin.nuisance, root, begin.theta)
    ends = find_ends(passes, law, found.best, root) if family.has_ends else Ends((), ())
    plain = Refined(law, found.best)
    law, best, said = family.refine(passes, law, found.best, root) if not ends.systems else plain
    errors = answer_errors(passes, law, best, ends.fixed(law.dim))
    theta = ends.shown(law.theta(best.u))
    L, D = theta.shape
    bent = regions(passes, law, best, root) if not ends.systems else Regions(straight(L * D))
    times, reach = shared_out(bent.reach)
    cov = errors.cov[: L * D, : L * D] * np.outer(times, times)
    tested, single = of_fit(passes, family, law, best, root)
    tested = (*tested, *bent.findings)
    tested = () if any(one.code in HIDING for one in said) else tested
    findings = (
        *_of_search(found, best, law.theta, ends.fixed(D)),
        *_of_ends(ends, D),
        *_of_design(family, known, L),
        *family.of_scale(law, known),
        *said,
        *tested,
    )
    answers = replace(family.model(law, best.u, errors.cov), open_ends=ends.open_ends, reach=reach.reshape(L, D, 2, 2))
    solution = in_parameters(
        theta,
        cov,
        np.array([[single]]),
        known.n_sets,
        (*findings, *of_memory(errors.basis, known.n_sets, findings)),
        transform=TRANSFORM,
        n_sets_effective=errors.basis.n_effective,
        dof=errors.basis.dof,
        answers=answers,
    )
    return Estimated(law, np.concatenate([theta.ravel(), best.u[L * D :]]), solution, bent.reach)


def _looked_at(family: Family, block: Data, options: Any, before: int) -> AnswerSurvey:
    """The survey of a block whose answers have been checked."""
    try:
        family.require(block, options)
    except InputError as error:
        facts = dict(error.facts)
        if "index" not in facts:
            raise
        raise type(error)(error.code, error.template, **{**facts, "index": facts["index"] + before}) from None
    return AnswerSurvey.of(block)


def _of_search(found: AnswerSearch, best: Climb, theta_of: Any, fixed: list[int]) -> Iterator[Finding]:
    """No convergence of unknowns that are not `fixed`, and another solution that is as good."""
    if not (found.best.converged and best.converged) and not (fixed and is_near(best.sums, fixed)):
        yield finding("not-converged")
    if found.rivals:
        rival = max(found.rivals, key=lambda one: one.height)
        theta = theta_of(rival.u)
        rows = "; ".join(as_row(row) for row in theta[canonical_order(theta)])
        yield finding("rival-solution", behind=max(found.best.height - rival.height, 0.0), rival=rows)


def _of_ends(ends: Ends, dim: int) -> Iterator[Finding]:
    """Systems that go to infinity."""
    for l in ends.systems:
        own = [one for one in ends.open_ends if one.system == l]
        if own and not np.isfinite(own[0].limit(0.95)):
            yield finding("answers-unbounded")
        elif own:
            side = "least" if own[0].side > 0 else "most"
            yield finding("answers-separated", limit=own[0].limit(0.95), side=side)
        else:
            yield finding("answers-separated-by-inputs")


def _of_design(family: Family, known: AnswerSurvey, n_systems: int) -> Iterator[Finding]:
    """All sets ask the same: what is known without independence is the mean answer."""
    if not (family.tells_sums and known.has_one_item) or n_systems == 1:
        return
    yield finding("one-item", mean=float(known.values @ known.times / known.times.sum()))
