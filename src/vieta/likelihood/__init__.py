"""Maximum likelihood for unlabeled sets: associations by permanents, EM, recursive EM, one Fisher-scoring step."""

from vieta.likelihood.associations import Associations, associations
from vieta.likelihood.em import em
from vieta.likelihood.markov_em import markov_em
from vieta.likelihood.model import log_likelihood, score
from vieta.likelihood.one_step import one_step

__all__ = ["Associations", "associations", "em", "log_likelihood", "markov_em", "one_step", "score"]
