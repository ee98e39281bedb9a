"""What is kept of answers beside the parameters."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from vieta.answer_model import AnswerModel, OpenEnd

END = OpenEnd(1, 1, np.array([9.0, 6.0, 3.0]), np.array([0.0, 1.0, 8.0]))
REACH = np.array([[[[0.9, 0.8], [1.1, 1.2]]], [[[1.0, 1.0], [1.0, 1.0]]]])
MODEL = AnswerModel("ordinal", "logit", ("threshold 1",), np.array([0.5]), np.array([0.1]), (END,), reach=REACH)


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
    unbent = replace(MODEL, reach=REACH[:0])
    found = unbent.closed(interval, 0.9)
    assert_allclose(found[0, 0], [-1.0, 1.0])
    assert found[1, 0, 1] == np.inf
    assert_allclose(found[1, 0, 0], END.limit(0.9))
    assert np.isinf(unbent.closed(np.zeros((2, 2, 2)), 0.9)[1]).all()
    assert_allclose(moved.reach, REACH[::-1])
    mirrored = AnswerModel("binary", "logit", open_ends=(OpenEnd(0, -1, END.at, END.drop),)).closed(interval, 0.9)
    assert mirrored[0, 0, 0] == -np.inf


@pytest.mark.parametrize(
    ("level", "ends"),
    [(0.95, [-0.9, 1.1]), (0.99, [-0.8, 1.2]), (0.999, [-0.8, 1.2]), (2.0 * norm.cdf(0.98) - 1.0, [-0.95, 1.05])],
)
def test_ends_of_intervals_are_where_they_were_found(level, ends):
    """Between the levels they are linear in the quantile of the normal law, of which .98 is half that of 95 %."""
    found = replace(MODEL, open_ends=()).closed(3.0 + np.tile([-1.0, 1.0], (2, 1, 1)), level)
    assert_allclose(found, [[3.0 + np.array(ends)], [[2.0, 4.0]]], atol=1e-4)


def test_intervals_without_ends_stay_so():
    interval = np.array([[[-np.inf, np.inf]], [[-1.0, 1.0]]])
    assert_allclose(replace(MODEL, open_ends=()).closed(interval, 0.95), interval)
