r"""What randomized response buys and costs: anonymity of answers against the analyst's error.

Each answer is exchanged with probability r for one of the others, drawn evenly (`vieta.answers.flips`). The guesser and the analyst know r. The
analyst's error grows as the Cramér-Rao bound does,

.. math:: \mathrm{se}(r) = \mathrm{se}(0)\,\sqrt{\frac{[I_r^{-1}]_{jj}}{[I_0^{-1}]_{jj}}} .
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from vieta.anonymity.answer_error import answer_error
from vieta.anonymity.tradeoff import Tradeoff
from vieta.answer_model import AnswerModel
from vieta.answers.answer_associations import drawn_answers, family_of
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerLikelihood
from vieta.answers.binary import BinaryLikelihood
from vieta.answers.flips import in_turn
from vieta.answers.ordinal import OrdinalLikelihood
from vieta.arrays import Floats
from vieta.checks import as_floats
from vieta.errors import InputError
from vieta.sets import Data

LEVELS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # of flips, as far as they leave something
DRAWS = 20_000  # sets of simulated levels
LEFT = 0.1  # of what an answer tells, below which levels end


def answers_of(model: AnswerModel) -> int:
    """How many answers there are, of a family that has an end of them; else zero."""
    values = family_of(model).values(model)
    return 0 if values is None else len(values)


def flip_levels(model: AnswerModel, added: ArrayLike | None) -> Floats:
    """(m,) probabilities of flips: those that are asked for, or from none to nearly all."""
    M = answers_of(model)
    if added is None:
        return np.array([one for one in LEVELS if one < (1.0 - LEFT) * (M - 1.0) / M])
    shares = np.atleast_1d(as_floats(added, "added"))
    most = (M - 1.0) / M
    if shares.ndim != 1 or not shares.size or np.any(shares < 0.0) or np.any(shares >= most):
        raise InputError(
            "added-flips",
            "`added` must list probabilities from 0 to less than {most:.4g} with which each of {count} answers is exchanged for another one; "
            "got {added!r}.",
            most=most,
            count=M,
            added=added,
        )
    return shares


def answer_tradeoff(
    model: AnswerModel, theta: Floats, analyst: Floats, design: Data, shares: Floats, *, draws: int, seed: int
) -> Tradeoff:
    """At probabilities of flips (m,), beside those that answers have had already; `analyst` (L, D) is the error after one record now."""
    M = answers_of(model)
    models = [replace(model, flipped=in_turn(model.flipped, float(one), M)) for one in shares]
    found = [answer_error(one, theta, design, draws=draws, seed=seed) for one in models]
    now = _bound(model, theta, design, seed)
    return Tradeoff(
        added=shares,
        error=np.array([one.probability for one in found]),
        error_mc_error=np.array([one.mc_error for one in found]),
        anonymity=np.array([one.anonymity for one in found]),
        reidentification=np.array([one.reidentification for one in found]),
        analyst=np.array([analyst * _bound(one, theta, design, seed) / now for one in models]),
        bound=np.full((len(shares), *theta.shape), np.nan),
        chance_single=found[0].chance_single,
        flips=True,
    )


def _bound(model: AnswerModel, theta: Floats, design: Data, seed: int) -> Floats:
    """(L, D) the least standard errors after one record, thresholds known: exact for right and wrong, by simulated answers for levels."""
    L, D = theta.shape
    law: AnswerLikelihood = BinaryLikelihood(L, D, model.link, model.flipped)
    if model.family == "ordinal":
        law = OrdinalLikelihood(L, D, model.link, len(model.values) + 1, model.values, False, model.flipped)
        design = design.at(np.tile(np.arange(len(design)), max(DRAWS // len(design), 1)))
        sets = drawn_answers(model, np.random.default_rng(seed), design, theta)
        design = Data(sets[:, :, None], design.inputs, design.dim, known=design.known)
    information = law.sums(design, theta.ravel()).information / len(design)
    return np.sqrt(np.diag(inverse(information))).reshape(L, D)
