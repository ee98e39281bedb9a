r"""The likelihood of sets of answers by the sum over all assignments, for any law of one answer.

With :math:`A_{il} = f(y_i \mid \eta_l)` the density of a set is :math:`\mathrm{perm}(A)/L!` and, P the probabilities of assignments
(`vieta.association.permanents`), its scores are

.. math:: \frac{\partial \log p(Y)}{\partial \eta_l} = \sum_i P_{il}\,\frac{\partial \log f(y_i \mid \eta_l)}{\partial \eta_l}, \qquad
    \frac{\partial \log p(Y)}{\partial \nu} = \sum_{il} P_{il}\,\frac{\partial \log f(y_i \mid \eta_l)}{\partial \nu} .

The information is the sum of the squares of the scores. That with labels is :math:`\sum_k w_l \psi\psi'` for the parameters of each system,
w the information of an answer about its predictor, and the squares of the scores of what is beside them.
"""

from abc import abstractmethod

import numpy as np

from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums, input_rows
from vieta.arrays import Floats, plain
from vieta.sets import Data

Kept = tuple[Floats, ...]
PIECE = 2000  # sets that are looked at together


class AssociationLikelihood(AnswerLikelihood):
    """The likelihood of a family that says how likely one answer is."""

    searched = 800

    @abstractmethod
    def logs(self, block: Data, u: Floats) -> tuple[Floats, Kept]:
        """(n, L, L) log f of answer i as one of system l, and what `slopes` needs of the same computation."""

    @abstractmethod
    def slopes(self, block: Data, u: Floats, P: Floats, kept: Kept) -> tuple[Floats, Floats]:
        """(n, L) scores of the predictors and (n, m - L D) of what is estimated beside, with P (n, L, L) the probabilities of assignments."""

    @abstractmethod
    def told(self, block: Data, u: Floats) -> Floats:
        """(n, L) what an answer of each system tells about its predictor: information, by the law."""

    def scores(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        """Log densities (n,) and scores (n, m) of the sets of a block."""
        pieces = [self._scores(block.part(at, at + PIECE), u) for at in range(0, max(len(block), 1), PIECE)]
        return np.concatenate([one[0] for one in pieces]), np.concatenate([one[1] for one in pieces])

    def _scores(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        from vieta.association.permanents import associate_each

        logs, kept = self.logs(block, u)
        values, P = associate_each(plain(logs))
        at_predictors, beside = self.slopes(block, u, P, kept)
        at_theta = at_predictors[:, :, None] * input_rows(block)[:, None, :]
        return values, np.concatenate([at_theta.reshape(len(block), -1), beside], axis=1)

    def sums(self, block: Data, u: Floats) -> AnswerSums:
        """Log-likelihood, score and information of a block."""
        nothing = np.zeros((self.size, self.size))
        total = AnswerSums(0, 0.0, np.zeros(self.size), nothing, nothing)
        for at in range(0, len(block), PIECE):
            piece = block.part(at, at + PIECE)
            values, g = self._scores(piece, u)
            squares = g.T @ g
            total = total + AnswerSums(
                len(values), float(values.sum()), g.sum(axis=0), squares, self._labeled(piece, u, squares)
            )
        return total

    def _labeled(self, block: Data, u: Floats, squares: Floats) -> Floats:
        """(m, m) the information with labels; of what is beside the parameters, the squares of its scores."""
        rows, weights, D = input_rows(block), self.told(block, u), self.dim
        found = np.diag(np.diag(squares))
        for l in range(self.n_systems):
            own = slice(l * D, (l + 1) * D)
            found[own, own] = (rows * weights[:, l, None]).T @ rows
        return found
