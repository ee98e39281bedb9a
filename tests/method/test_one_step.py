"""`one-step`: as good as the maximum of the likelihood, without a search."""

import numpy as np
from numpy.testing import assert_allclose

from tests.method.cases import draw, passes
from vieta.likelihood.cramer_rao import cramer_rao
from vieta.method.em import METHOD as EM
from vieta.method.em import EmOptions
from vieta.method.one_step import METHOD, OneStepOptions
from vieta.predictions import Setting


def test_it_ends_near_the_maximum_of_the_likelihood():
    for seed in range(3):
        records = draw(n=2000, seed=seed, sd=1.0)
        one = METHOD.fit(passes(records, 2), OneStepOptions(noise_var=1.0))
        top = EM.fit(passes(records), EmOptions(noise_var=1.0))
        stderr = np.sqrt(np.diag(top.cov)).reshape(2, 1)
        assert np.all(abs(one.theta - top.theta) < 0.1 * stderr)
        assert_allclose(one.cov, top.cov, rtol=0.1)


def test_the_prediction_is_the_bound():
    bound = cramer_rao([0.0, 3.0], 1.0, draws=4000, seed=1)
    np.testing.assert_array_equal(
        METHOD.predict(Setting([0.0, 3.0], 1.0, draws=4000, seed=1)).covariance, bound.covariance
    )


def test_it_has_no_filter_and_tests_what_it_assumes():
    assert not METHOD.has_engine
    assert METHOD.thorough
