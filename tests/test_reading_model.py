import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.reading_model import ReadingModel

MODEL = ReadingModel(
    np.array([0.7, 0.8]), np.array([0.01, 0.02]), 1.5, 0.1, "sieve", 0.25, np.array([0.2, 0.8]), np.array([1.0, 2.0]),
    np.eye(1), np.array([-1.0]), np.array([0.5]), np.array([[0.3, 0.7]]),
)  # fmt: skip


def test_a_file_can_keep_it():
    again = ReadingModel.from_dict(json.loads(json.dumps(MODEL.to_dict())))
    for name in MODEL.to_dict():
        assert_array_equal(getattr(again, name), getattr(MODEL, name), err_msg=name)
    with pytest.raises(KeyError):
        ReadingModel.from_dict({"law": "gaussian"})


def test_systems_are_reordered_together():
    other = MODEL.reordered(np.array([1, 0]))
    assert_array_equal(other.detection, [0.8, 0.7])
    assert_array_equal(other.scale, [2.0, 1.0])
    assert_array_equal(other.law_weights, MODEL.law_weights)
