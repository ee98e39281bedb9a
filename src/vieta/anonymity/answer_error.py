r"""How often the best guess of who gave which answer is wrong, and what one set of answers reveals.

The guesser knows the parameters and the law of answers, sees a set and guesses who gave which. With :math:`f(y \mid \eta_l)` the probability of
an answer,

.. math:: P_e = 1 - E \max_\sigma P(\sigma \mid Y), \qquad P(\sigma \mid Y) \propto \prod_i f(y_i \mid \eta_{\sigma(i)}) .

The expectation is over all :math:`M^L` outcomes of each set where there are not too many of them, and exact then for the inputs and known
numbers that are given; else over simulated sets. Systems that give the same answer are never told apart by it.
"""

from itertools import product
from math import lgamma, log

import numpy as np

from vieta.anonymity.guesses import Guesses, by_association
from vieta.anonymity.map_error import MapError
from vieta.answer_model import AnswerModel
from vieta.answers.answer_associations import answer_logs, drawn_answers, family_of
from vieta.arrays import Floats
from vieta.sets import Data

OUTCOMES = 100_000  # sets that are looked at, up to which all outcomes are
INPUTS = 200  # sets of which all outcomes are looked at, at the most


def answer_error(model: AnswerModel, theta: Floats, design: Data, *, draws: int, seed: int) -> MapError:
    """How anonymous one set of answers is, over the inputs and known numbers of some sets."""
    L = len(theta)
    if L == 1:
        return MapError(
            0.0, 0.0, 0.0, np.ones(1), np.ones(1), 0.0, 0.0, 0.0, 0, "one system: nothing to guess", 1.0, 1.0
        )
    values = family_of(model).values(model)
    exact = values is not None and len(values) ** L * min(len(design), INPUTS) <= OUTCOMES
    found, weights = (
        _enumerated(model, theta, design, values) if exact else _simulated(model, theta, design, draws, seed)
    )
    both = np.stack([found.wrong, found.surprise])
    wrong, surprise = both @ weights
    error = np.zeros(2) if exact else both.std(axis=1, ddof=1) / np.sqrt(draws)
    chance, entropy = float(np.exp(-lgamma(L + 1.0))), lgamma(L + 1.0)
    return MapError(
        probability=float(wrong),
        mc_error=float(error[0]),
        anonymity=min(float(wrong) / (1.0 - chance), 1.0),
        reidentification=weights @ found.right,
        reidentification_alone=weights @ found.alone,
        mutual_information=max(entropy - float(surprise), 0.0) / log(2.0),
        mutual_information_mc_error=float(error[1]) / log(2.0),
        prior_information=entropy / log(2.0),
        draws=0 if exact else draws,
        method="all outcomes" if exact else "simulated answers",
        chance=chance,
        chance_single=1.0 / L,
    )


def _enumerated(model: AnswerModel, theta: Floats, design: Data, values: Floats | None) -> tuple[Guesses, Floats]:
    """Guesses on all outcomes at some of the sets' inputs, and the probabilities of these outcomes."""
    L, places = len(theta), np.linspace(0, len(design) - 1, min(len(design), INPUTS)).astype(np.int64)
    outcomes = np.array(list(product([] if values is None else values, repeat=L)))
    at = design.at(np.repeat(places, len(outcomes)))
    block = Data(np.tile(outcomes, (len(places), 1))[:, :, None], at.inputs, at.dim, known=at.known)
    logs = answer_logs(model, block, theta)
    weights = np.exp(np.trace(logs, axis1=1, axis2=2)) / len(places)
    return by_association(logs), weights / weights.sum()


def _simulated(model: AnswerModel, theta: Floats, design: Data, draws: int, seed: int) -> tuple[Guesses, Floats]:
    """Guesses on simulated sets, each with the same weight."""
    rng = np.random.default_rng(seed)
    at = design.at(np.linspace(0, len(design) - 1, draws).astype(np.int64))
    sets = drawn_answers(model, rng, at, theta)
    logs = answer_logs(model, Data(sets[:, :, None], at.inputs, at.dim, known=at.known), theta)
    return by_association(logs), np.full(draws, 1.0 / draws)
