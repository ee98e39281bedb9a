"""Look-alikes among answers, their order, and the audit as a whole."""

import json

import numpy as np
import pytest

import vieta
from tests.answers.cases import data, drawn
from tests.answers.test_answer_associations import MODELS
from vieta.anonymity import audit
from vieta.anonymity.answer_audit import alike_answers, answer_order
from vieta.errors import InputError
from vieta.laws import answers, inputs

RATERS = np.array([[-2.5], [0.1], [0.3]])


def test_look_alikes_are_those_whose_answers_are_close():
    found = alike_answers(MODELS["ordinal"], 2.0 * RATERS, data(np.zeros((30, 3)), None))
    assert found.look_alikes.tolist() == [1, 2, 2]


def test_an_order_that_names_systems_is_found_and_a_random_one_is_not():
    theta = np.array([[-2.0], [0.0], [2.0]])
    sets, psi, b = drawn("ordinal", 600, 0, theta)
    block = data(sets, psi, b)
    assert max(np.abs(answer_order(block, MODELS["ordinal"], theta))) < 5.0
    ordered = data(
        np.take_along_axis(sets, np.argsort(sets + 1e-9 * np.arange(3), axis=1)[:, [1, 0, 2]], axis=1), psi, b
    )
    assert answer_order(ordered, MODELS["ordinal"], theta)[0] > 5.0


def test_answers_are_audited_from_records_and_from_their_estimate():
    quiz = vieta.simulate((-2, 0, 2), n=400, seed=1, answers=answers.Binary(), offset=inputs.Gaussian(0, 4))
    found = audit(quiz, family="binary")
    again = audit(vieta.fit(quiz.sets, family="binary", offset=quiz.offset), offset=quiz.offset)
    np.testing.assert_allclose(found.now.reidentification, again.now.reidentification, rtol=1e-9)
    assert again.order is None
    assert found.order is not None
    assert "parameters-learned" in {one.code for one in found.findings}
    assert len(found.tradeoff.added) > 3
    assert 1.0 / 3.0 < found.now.reidentification.mean() < 0.8
    assert "family binary" in found.summary()
    assert json.loads(json.dumps(found.to_dict()))["answers"]["family"] == "binary"
    with pytest.raises(InputError, match="none is added"):
        audit(quiz, family="binary", noise=1.0)


def test_counts_have_no_flips():
    events = vieta.simulate((0.5, 2.0), n=300, seed=1, answers=answers.Count())
    found = audit(events, family="count", draws=100)
    assert "answers-without-noise" in {one.code for one in found.findings}
    with pytest.raises(InputError, match="none is added"):
        audit(events, family="count", added=[1.0], draws=100)
