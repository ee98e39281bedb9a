"""Maximum likelihood for unlabeled sets: associations by permanents, EM, one Fisher-scoring step.

Recursive EM takes sets as they come, and so it is a filter: ``vieta.SymmetricFilter(n_systems, method="recursive-em")``. With
the constant step of the paper, from a start that is given, it is `vieta.baselines.recursive_em`.
"""

from typing import NoReturn

from vieta.likelihood.associations import Associations, associations
from vieta.likelihood.expectation import em
from vieta.likelihood.markov_em import markov_em
from vieta.likelihood.model import log_likelihood, score
from vieta.likelihood.scoring import one_step

__all__ = ["Associations", "associations", "em", "log_likelihood", "markov_em", "one_step", "score"]


def __getattr__(name: str) -> NoReturn:
    where = ""
    if name == "recursive_em":
        where = (
            ". Recursive EM takes sets as they come: it is vieta.SymmetricFilter(n_systems, method='recursive-em'), and with "
            "the paper's constant step vieta.baselines.recursive_em"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{where}")
