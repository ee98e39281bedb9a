"""`recursive-em`: a gradient of the likelihood, against a loop that spells it out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.method.cases import draw, passes
from vieta.errors import InputError
from vieta.laws.labels import Weighted
from vieta.likelihood import score
from vieta.method.recursive_em import METHOD, RecursiveEmOptions


def twin(records, step, start, variance):
    theta = np.array(start, dtype=float)
    for y, psi in zip(records.sets, records.inputs, strict=True):
        theta = theta + step * score(theta, variance, [y], [psi])[0]
    return theta


@pytest.mark.parametrize("variance", [0.09, 1.0])
def test_with_a_constant_step_it_is_the_paper_s_recursion(variance):
    records, start = draw(n=300), [-0.5, 1.5]
    found = METHOD.fit(passes(records, 3), RecursiveEmOptions(step=1e-3, start=start, noise_var=variance))
    assert_allclose(found.theta.ravel(), np.sort(twin(records, 1e-3, start, variance)), rtol=1e-9)


def test_a_start_needs_a_step():
    with pytest.raises(InputError) as caught:
        METHOD.fit(passes(draw(n=20)), RecursiveEmOptions(start=[-1.0, 1.0]))
    assert caught.value.code == "start-needs-step"


def test_a_uniform_prior_is_no_prior():
    records = draw(n=300)
    options = {"step": 1e-2, "start": [-0.5, 1.5], "noise_var": 4.0}
    plain = METHOD.fit(passes(records), RecursiveEmOptions(**options))
    uniform = METHOD.fit(passes(records), RecursiveEmOptions(**options, prior=[0.5, 0.5]))
    np.testing.assert_array_equal(plain.theta, uniform.theta)
    sticky = METHOD.fit(passes(records), RecursiveEmOptions(**options, prior=Weighted([0.99, 0.01])))
    assert abs(sticky.theta - plain.theta).max() > 1e-3


def test_the_law_reaches_it_by_name():
    records = draw(n=400)
    for law in ("gaussian", "laplace", "student-t"):
        f = vieta.SymmetricFilter(2, method="recursive-em", law=law).partial_fit(records.sets, records.inputs)
        assert_allclose(f.estimate().theta.ravel(), [-1.0, 2.0], atol=0.2)
