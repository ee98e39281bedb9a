r"""Who gave which answer, at an estimate: :math:`P(\sigma \mid Y) \propto \prod_i f(y_i \mid \eta_{\sigma(i)})`.

Answers that are equal are given to each of the systems they may be of with the same probability, so that right and wrong tell little.
"""

import numpy as np

from vieta.adaptive.reading_associations import ReadingAssociations
from vieta.answer_model import AnswerModel
from vieta.answers import families
from vieta.answers.answer_likelihood import predictors
from vieta.answers.family import Family
from vieta.arrays import Floats, Integers, plain
from vieta.errors import InputError
from vieta.laws import answers as laws
from vieta.sets import Data

PIECE = 2000  # sets that are looked at together


def family_of(model: AnswerModel) -> Family:
    """The family of an estimate."""
    found = families.get(model.family)
    if found is None:
        raise InputError("not-answers", "{family!r} readings are measurements.", family=model.family)
    return found


def answer_logs(model: AnswerModel, block: Data, theta: Floats) -> Floats:
    """(n, L, L) log f of answer i as one of system l, with parameters (L, D)."""
    return plain(family_of(model).logs_of(model, block, theta))


def associate_answers(data: Data, theta: Floats, model: AnswerModel) -> ReadingAssociations:
    """The associations of complete sets of answers, which must be those of the family."""
    from vieta.association.permanents import associate_each

    family_of(model).require_model(model, data)
    n, L = len(data), len(theta)
    chances, best = np.empty((n, L, L)), np.empty((n, L), dtype=np.int64)
    for at in range(0, n, PIECE):
        logs = answer_logs(model, data.part(at, at + PIECE), theta)
        chances[at : at + PIECE] = associate_each(logs)[1]
        best[at : at + PIECE] = likeliest(logs)
    offsets = L * np.arange(n + 1, dtype=np.int64)
    return ReadingAssociations(chances.reshape(-1, L), np.zeros(n * L), np.zeros((n, L)), best.ravel(), offsets)


def likeliest(logs: Floats) -> Integers:
    """(n, L) the system of each answer in the likeliest assignment of its set, from logs (n, L, L)."""
    from scipy.optimize import linear_sum_assignment

    found = [linear_sum_assignment(one, maximize=True)[1] for one in logs]
    return np.array(found, dtype=np.int64).reshape(logs.shape[:2])


def drawn_answers(model: AnswerModel, rng: np.random.Generator, block: Data, theta: Floats) -> Floats:
    """(n, L) answers for the inputs and known numbers of a block, in the order of the systems."""
    law, sd = law_of(model)
    eta = predictors(block, theta)[:, :, None]
    return plain(law.draw(rng, eta, sd * rng.standard_normal(eta.shape))[:, :, 0])


def law_of(model: AnswerModel) -> tuple[laws.Answers, float]:
    """The law that answers are drawn from, and the deviation of the noise before rounding."""
    values = dict(zip(model.names, model.values.tolist(), strict=True))
    if model.family == "binary":
        return laws.Binary(model.link, model.flipped), 0.0
    if model.family == "ordinal":
        return laws.Ordinal(model.values, model.link, model.flipped), 0.0
    if model.family == "count":
        return laws.Count(max(values["dispersion"], 1.0)), 0.0
    return laws.Rounded(values["step"]), values["sd before rounding"]
