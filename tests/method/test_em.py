"""`em`: the maximum of the likelihood of the sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.method.cases import draw, passes
from vieta.laws.noise import Laplace
from vieta.likelihood import log_likelihood
from vieta.method.em import METHOD, EmOptions


@pytest.mark.parametrize("sd", [0.3, 1.0])
def test_it_ends_where_no_step_raises_the_likelihood(sd):
    records = draw(sd=sd)
    found = METHOD.fit(passes(records, 2), EmOptions(noise_var=sd**2))

    def likelihood(theta):
        return log_likelihood(theta, sd**2, records.sets, records.inputs).sum()

    top = likelihood(found.theta)
    for move in 0.02 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0], [1.0, -1.0]]):
        assert likelihood(found.theta + move[:, None]) < top
    assert found.transform == "likelihood"


def test_law_and_start_are_options():
    records = draw()
    plain = METHOD.fit(passes(records), EmOptions())
    other = METHOD.fit(passes(records), EmOptions(law="laplace"))
    assert abs(other.theta - plain.theta).max() > 1e-4
    assert_array_equal(METHOD.fit(passes(records), EmOptions(law=Laplace(), noise_var="estimate")).theta, other.theta)
    assert_allclose(METHOD.fit(passes(records), EmOptions(start=[-0.5, 1.5])).theta, plain.theta, atol=1e-4)
