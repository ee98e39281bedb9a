"""Who gave which answer: against all permutations, and what is drawn against the laws."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import vieta
from tests.answers.cases import CUTS, THETA, data, drawn
from vieta.answer_model import AnswerModel
from vieta.answers.answer_associations import answer_logs, associate_answers, drawn_answers
from vieta.errors import InputError

MODELS = {
    "binary": AnswerModel("binary", "logit"),
    "ordinal": AnswerModel("ordinal", "logit", ("a", "b", "c"), CUTS, np.zeros(3)),
    "count": AnswerModel("count", "log", ("dispersion",), np.array([1.6]), np.zeros(1)),
    "rounded": AnswerModel("rounded", "identity", ("step", "sd before rounding"), np.array([1.0, 0.5]), np.zeros(2)),
}


def density(family, y, eta):
    if family == "binary":
        return np.where(y > 0.5, stats.logistic.cdf(eta), stats.logistic.sf(eta))
    if family == "ordinal":
        ends = np.concatenate([[-np.inf], CUTS, [np.inf]])
        return stats.logistic.cdf(ends[int(y)] - eta) - stats.logistic.cdf(ends[int(y) - 1] - eta)
    if family == "count":
        return stats.nbinom.pmf(y, np.exp(eta) / 0.6, 1.0 / 1.6)
    return stats.norm.cdf((y + 0.5 - eta) / 0.5) - stats.norm.cdf((y - 0.5 - eta) / 0.5)


@pytest.mark.parametrize("family", MODELS)
def test_probabilities_are_those_of_all_permutations(family):
    sets, psi, b = drawn(family, 12)
    found = associate_answers(data(sets, psi, b), THETA, MODELS[family])
    for k, (y, row, known) in enumerate(zip(sets, psi, b, strict=True)):
        A = np.array([[float(density(family, one, eta)) for eta in THETA @ row + known] for one in y])
        weights = {order: np.prod(A[np.arange(3), list(order)]) for order in permutations(range(3))}
        total, P = sum(weights.values()), np.zeros((3, 3))
        for order, weight in weights.items():
            P[np.arange(3), list(order)] += weight / total
        assert_allclose(found.of(k)[:, :3], P, rtol=1e-6, atol=1e-9)
        best = tuple(found.best[3 * k : 3 * k + 3].tolist())
        assert_allclose(weights[best], max(weights.values()), rtol=1e-9)


@pytest.mark.parametrize("family", MODELS)
def test_what_is_drawn_has_the_probabilities_of_the_model(family):
    """The mean of 1/f over draws is the number of different answers that can be drawn, and so the mean of f/f is one: here by a mean."""
    design = data(np.zeros((20_000, 3)), np.tile([1.0, 0.5], (20_000, 1)))
    answers = drawn_answers(MODELS[family], np.random.default_rng(0), design, THETA)
    for l, eta in enumerate(THETA @ [1.0, 0.5]):
        for y in np.unique(answers[:, l])[:4]:
            p, share = float(density(family, y, eta)), np.mean(answers[:, l] == y)
            assert abs(share - p) < 4.5 * np.sqrt(p * (1.0 - p) / 20_000) + 1e-9


def test_an_estimate_tells_and_needs_the_offset_that_it_was_made_with():
    sets, psi, b = drawn("ordinal", 500)
    found = vieta.fit(sets, psi, family="ordinal", offset=b)
    told = found.associations(sets[:5], psi[:5], offset=b[:5])
    logs = answer_logs(found.answers, data(sets[:5], psi[:5], b[:5]), found.theta)
    assert logs.shape == (5, 3, 3)
    assert_allclose(told.systems.reshape(5, 3, 3).sum(axis=1), 1.0)
    assert_array_equal(told.clutter, 0.0)
    for wrong in ([[1.0, 2.0, 9.0]], [[1.0, 2.5, 3.0]], [[1.0, np.nan, 3.0]]):
        with pytest.raises(InputError):
            found.associations(wrong, psi[:1])
