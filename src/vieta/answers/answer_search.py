r"""The search for the parameters that make sets of answers likeliest, and rivals that the answers do not exclude.

It begins at the fit of one system to all answers, spread: for one parameter along a line, else along random directions, at several widths. For
several parameters the best solution is then improved by moves of two and of three systems (`answer_moves`): most wrong solutions have a few
systems entangled. The search looks at some of the sets; what it ends at climbs on all of them, and so do other solutions that came near.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vieta.answers.answer_climb import Climb, climb
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerLikelihood
from vieta.answers.answer_moves import moves, predictor_problem, unit
from vieta.arrays import Floats
from vieta.matching import match_rows
from vieta.search.problem import Problem
from vieta.search.rivals import is_excluded
from vieta.sets import Data
from vieta.sums import Passes, in_memory
from vieta.tails import chi_square_tail, normal_quantile

COMPARED = 20_000  # sets that solutions are compared by
WIDTHS = (0.5, 1.5, 4.0)  # of the spread of predictors
STARTS, FEWER = 6, 2  # random ones at each width, for several parameters; fewer where others are given
SHORT, ROUGH = 40, 0.02  # iterations, and the gain that ends a climb of the search
BEHIND = 15.0  # log-likelihood behind the best, from which a climb is not worth its end
BETTER, FINE = (
    0.02,
    0.001,
)  # log-likelihood that a move must gain, and the gain that ends a climb from which moves are made
MOST_MOVES = 40  # accepted ones
DIFFERENT = 0.15  # units of predictors (`answer_moves`), root mean square: solutions farther apart count as two
APART, ERRORS = (
    0.25,
    3.0,
)  # units, and standard errors of a curve fitted with labels, within which two solutions are one answer
MOST_OTHERS = 4  # solutions that climb on all sets
VALLEY = 0.5  # log-likelihood by which it falls between two solutions that are two
LEVEL = 0.95  # of the regions outside which a solution on the same hill counts as another one


class AnswerSearch(NamedTuple):
    """The best solution, and those that the sets do not exclude."""

    best: Climb
    rivals: list[Climb]


def alone(block: Data) -> Data:
    """Every answer as a set of its own."""
    n, L, _ = block.sets.shape
    known = None if block.known is None else np.repeat(block.known, L)
    return Data(block.sets.reshape(n * L, 1, 1), np.repeat(block.inputs, L, axis=0), block.dim, known=known)


def pooled(one: Data, law: AnswerLikelihood, nuisance: Floats, root: Floats) -> Climb:
    """The fit of one system to all answers, each a set of its own."""
    start = np.concatenate([np.zeros(law.dim), nuisance])
    return climb(in_memory(one), law.of_size(1), start, root, iterations=SHORT, gain=1e-3)


def search(
    passes: Passes, n_sets: int, law: AnswerLikelihood, nuisance: Floats, root: Floats, more: list[Floats]
) -> AnswerSearch:
    """Search from the fit of one system, and from `more` parameters (L, D); what is estimated beside them begins at `nuisance`."""
    seen = passes.spread(law.searched, n_sets)
    each, some, rng = alone(seen), in_memory(seen), np.random.default_rng(0)
    centre = pooled(each, law, nuisance, root).u[: law.dim]
    scale = unit(each, law.of_size(1), np.concatenate([centre, nuisance]), root)
    found: list[Climb] = []
    for theta in [*more, *spread_starts(law, centre, root, rng, FEWER if more else STARTS)]:
        goal = max((each.height for each in found), default=-np.inf) - BEHIND
        found.append(_short(some, law, np.concatenate([theta.ravel(), nuisance]), root, goal))
    given = predictor_problem(seen, law.n_systems, scale)
    best, met = _improved(some, law, max(found, key=_height), root, rng, given)
    ends = _on_all(passes, law, [best, *_different(law, best, [*found, *met], root, DIFFERENT * scale)], root)
    first = max(ends, key=_height)
    apart = scale * max(APART, ERRORS * float(np.sqrt(law.dim / n_sets)))
    return AnswerSearch(first, _rivals(passes, n_sets, law, first, ends, root, apart))


def spread_starts(
    law: AnswerLikelihood, centre: Floats, root: Floats, rng: np.random.Generator, each: int
) -> Iterator[Floats]:
    """Parameters (L, D) about a centre (D,): `each` random ones of every width."""
    L, D = law.n_systems, law.dim
    if L == 1:
        yield centre[None]
        return
    back = np.linalg.inv(root)
    line = np.array([normal_quantile((l + 0.5) / L) for l in range(L)])[:, None]
    for width in WIDTHS:
        if D == 1:
            yield centre + width * line @ back.T
            continue
        for _ in range(each):
            yield centre + width * rng.standard_normal((L, D)) @ back.T / np.sqrt(D)


def _short(some: Passes, law: AnswerLikelihood, u: Floats, root: Floats, goal: float) -> Climb:
    return climb(some, law, u, root, iterations=SHORT, gain=ROUGH, goal=goal)


def _height(one: Climb) -> float:
    return one.height


def _improved(
    some: Passes, law: AnswerLikelihood, best: Climb, root: Floats, rng: np.random.Generator, given: Problem
) -> tuple[Climb, list[Climb]]:
    """The best that moves of a few systems lead to, and everything that was met."""
    met: list[Climb] = []
    for _ in range(MOST_MOVES if law.dim > 1 else 0):
        best = climb(some, law, best.u, root, iterations=SHORT, gain=FINE)
        better = _moved(some, law, best, root, rng, given, met)
        if better is None:
            break
        best = better
    return best, met


def _moved(
    some: Passes,
    law: AnswerLikelihood,
    best: Climb,
    root: Floats,
    rng: np.random.Generator,
    given: Problem,
    met: list[Climb],
) -> Climb | None:
    """The first move that ends higher; where the others end is added to `met`."""
    for theta in moves(given, law.theta(best.u), rng):
        u = np.concatenate([theta.ravel(), best.u[theta.size :]])
        there = _short(some, law, u, root, best.height - BEHIND)
        met.append(there)
        if there.height > best.height + BETTER:
            return there
    return None


def distance(law: AnswerLikelihood, u: Floats, other: Floats, root: Floats) -> float:
    """How far the predictors of two solutions are apart, root mean square, for the system that differs most."""
    a, b = law.theta(u) @ root.T, law.theta(other) @ root.T
    return float(np.linalg.norm(a[match_rows(a, b, unit=1.0)] - b, axis=1).max())


def _different(law: AnswerLikelihood, best: Climb, met: list[Climb], root: Floats, apart: float) -> list[Climb]:
    """The solutions near the best in height that differ from it and from each other, the highest first."""
    found: list[Climb] = []
    for one in sorted((one for one in met if one.height > best.height - BEHIND), key=lambda one: -one.height):
        if all(distance(law, one.u, other.u, root) > apart for other in (best, *found)):
            found.append(one)
        if len(found) == MOST_OTHERS:
            break
    return found


def _on_all(passes: Passes, law: AnswerLikelihood, solutions: list[Climb], root: Floats) -> list[Climb]:
    """The same climbed on all sets, the first one first."""
    found: list[Climb] = []
    for one in solutions:
        goal = max((each.height for each in found), default=-np.inf) - BEHIND
        found.append(climb(passes, law, one.u, root, goal=goal))
    return found


def _rivals(
    passes: Passes, n_sets: int, law: AnswerLikelihood, best: Climb, ends: list[Climb], root: Floats, apart: float
) -> list[Climb]:
    """The solutions that differ from the best and that the sets do not exclude, with a valley between or outside the regions that are given."""
    others = [one for one in ends if distance(law, best.u, one.u, root) > apart]
    if not others:
        return []
    some = passes.spread(COMPARED, n_sets)
    logs = law.scores(some, best.u)[0]
    near = [one for one in others if not is_excluded(logs, law.scores(some, one.u)[0])]
    return [one for one in near if _is_apart(passes, law, best, one, root) or is_outside(law, best, one, root)]


def is_outside(law: AnswerLikelihood, best: Climb, other: Climb, root: Floats) -> bool:
    r"""Whether another solution lies outside the confidence region of some system: :math:`d_l' C_{ll}^{-1} d_l > \chi^2_D(1 - .05/L)`.

    A ridge that is bent has places as likely as its top that regions do not hold.
    """
    L, D = law.n_systems, law.dim
    theta, there = law.theta(best.u), law.theta(other.u)
    order = match_rows(theta @ root.T, there @ root.T, unit=1.0)
    cov = inverse(best.sums.information)[: L * D, : L * D].reshape(L, D, L, D)
    gaps = theta[order] - there
    far = [gap @ inverse(cov[l, :, l]) @ gap for gap, l in zip(gaps, order, strict=True)]
    return chi_square_tail(D, float(max(far))) < (1.0 - LEVEL) / L


def _is_apart(passes: Passes, law: AnswerLikelihood, best: Climb, other: Climb, root: Floats) -> bool:
    """Whether the likelihood falls on the way between two solutions."""
    order = match_rows(law.theta(best.u) @ root.T, law.theta(other.u) @ root.T, unit=1.0)
    theta = law.theta(best.u)[order].ravel()
    start = np.concatenate([theta, best.u[theta.size :]])
    heights = [
        passes.total(lambda block, _, t=t: law.sums(block, start + t * (other.u - start))).likelihood  # type: ignore[misc]
        for t in (0.25, 0.5, 0.75)
    ]
    return bool(min(heights) < min(best.height, other.height) - VALLEY)
