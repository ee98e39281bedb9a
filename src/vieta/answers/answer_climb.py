r"""Climbing the likelihood of answers: scoring with a ridge and the way back.

.. math:: u \leftarrow u + (H + \varepsilon\,\mathrm{diag}\,H)^{-1} g

with the score g and the information H of one pass, or that with labels where this promises more, :math:`g'H^{-1}g`: far from the top squares of
scores are far more than curvature, which is no more than the information with labels, about. (Such a step is one of EM, about.) A step that
lowers the likelihood is taken back and :math:`\varepsilon` grows tenfold; after one that rises it falls to a tenth. No predictor moves by more
than `LONGEST` at once, root mean square. Where a step s gained more than half of g's, as it would if H were the curvature, the next one is
longer, by the factor :math:`g's / 2(g's - \text{gain})`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums
from vieta.arrays import Floats
from vieta.sums import Passes

ITERATIONS = 200
GAIN = 1e-7  # log-likelihood: a step that gains less ends the climb
FIRST_RIDGE, LEAST_RIDGE, MOST_RIDGE = 1e-3, 1e-9, 1e9
LONGEST = 2.0  # of the predictors, root mean square
MOST_LONGER = 30.0  # times the step of the information
TOUCHING = (
    1e-2  # ridge of that: two systems that coincide have no information on their difference, and slopes of rounding
)
NEAR = 2e-3  # g'H⁻¹g where iterations end, below which that is within a small part of a standard error of the maximum
IDLE = 5  # steps in a row, taken or not, that change the likelihood by less than a gain: it is level there, to rounding


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """Where a climb ended: unknowns (m,), the sums there, and whether it has converged."""

    u: Floats
    sums: AnswerSums
    converged: bool

    @property
    def height(self) -> float:
        """The log-likelihood."""
        return self.sums.likelihood


def climb(
    passes: Passes,
    law: AnswerLikelihood,
    u: Floats,
    root: Floats,
    *,
    iterations: int = ITERATIONS,
    gain: float = GAIN,
    goal: float = -np.inf,
) -> Climb:
    """Climb from unknowns u; `root` (D, D) makes squared lengths of parameters those of predictors. Ends where it falls behind `goal`."""

    def at(place: Floats) -> AnswerSums:
        return passes.total(lambda block, _: law.sums(block, place))

    return climb_sums(at, law, u, root, iterations=iterations, gain=gain, goal=goal)


def climb_sums(
    at: Callable[[Floats], AnswerSums],
    law: AnswerLikelihood,
    u: Floats,
    root: Floats,
    *,
    iterations: int = ITERATIONS,
    gain: float = GAIN,
    goal: float = -np.inf,
) -> Climb:
    """The same with sums by a function."""
    now, ridge, idle, length = at(u), FIRST_RIDGE, 0, 1.0
    for _ in range(iterations):
        step = bounded(law, length * promising(now, ridge), root)
        there = law.moved(u, step)
        found = at(there)
        gained = found.likelihood - now.likelihood
        idle = idle + 1 if abs(gained) < gain else 0
        if idle == IDLE:
            return Climb(u, now, True)
        if not gained >= -1e-10 * max(abs(now.likelihood), 1.0):
            if ridge >= MOST_RIDGE:
                return Climb(u, now, True)
            ridge, length = (ridge, 1.0) if length > 1.0 else (10.0 * ridge, 1.0)
            continue
        was, length = length, _longer(length, float(now.score @ step), gained)
        u, now, ridge = there, found, max(0.1 * ridge, LEAST_RIDGE)
        if gained < gain and ridge <= FIRST_RIDGE:
            if was == 1.0:
                return Climb(u, now, True)
            length = 1.0
        if gained < 1.0 and now.likelihood + 20.0 * gained < goal:
            return Climb(u, now, False)
    return Climb(u, now, is_near(now))


def _longer(length: float, rise: float, gained: float) -> float:
    """How many times the step of the information the next one is, by what the last one gained and the first order let expect."""
    return float(np.clip(0.5 * length * rise / max(rise - gained, 1e-300), 1.0, MOST_LONGER)) if rise > 0.0 else 1.0


def is_near(sums: AnswerSums, fixed: Sequence[int] = ()) -> bool:
    """Whether a place is within a small part of a standard error of the maximum, along the unknowns that are not `fixed`."""
    free = np.setdiff1d(np.arange(len(sums.score)), np.asarray(fixed, dtype=np.int64))
    part = replace(sums, score=sums.score[free], information=sums.information[np.ix_(free, free)])
    return bool(ridged(part, TOUCHING) @ part.score < NEAR) if len(free) else True


def ridged(sums: AnswerSums, ridge: float) -> Floats:
    """(m,) the step; nothing along unknowns without information."""
    scale = np.sqrt(np.maximum(np.diag(sums.information), 1e-300))
    H = sums.information / (scale[:, None] * scale)
    step = np.linalg.solve(H + max(ridge, 1e-12) * np.eye(len(H)), sums.score / scale) / scale
    return np.where(scale > 1e-140, step, 0.0)


def promising(sums: AnswerSums, ridge: float) -> Floats:
    """(m,) the step by the information, or by that with labels, whichever promises more."""
    step = ridged(sums, ridge)
    if not sums.labeled.any():
        return step
    other = ridged(replace(sums, information=sums.labeled), ridge)
    return other if other @ sums.score > step @ sums.score else step


def held(sums: AnswerSums, i: int) -> AnswerSums:
    """The same, of which an unknown does not move."""
    sums.score[i] = 0.0
    for information in (sums.information, sums.labeled):
        information[i, :], information[:, i] = 0.0, 0.0
    return sums


def bounded(law: AnswerLikelihood, step: Floats, root: Floats) -> Floats:
    """The step, shortened so that no predictor moves far."""
    far = float(np.linalg.norm(law.theta(step) @ root.T, axis=1).max())
    return step if far <= LONGEST else step * (LONGEST / far)
