"""`efficient`: the weighted fit in batch, its filter online, its own options."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import vieta
from tests.method.cases import draw, passes
from vieta.errors import InputError
from vieta.method.efficient import METHOD, EfficientOptions
from vieta.predictions import Setting
from vieta.weighted import tracker, weighted_fit
from vieta.weighted.weighted_errors import efficient_covariance


def test_in_batch_it_is_the_weighted_fit():
    records = draw()
    for robust in (False, True):
        settings = tracker.Settings(cap=2.0 if robust else np.inf)
        expected = weighted_fit.solution(passes(records), settings)
        found = METHOD.fit(passes(records), EfficientOptions(robust=robust))
        assert_array_equal(found.theta, expected.theta)
        assert_array_equal(found.cov, expected.cov)


@pytest.mark.parametrize("options", [{"memory": 150.0}, {"drift": 1e-4}, {"drift": [1e-4], "robust": True}])
def test_with_a_memory_or_a_drift_it_is_the_filter(options):
    records = draw()
    f = vieta.SymmetricFilter(2, **options).partial_fit(records.sets, records.inputs)
    assert EfficientOptions(**options).tracks
    assert_array_equal(METHOD.fit(passes(records, 3), EfficientOptions(**options)).theta, f.estimate().theta)
    whole = METHOD.fit(passes(records), EfficientOptions()).theta
    assert abs(f.estimate().theta - whole).max() > 1e-6


def test_options_become_settings():
    settings = EfficientOptions(memory=1000, drift=[1e-3, 1e-4], robust=True).settings(2, 2)
    assert (settings.forgetting, settings.cap) == (0.999, 2.0)
    assert_array_equal(settings.drift, np.diag([1e-3, 1e-4, 1e-3, 1e-4]))
    plain = EfficientOptions().settings(2, 1)
    assert (plain.forgetting, plain.drift.size, plain.cap) == (1.0, 0, np.inf)


@pytest.mark.parametrize("options", [{"memory": 0.5}, {"drift": -1.0}, {"robust": "yes"}])
def test_options_are_checked_when_they_are_used(options):
    given = EfficientOptions(**options)
    with pytest.raises(InputError):
        METHOD.fit(passes(draw(n=50)), given)


def test_the_prediction_is_that_of_the_weighted_estimator():
    assert_array_equal(
        METHOD.predict(Setting([0.0, 3.0], 1.0)).covariance, efficient_covariance([0.0, 3.0], 1.0).covariance
    )
