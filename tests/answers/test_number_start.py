"""A start as if answers were measurements."""

import numpy as np

import vieta
from tests.answers.cases import data
from vieta.answers.number_start import number_start
from vieta.sums import in_memory


def test_it_is_the_estimate_of_measurements():
    records = vieta.simulate("example-1", n=400, seed=0)
    found = number_start(in_memory(data(records.sets, records.inputs)), 400)
    assert np.allclose(found.theta.ravel(), [-2, 5, 8], atol=0.3)
    assert 0.0 < found.sd < 2.0
    logs = number_start(in_memory(data(np.exp(records.sets), records.inputs)), 400, np.log)
    assert np.allclose(logs.theta, found.theta)


def test_there_is_none_where_inputs_tell_nothing():
    assert number_start(in_memory(data(np.ones((4, 2)), np.zeros(4))), 4) is None
