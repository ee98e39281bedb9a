"""What is known before anything is estimated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.answers.cases import data, inputs
from vieta.answers.answer_survey import AnswerSurvey
from vieta.errors import NotIdentifiableError


def test_a_survey_of_blocks_is_that_of_all():
    psi, b = inputs(20)
    block = data(np.arange(40).reshape(20, 2) % 5, psi, b)
    whole, both = AnswerSurvey.of(block), AnswerSurvey.of(block.part(0, 7)) + AnswerSurvey.of(block.part(7, 20))
    for name in ("gram", "total", "low", "high", "values", "times"):
        assert_allclose(getattr(both, name), getattr(whole, name), err_msg=name)
    assert_array_equal(whole.values, np.arange(5))
    assert whole.times.sum() == 40
    assert_allclose(np.linalg.norm(whole.root @ [0.3, -1.0]) ** 2, np.mean((psi @ [0.3, -1.0]) ** 2))


def test_designs_are_recognised():
    psi, b = inputs(20)
    ones = np.ones((20, 2))
    assert AnswerSurvey.of(data(ones, psi, b)).spans_constant
    assert not AnswerSurvey.of(data(ones, psi[:, 1], b)).spans_constant
    assert not AnswerSurvey.of(data(ones, None, b)).has_one_item
    assert not AnswerSurvey.of(data(ones, psi)).has_one_item
    assert AnswerSurvey.of(data(ones, None)).has_one_item


def test_inputs_that_do_not_vary_are_refused():
    with pytest.raises(NotIdentifiableError, match="do not identify"):
        AnswerSurvey.of(data(np.ones((5, 2)), np.ones((5, 2)))).require_varied()
