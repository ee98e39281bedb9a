r"""The search for the solution that explains sets best, whatever the inputs look like.

1. Alternating assignment from many random starts; the best is improved by moves of two and three systems (`moves.resolved`), and so are the
   next ones where squared distances tell which solution is better. Where inputs repeat, averages under each of them are searched first, and
   far longer (`levels`).
2. The different ones among these climb the likelihood (`ascent`), which counts every assignment by its probability: where the noise
   is as large as the gaps, least squared distance prefers wrong solutions. So do some random starts and local solutions after annealing,
   which depend less on where they began.
3. From the best one: other parameters of two and three systems that make nearly the same sets (`moves.alternatives`) climb as well. If one
   ends higher, it is the best, and this step begins again. All that ended elsewhere are kept: the rivals are among them.
4. All of this is a round. Another one follows, from new random starts, while the residuals of the best solution are larger than the noise (a
   certificate that needs no labels, `problem.residual_variance`), and until rounds ended at the best solution again: two of them where
   associations are in doubt, one where sets are few. A round that only comes back to the best solution makes no moves from it. Where no round
   has come back to it, there are more of them; if none does then, there may well be a better one, and the search says that.

The likelihood is that of Gaussian noise of the variance that the sums of the readings have, which needs no labels. It serves to
compare solutions only; the estimate itself needs no noise law.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.ascent import Climbed, anneal, climb, likeliest
from vieta.search.levels import level_solutions
from vieta.search.moves import DIFFERENT, alternatives, local_solutions, random_starts, resolved, subsets
from vieta.search.problem import Problem, distance, doubt, residual_variance, some_of

STARTS, STARTS_EACH = 16, 8  # random starts: so many, and so many more for each unknown beyond one a system
MOST_STARTS = 120
IMPROVED = 4  # of the best of them, by moves
SUBSETS = 3e5  # sets times subsets of systems, that a search sees
FEWEST = 60  # of these sets
ANNEALING = 1.5e5  # sets times subsets of systems, that annealing sees
ANNEALED = 2, 6  # random starts, and as many local solutions: at least and at most, with the unknowns
CLIMBING = 8  # solutions that climb before the moves
SHORT = 30  # iterations of a climb that is to be compared
NEAR, FINE = 0.02, 0.001  # log-likelihood: what a move must gain, and where a climb ends from which moves are made
FAR = 200.0  # log-likelihood that an alternative may lose by its own account, and still be tried
MOST_ALTERNATIVES = 3  # of a subset
MOST_MOVES = 40  # accepted ones
BEHIND = 15.0  # log-likelihood behind the best, from which a climb is not worth its end
SURE = 0.01  # log-likelihood of all assignments over that of the best one, a set: below, associations are not in doubt
MUDDLED = 0.2  # the same: above, squared distances do not tell which solution is better
HOPELESS = 60.0  # log-likelihood behind the best, from which a solution is not looked at again
LARGE, LARGE_ROUNDS = (
    10,
    3,
)  # systems beyond which sums over assignments are slow, and rounds that there are then at the most
LARGE_ENOUGH = 2  # the same, where residuals are as small as the noise
LARGE_MOVES = 1200  # that are tried on a local solution then
MOST_OTHERS = 12  # different solutions that are kept
OTHER_STARTS = 1000  # seed of the first of them
AGREED = 0.5  # log-likelihood within which two rounds ended at the same place
AGREEMENT, MANY = (
    2,
    8,
)  # rounds that must end there again, where associations are in doubt; one if there are more systems than so many
ROUNDS, DOUBTFUL_ROUNDS = 8, 6  # at the most, while residuals are rather large; and where associations are in doubt
SLOW, SLOW_ROUNDS = 5e4, 4  # sets times subsets of systems, beyond which there are so many at the most
ROUND, MOST_ROUNDS = 500, 6  # sets; with fewer, rounds cost less, and there may be so many times as many of them


def affordable_sets(n_systems: int, reading_dim: int = 1) -> int:
    """Sets of L systems that a search can see: fewer where sums over assignments are slow, which is where each of them has many readings.

    Numbers are taken in groups of neighbours (`vieta.association.number_association`); vectors have no such order.

    >>> [affordable_sets(L, 1) for L in (8, 10, 14)], [affordable_sets(L, 2) for L in (8, 10, 12, 14, 20)]
    ([1171, 292, 292], [1171, 292, 146, 73, 60])
    """
    groups = min(n_systems, LARGE)
    further = 0.5 * (n_systems - groups) if reading_dim > 1 else 0.0
    return int(max(SUBSETS / 2.0 ** (groups + further), FEWEST))


class Search(NamedTuple):
    """The best solution, all different ones that were met, the best of them first, and the certificate.

    `residual` is the variance of the residuals over that of the noise; `certified` whether it is no larger than it should be. `repeated` is
    whether the best one was reached from other starts again, where associations are in doubt.
    """

    best: Climbed
    others: list[Climbed]
    residual: float
    certified: bool
    repeated: bool


def search(given: Problem, largest_residual: float, most: int | None = None, near: Floats | None = None) -> Search:
    """Search from random parameters. The result is a function of its arguments; residual variances up to `largest_residual` certify.

    There are at most so many rounds as `most`, if that is given. Parameters `near` (L, D), where a search of almost the same sets has ended,
    count as a round; the others have random starts that no such search has.
    """
    limit, seed = 1.0 + 0.5 * (largest_residual - 1.0), 0 if near is None else OTHER_STARTS
    (best, met), agreed = _round(given, np.random.default_rng(seed), limit), 0
    if near is not None:
        best, met, agreed = _compared(best, met, agreed, climb(given, near, gain=FINE), [])
    for again in range(1 if near is None else 2, most or _most_rounds(given)):
        residual = residual_variance(given, best.theta)
        if residual <= limit and (agreed >= _agreement(given, best) or again >= _enough(given, agreed)):
            break
        if again >= ROUNDS and residual <= largest_residual:
            break
        round_ = _round(given, np.random.default_rng(seed + again), limit, best)
        best, met, agreed = _compared(best, met, agreed, *round_)
    best = climb(given, best.theta)
    residual = residual_variance(given, best.theta)
    repeated = bool(agreed or not _agreement(given, best))
    return Search(best, _different(given, best, met), residual, residual <= largest_residual, repeated)


def _compared(
    best: Climbed, met: list[Climbed], agreed: int, other: Climbed, more: list[Climbed]
) -> tuple[Climbed, list[Climbed], int]:
    """The better of two, all that was met, and how often the best was reached again."""
    gained = other.likelihood - best.likelihood
    agreed = agreed + (gained > -AGREED) if gained < AGREED else 0
    return max(best, other, key=_height), [*met, *more, min(best, other, key=_height)], agreed


def _agreement(given: Problem, best: Climbed) -> int:
    """How many rounds must have ended at the best solution again: more where associations are in doubt, none where many sets are sure."""
    if doubt(given, best.theta) >= SURE:
        return AGREEMENT if given.n_systems <= MANY else 1
    return 0 if len(given.sets) >= ROUND else 1


def _enough(given: Problem, agreed: int) -> int:
    """Rounds after which no more are made where associations are in doubt: fewer where sums over assignments are slow, and more where none
    of them has come back to the best solution.
    """
    n, L, _ = given.sets.shape
    if L > LARGE:
        return LARGE_ENOUGH
    if not agreed:
        return ROUNDS
    return DOUBTFUL_ROUNDS if n * 2.0**L <= SLOW else SLOW_ROUNDS


def _most_rounds(given: Problem) -> int:
    """More with fewer sets, which cost less, but not with so few that no solution can be certified."""
    (n, L, p), D = given.sets.shape, given.psi.shape[2]
    if L > LARGE:
        return LARGE_ROUNDS
    return ROUNDS * min(max(1, ROUND // n), MOST_ROUNDS) if n * p >= 2 * L * D else ROUNDS


def _height(one: Climbed) -> float:
    return one.likelihood


def _round(
    given: Problem, rng: np.random.Generator, limit: float, known: Climbed | None = None
) -> tuple[Climbed, list[Climbed]]:
    """One search, and what it met on its way. No moves are made again from a solution that is `known`.

    There is no annealing where many sets are sure and their residual variance is at most `limit`.
    """
    found, starts = _first_solutions(given, rng, [] if known is not None else level_solutions(given, rng))
    climbed = _climbed(given, found, [])
    if starts and (_agreement(given, climbed[-1]) or residual_variance(given, climbed[-1].theta) > limit):
        some = some_of(given, int(ANNEALING / 2.0**given.n_systems))
        climbed = _climbed(given, [anneal(some, theta) for theta in starts], climbed)
    best, met = climb(given, climbed[-1].theta, gain=FINE), climbed[:-1]
    for _ in range(MOST_MOVES):
        better = None if known is not None and _same(given, best, known) else _moved(given, best, rng, met)
        if better is None:
            break
        met.append(best)
        best = climb(given, better.theta, gain=FINE)
    return best, met


def _climbed(given: Problem, starts: list[Floats], others: list[Climbed]) -> list[Climbed]:
    """Where climbs end, and others, the best last; those that fall behind are given up."""
    found = list(others)
    for theta in starts:
        found.append(climb(given, theta, SHORT, NEAR, max(map(_height, found), default=-np.inf) - BEHIND))
    return sorted(found, key=_height)


def _same(given: Problem, one: Climbed, other: Climbed) -> bool:
    return abs(one.likelihood - other.likelihood) < AGREED and distance(given, one.theta, other.theta) <= DIFFERENT


def _first_solutions(
    given: Problem, rng: np.random.Generator, levels: list[Floats]
) -> tuple[list[Floats], list[Floats]]:
    """Different solutions by assignment, the best first after those by levels, and parameters to anneal."""
    L, D = given.n_systems, given.psi.shape[2]
    unknown = max(L * (D - given.psi.shape[1]), 0) if L > 1 else 0
    found = local_solutions(given, min(STARTS + STARTS_EACH * unknown, MOST_STARTS), rng)
    better = [resolved(given, found[0], rng, None if L <= LARGE else LARGE_MOVES)]
    if doubt(given, better[0].theta) < MUDDLED:
        better += [resolved(given, one, rng) for one in found[1:IMPROVED]]
    pool: list[Floats] = []
    for theta in [*levels, *(one.theta for one in sorted(better, key=lambda one: one.cost) + found)]:
        if len(pool) < CLIMBING + len(levels) and all(distance(given, theta, other) > DIFFERENT for other in pool):
            pool.append(theta)
    if not unknown or L > LARGE:
        return pool, []
    count = int(np.clip(unknown - 2, *ANNEALED))
    return pool, [*random_starts(given, count, rng), *(one.theta for one in found[:count])]


def _moved(given: Problem, best: Climbed, rng: np.random.Generator, met: list[Climbed]) -> Climbed | None:
    """The first alternative of two or three systems that ends higher; those that do not are added to `met`."""
    few = given.n_systems <= LARGE
    for size in (2, 3) if few else (2,):
        for chosen in subsets(given.n_systems, size, rng) if size <= given.n_systems else []:
            for count, other in enumerate(alternatives(given, best.theta, chosen, rng)):
                if count >= (MOST_ALTERNATIVES if few else 1) or 0.5 * other.cost > FAR:
                    break
                theta = best.theta.copy()
                theta[chosen] = other.theta
                reached = climb(given, theta, SHORT, NEAR, best.likelihood - BEHIND)
                if reached.likelihood > best.likelihood + NEAR:
                    return reached
                met.append(reached)
    return None


def _different(given: Problem, best: Climbed, met: list[Climbed]) -> list[Climbed]:
    """The solutions that differ from the best and from each other, the likeliest first; hopeless ones are left out."""
    near = [one for one in met if one.likelihood > best.likelihood - HOPELESS]
    return likeliest(given, near, best.theta, DIFFERENT, MOST_OTHERS)
