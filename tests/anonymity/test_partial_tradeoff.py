"""Added noise and incomplete sets: hides more, costs more; errors against those of labeled readings and of an estimate."""

import numpy as np
import pytest

from tests.anonymity.test_incomplete_sets import model
from vieta.adaptive.set_model import LEAST
from vieta.adaptive.set_sums import MOST_SEEN
from vieta.anonymity.partial_tradeoff import analyst_stderr, partial_tradeoff
from vieta.laws.setting import as_points

POINT = as_points(None, 1)


def test_noise_hides_and_costs():
    found = partial_tradeoff(model(), POINT, np.array([0.0, 1.0, 4.0]), draws=1500, seed=0)
    assert (np.diff(found.error) > 0.0).all()
    assert (np.diff(found.single_anonymity) > 0.0).all()
    assert (np.diff(found.analyst, axis=0) > 0.0).all()
    assert np.isnan(found.bound).all()
    assert 0.0 <= found.single_anonymity.min() <= found.single_anonymity.max() <= 1.0


def test_systems_far_apart_have_the_errors_of_labeled_readings():
    made = model(sd=(0.05, 0.05), seen=MOST_SEEN, rate=LEAST)
    assert analyst_stderr(made, POINT, draws=4000, seed=0) == pytest.approx(0.05, rel=0.06)
    missed = model(sd=(0.05, 0.05), seen=0.5, rate=LEAST)
    assert analyst_stderr(missed, POINT, draws=4000, seed=1) == pytest.approx(0.05 / np.sqrt(0.5), rel=0.08)
