"""One run of a row: every method on the same data, its error, whether its intervals cover, and the time it takes."""

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import vieta
from studies.peers import plain, recest, soup
from studies.peers.methods import METHODS
from studies.peers.plain import Answer
from studies.peers.rows import Problem, Row, Start, start
from vieta.arrays import Floats
from vieta.matching import match_rows
from vieta.quantiles import two_sided

LEVEL = 0.95
LONGER = 10  # times as many sets, to see what each further one takes


def _blocks(estimate: vieta.Estimate) -> Floats:
    """(L, D, D) the covariance of each system, wider where intervals are from a t law."""
    L, D = estimate.theta.shape
    each = estimate.cov.reshape(L, D, L, D)
    wider = two_sided(LEVEL, estimate.dof) / two_sided(LEVEL, np.inf)
    return wider**2 * np.array([each[l, :, l] for l in range(L)])


def _batch(problem: Problem, method: str | None = None) -> Answer:
    sets, inputs = problem.natural
    estimate = vieta.fit(sets, inputs, n_systems=len(problem.theta), method=method)
    return Answer(estimate.theta, _blocks(estimate))


def _online(problem: Problem) -> Answer:
    sets, inputs = problem.natural
    method = None if problem.is_complete else "adaptive"
    filtered = vieta.SymmetricFilter(*problem.theta.shape, method=method).partial_fit(sets, inputs)
    estimate = filtered.estimate()
    return Answer(estimate.theta, _blocks(estimate))


def prepared(name: str, problem: Problem, begun: Start) -> Callable[[], Answer]:
    """What runs a method; the data are in its own form before the clock starts."""
    made: dict[str, Callable[[], Callable[[], Answer]]] = {
        "labeled": lambda: partial(plain.labeled, problem),
        "vieta": lambda: partial(_batch, problem),
        "vieta, normal noise": lambda: partial(_batch, problem, "em"),
        "vieta, online": lambda: partial(_online, problem),
        "Stone Soup JPDA": lambda: soup.tracked("jpda", problem, begun),
        "Stone Soup GNN": lambda: soup.tracked("gnn", problem, begun),
        "PyRecEst JPDA": lambda: recest.tracked("jpda", problem, begun),
        "PyRecEst GNN": lambda: recest.tracked("gnn", problem, begun),
        "alternating assignment": lambda: partial(plain.alternating, problem, begun),
        "mixture EM": lambda: partial(plain.mixture, problem, begun),
        "padasip RLS": lambda: partial(plain.padasip_rls, problem),
    }
    return made[name]()


def judged(problem: Problem, answer: Answer) -> dict[str, Any]:
    """The mean square of psi (estimate - truth), the share of parameters in their intervals, and whether a system was lost.

    It is lost if it is farther from its truth than half of the way to the next system.
    """
    order = match_rows(answer.theta, problem.theta)
    off, W = answer.theta[order] - problem.theta, problem.weight
    squares = np.einsum("ld,de,le->l", off, W, off)
    gaps = problem.theta[:, None] - problem.theta[None]
    apart = np.einsum("lmd,de,lme->lm", gaps, W, gaps) + np.diag(np.full(len(off), np.inf))
    covered = None
    if answer.covs is not None:
        errors = np.sqrt(np.maximum(np.einsum("ldd->ld", answer.covs[order]), 0.0))
        covered = float((abs(off) <= two_sided(LEVEL, np.inf) * errors).mean())
    lost = bool((squares > 0.25 * apart.min(axis=1)).any())
    return {"squared": float(squares.mean()), "covered": covered, "lost": lost}


@cache
def _warm(row: Row) -> None:
    """Run what compiles once, so that no run has its time in it."""
    problem = row.draw(-1 % 2**32)
    for method in METHODS:
        if method.is_ours and method.can(problem):
            prepared(method.name, problem, start(problem, 0))()


def _timed(run: Callable[[], Answer]) -> tuple[Answer, float]:
    """The answer, and the microseconds of the processor that it took."""
    before = time.process_time()
    answer = run()
    return answer, 1e6 * (time.process_time() - before)


def one_run(row: Row, seed: int) -> dict[str, Any]:
    """The figures of all methods that can run on the row: time a set, and of ours for each further set, whatever is done once."""
    _warm(row)
    problem, longer = row.draw(seed), row.draw(seed, LONGER)
    begun, sets = start(problem, seed), len(problem.sets)
    found: dict[str, Any] = {}
    for method in METHODS:
        if not method.can(problem):
            continue
        answer, taken = _timed(prepared(method.name, problem, begun))
        found[method.name] = judged(problem, answer) | {"time": taken / sets, "further": None}
        if method.is_ours:
            more = _timed(prepared(method.name, longer, begun))[1]
            found[method.name]["further"] = (more - taken) / (len(longer.sets) - sets)
    return found
