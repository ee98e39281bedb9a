"""Maximum likelihood for unlabeled sets: associations by permanents, EM, recursive EM, one Fisher-scoring step."""

from vieta.likelihood.associations import Associations, associations
from vieta.likelihood.model import log_likelihood, score

__all__ = ["Associations", "associations", "log_likelihood", "score"]
