r"""Standard errors of an estimate from answers: from the scores of all unknowns, with memory over time.

.. math:: \mathrm{Cov} = H^{-1}, \qquad a_k = H^{-1} g_k

are the covariance and the influences of the sets, H the information and g the scores of all unknowns; for quasi-scores the covariance is
:math:`\sum_k a_k a_k'`. Directions without information have
large errors, not small ones. With memory the covariance is that of the sum of the influences in the long run (`vieta.long_run`).
"""

from dataclasses import dataclass

import numpy as np

from vieta.answers.answer_climb import Climb
from vieta.answers.answer_likelihood import AnswerLikelihood
from vieta.arrays import Floats
from vieta.long_run import Persistence
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.score_errors import Basis, with_memory

FLAT = 1e-9  # of the largest eigenvalue, in units of the diagonal: information that is taken to be there at least
NOTHING = 1e-120  # information about an unknown where there is none: squares of its variance are still numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Remembered(Sums):
    """What tells memory, and the sum of the squares of scores (m, m)."""

    persistence: Persistence
    squares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class AnswerErrors:
    """The covariance (m, m) of all unknowns, of which those of theta come first, and what it rests on."""

    cov: Floats
    basis: Basis


def inverse(information: Floats) -> Floats:
    """The inverse, in units of the diagonal; what is singular gets large entries."""
    if not len(information):
        return np.empty((0, 0))
    scale = np.sqrt(np.maximum(np.diag(information), NOTHING))
    values, vectors = np.linalg.eigh(np.clip(information / (scale[:, None] * scale), -1.0, 1.0))
    kept = np.maximum(values, FLAT * max(float(values[-1]), NOTHING))
    return np.asarray((vectors / kept) @ vectors.T / (scale[:, None] * scale))


def answer_errors(passes: Passes, law: AnswerLikelihood, found: Climb, fixed: list[int]) -> AnswerErrors:
    """The covariance of where a climb ended, in one pass, or two where there is memory; unknowns that are `fixed` have infinite variance."""
    m, L, D = law.size, law.n_systems, law.dim
    free = [i for i in range(m) if i not in fixed]
    cov = np.zeros((m, m))
    cov[np.ix_(free, free)] = inverse(found.sums.information[np.ix_(free, free)])
    basis = Basis(float("inf"), float(found.sums.count), float(found.sums.count))

    def memory(block: Data, _: int) -> _Remembered:
        scores = law.scores(block, found.u)[1]
        return _Remembered(Persistence.of(scores[:, : L * D].reshape(len(block), L, D)), scores.T @ scores)

    sums, bread = passes.total(memory), cov.copy()
    if law.robust:
        cov = bread @ sums.squares @ bread
    if sums.persistence.found:
        theta = slice(0, L * D)
        cov[theta, theta], basis = with_memory(
            basis, passes, lambda block: law.scores(block, found.u)[1] @ bread[:, theta]
        )
    for i in fixed:
        cov[i, :], cov[:, i] = 0.0, 0.0
        cov[i, i] = np.inf
    return AnswerErrors(cov, basis)
