"""What agents may be given, and the regressions against the definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import naive
from vieta.errors import IncompleteSetsError, InputError
from vieta.network.agent_data import as_agent_data, design_of, regressions

RNG = np.random.default_rng(0)


def test_numbers_become_elementary_polynomials():
    sets, psi = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 3))
    data = as_agent_data(sets, psi, 2, 4, 1)
    seen = regressions(design_of(data), data)
    assert_allclose(seen.z[0, 1, 2], naive.elementary(sets[1, 2]))
    assert_allclose(seen.A[0, 1, 2], np.diag(psi[1, 2] ** np.arange(1, 5)))


def test_rows_of_inputs_keep_their_exact_linear_map():
    theta, psi = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 4, 5, 2))
    sets = np.einsum("rnkd,ld->rnkl", psi, theta)[..., None]
    data = as_agent_data(sets, psi, 4, 3, 2)
    design = design_of(data)
    seen = regressions(design, data)
    lam = design.transform.parameters.transform(theta)
    assert_allclose(np.einsum("rnkma,a->rnkm", seen.A, lam), seen.z, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("sets", "inputs", "code"),
    [
        (np.zeros((3, 5, 2)), None, "agents-shape"),
        (np.zeros((5, 2)), None, "agents-shape"),
        ([np.zeros((5, 2)), np.zeros((4, 2))], None, "agents-differ"),
        (np.zeros((2, 5, 2)), np.zeros((2, 4)), "agents-inputs"),
        (np.zeros((2, 5, 2)), np.zeros((2, 5, 3)), "agents-dim"),
        (np.zeros((2, 5, 2)), [[1.0] * 5, [1.0] * 4], "agents-differ"),
    ],
)
def test_agents_with_other_shapes_are_refused(sets, inputs, code):
    with pytest.raises(InputError) as caught:
        as_agent_data(sets, inputs, 2, 2, 1)
    assert caught.value.code == code
    assert "{" not in str(caught.value)


def test_other_numbers_of_systems_and_missing_readings_are_refused():
    with pytest.raises(InputError):
        as_agent_data(np.zeros((2, 5, 3)), None, 2, 2, 1)
    with pytest.raises(IncompleteSetsError):
        as_agent_data(np.full((2, 5, 2), np.nan), None, 2, 2, 1)
    with pytest.raises(InputError):
        as_agent_data(np.full((2, 5, 2), np.inf), None, 2, 2, 1)


def test_more_coefficients_than_can_be_exchanged_are_refused():
    data = as_agent_data(np.zeros((1, 1, 1, 20, 4)), np.zeros((1, 1, 1, 4, 4)), 1, 20, 4)
    with pytest.raises(InputError) as caught:
        design_of(data)
    assert caught.value.code == "network-transform"
