r"""Moves between solutions of answers: a few systems get other parameters that make nearly the same predictors.

Predictors have no labels either. With those of a solution in the place of readings, `vieta.search.moves.alternatives` finds what else two or
three systems may be; known numbers shift all predictors of a set alike and make no difference. Lengths are in units of the error of a
predictor from one answer with its label,

.. math:: s^2 = D \,/\, \mathrm{tr}\bigl(R^{-\top} C R^{-1}\bigr), \qquad C = -\frac1n \sum_k \nabla\nabla' \log f(y_k \mid \theta, \nu),

by the curvature of the answers' law at the fit of one system, R the root of the inputs' second moments.
"""

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from vieta.answers.answer_likelihood import AnswerLikelihood, input_rows
from vieta.arrays import Floats
from vieta.search.moves import alternatives, subsets
from vieta.search.problem import Problem, problem
from vieta.sets import Data

NUDGE = 1e-3  # of a predictor, by which parameters are moved for the curvature
LEAST, MOST = 1e-6, 1e6  # information of an answer about its predictor that is believed
FINE = 0.5  # units, which distances between alternatives are measured in: many sets tell less than one unit apart
MOST_ALTERNATIVES = 3  # of a subset


def unit(one: Data, law: AnswerLikelihood, u: Floats, root: Floats) -> float:
    """The error of a predictor from one answer: by the law of one system, its unknowns u, and sets `one` of one answer each."""
    back = np.linalg.inv(root)
    curved = 0.0
    for d in range(law.dim):
        step = np.zeros(law.size)
        step[: law.dim] = NUDGE * back[:, d]
        up, down = (law.sums(one, u + side * step).score for side in (1.0, -1.0))
        curved += float((down - up) @ step) / (2.0 * NUDGE**2)
    return float(1.0 / np.sqrt(np.clip(curved / (law.dim * max(len(one), 1)), LEAST, MOST)))


def predictor_problem(some: Data, n_systems: int, size: float) -> Problem:
    """The inputs of sets, with predictors to come in the place of readings, in `FINE` units of a size."""
    rows = input_rows(some)[:, None, :]
    return problem(np.zeros((len(some), n_systems, 1)), rows, np.full((1, 1), (FINE * size) ** 2))


def moves(given: Problem, theta: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """Parameters (L, D) in which two systems are others, then three."""
    yield from entangled(given, theta, 2, rng)
    yield from turned(given, theta, rng)
    yield from entangled(given, theta, 3, rng)


def entangled(given: Problem, theta: Floats, size: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Parameters (L, D) in which so many systems make nearly the same predictors, every subset in its turn."""
    for chosen in subsets(len(theta), size, rng) if size <= len(theta) else []:
        for other in islice(alternatives(given, theta, chosen, rng), MOST_ALTERNATIVES):
            moved = theta.copy()
            moved[chosen] = other.theta
            yield moved


def turned(given: Problem, theta: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """Parameters (L, D) with the same mean of two systems and a difference of the same size in other directions, at right angles."""
    L, D = theta.shape
    for i, j in combinations(range(L), 2):
        mean, half = 0.5 * (theta[i] + theta[j]), 0.5 * np.linalg.norm(given.root @ (theta[i] - theta[j]))
        for direction in np.linalg.qr(rng.standard_normal((D, D)))[0].T:
            moved = theta.copy()
            other = half * given.back @ direction
            moved[i], moved[j] = mean + other, mean - other
            yield moved
