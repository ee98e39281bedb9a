"""What is kept of answers beside the parameters."""

import json

import numpy as np
from numpy.testing import assert_allclose

from vieta.answer_model import AnswerModel, OpenEnd

END = OpenEnd(1, 1, np.array([9.0, 6.0, 3.0]), np.array([0.0, 1.0, 8.0]))
MODEL = AnswerModel("ordinal", "logit", ("threshold 1",), np.array([0.5]), np.array([0.1]), (END,))


def test_limits_follow_the_profile():
    assert_allclose(END.limit(1.0 - np.exp(-1.0)), 6.0)
    assert END.limit(0.99) < END.limit(0.9)


def test_it_is_written_and_read_again():
    again = AnswerModel.from_dict(json.loads(json.dumps(MODEL.to_dict())))
    assert again.to_dict() == MODEL.to_dict()
    assert MODEL.line() == "family ordinal, link logit, threshold 1 0.5 (0.1)"


def test_open_ends_follow_the_systems():
    moved = MODEL.reordered(np.array([1, 0]))
    assert moved.open_ends[0].system == 0
    interval = np.tile([-1.0, 1.0], (2, 1, 1))
    found = MODEL.closed(interval, 0.9)
    assert_allclose(found[0, 0], [-1.0, 1.0])
    assert found[1, 0, 1] == np.inf
    assert_allclose(found[1, 0, 0], END.limit(0.9))
    assert np.isinf(MODEL.closed(np.zeros((2, 2, 2)), 0.9)[1]).all()
    mirrored = AnswerModel("binary", "logit", open_ends=(OpenEnd(0, -1, END.at, END.drop),)).closed(interval, 0.9)
    assert mirrored[0, 0, 0] == -np.inf
