r"""What a family of answers must say: how likely sets are at some unknowns, and the scores.

The unknowns are one vector u (m,): the parameters :math:`\theta` (L, D) row by row, then what the family estimates beside them (thresholds, a
deviation). Predictors are :math:`\eta_l = \psi'\theta_l + b`, b a known number a set.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.sums import Sums


@dataclass(frozen=True, slots=True, eq=False)
class AnswerSums(Sums):
    """Sums over sets: their number, the log-likelihood, the score (m,) and the information (m, m).

    `labeled` (m, m) is the information that they would have with labels, by the law; zeros where `information` is by the law itself.
    """

    count: int
    likelihood: float
    score: Floats
    information: Floats
    labeled: Floats


class AnswerLikelihood(ABC):
    """The likelihood of sets of answers of L systems with D parameters each."""

    n_systems: int
    dim: int
    n_nuisance: int
    searched: ClassVar[int] = 2000  # sets that a search looks at
    has_mean_information: ClassVar[bool] = False  # whether the information is that of the law, not of these answers
    robust: bool = (
        False  # whether scores are not those of a likelihood, so that their squares are not their information
    )

    @property
    def size(self) -> int:
        """m."""
        return self.n_systems * self.dim + self.n_nuisance

    def theta(self, u: Floats) -> Floats:
        """(L, D) the parameters among the unknowns."""
        return plain(u[: self.n_systems * self.dim].reshape(self.n_systems, self.dim))

    @abstractmethod
    def sums(self, block: Data, u: Floats) -> AnswerSums:
        """Log-likelihood, score and information of a block."""

    @abstractmethod
    def scores(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        """Log densities (n,) and scores (n, m) of the sets of a block."""

    @abstractmethod
    def of_size(self, n_systems: int) -> "AnswerLikelihood":
        """The same of another number of systems."""

    def weighted(self, block: Data, u: Floats, weights: Floats) -> Floats:
        """(m, m) the information of sets with weights (n,): by default the squares of their scores."""
        g = self.scores(block, u)[1]
        return np.asarray((g * weights[:, None]).T @ g)

    def moved(self, u: Floats, step: Floats) -> Floats:
        """The unknowns after a step."""
        return u + step


def input_rows(block: Data) -> Floats:
    """(n, D) the inputs of answers, which are numbers."""
    return plain(block.inputs[:, None] if block.inputs.ndim == 1 else block.inputs[:, 0])


def known_numbers(block: Data) -> Floats:
    """(n,) the known numbers b; zeros where there are none."""
    return np.zeros(len(block)) if block.known is None else plain(block.known)


def predictors(block: Data, theta: Floats) -> Floats:
    """(n, L) eta."""
    return np.asarray(input_rows(block) @ theta.T + known_numbers(block)[:, None])
