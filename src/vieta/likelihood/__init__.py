"""Maximum likelihood for unlabeled sets: densities, scores, associations by permanents, and labels that follow a Markov chain.

EM, one scoring step, and recursive EM are methods of `vieta.fit` and `vieta.SymmetricFilter`.
"""

from vieta.likelihood.associations import Associations, associations
from vieta.likelihood.markov_em import MarkovFit, markov_em
from vieta.likelihood.model import log_likelihood, score

__all__ = ["Associations", "MarkovFit", "associations", "log_likelihood", "markov_em", "score"]
