"""Predictors of answers, and sums that add."""

import numpy as np
from numpy.testing import assert_allclose

from tests.answers.cases import THETA, data, inputs
from vieta.answers.answer_likelihood import AnswerSums, input_rows, known_numbers, predictors
from vieta.answers.binary import BinaryLikelihood


def test_predictors_are_inputs_times_parameters_and_the_known_number():
    psi, b = inputs(5)
    block = data(np.zeros((5, 3)), psi, b)
    assert_allclose(predictors(block, THETA), psi @ THETA.T + b[:, None])
    assert_allclose(input_rows(data(np.zeros((5, 3)), b)), b[:, None])
    assert_allclose(known_numbers(data(np.zeros((5, 3)), b)), 0.0)


def test_sums_add_over_blocks():
    psi, b = inputs(9)
    block, law = data(np.eye(9)[:, :3], psi, b), BinaryLikelihood(3, 2, "logit")
    whole, parts = law.sums(block, THETA.ravel()), [law.sums(block.part(*at), THETA.ravel()) for at in ((0, 4), (4, 9))]
    together = parts[0] + parts[1]
    assert isinstance(together, AnswerSums)
    assert together.count == 9
    assert_allclose(together.likelihood, whole.likelihood)
    assert_allclose(together.information, whole.information)
    assert law.size == 6
    assert_allclose(law.theta(THETA.ravel()), THETA)
    assert_allclose(law.moved(np.zeros(6), np.ones(6)), 1.0)
