"""`lms`: the paper's recursion, against a loop that spells it out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.method.cases import coefficients, draw, passes, roots
from vieta.errors import InputError
from vieta.method.lms import METHOD, LmsOptions
from vieta.predictions import Setting


def twin(records, step, start):
    lam = np.array([sum(start), np.prod(start)])
    for z, a in zip(*coefficients(records), strict=True):
        lam = lam + step * a * (z - a * lam)
    return lam


@pytest.mark.parametrize("step", [0.01, [0.02, 0.005]])
def test_against_the_recursion_of_the_paper(step):
    records, start = draw(n=600), [0.0, 1.0]
    found = METHOD.fit(passes(records, 5), LmsOptions(step=step, start=start))
    assert_allclose(found.theta.ravel(), roots(twin(records, np.asarray(step), start)), rtol=1e-9)


def test_its_error_is_that_of_its_step():
    with pytest.raises(InputError) as caught:
        METHOD.predict(Setting([1.0, 2.0], 1.0))
    assert caught.value.code == "constant-step"


@pytest.mark.parametrize("step", [0.0, -1.0, [0.1] * 3, "x"])
def test_steps_are_checked(step):
    with pytest.raises(InputError) as caught:
        METHOD.fit(passes(draw(n=20)), LmsOptions(step=step))
    assert caught.value.code == "step-range"
