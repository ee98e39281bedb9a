"""The recursion of least mean squares against its definition."""

import numpy as np
from numpy.testing import assert_allclose

from tests import naive
from vieta.network import metropolis, ring
from vieta.network.agent_data import as_agent_data, design_of, regressions
from vieta.network.diffusion_lms import LmsState, update


def by_definition(lam, sets, psi, C, step):
    lam = lam.copy()
    d = np.arange(1, lam.shape[1] + 1)
    for k in range(sets.shape[1]):
        phi = np.empty_like(lam)
        for i in range(len(lam)):
            gain = psi[i, k] ** d
            phi[i] = lam[i] + step * gain * (naive.elementary(sets[i, k]) - gain * lam[i])
        lam = C[k] @ phi
    return lam


def test_adapt_then_combine_is_its_definition():
    rng = np.random.default_rng(0)
    sets, psi, start = rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6)), rng.normal(size=(4, 3))
    data = as_agent_data(sets, psi, 4, 3, 1)
    seen = regressions(design_of(data), data)
    step = np.array([0.1, 0.05, 0.02])
    state = LmsState(0, start[None].copy())
    C = np.stack([metropolis(ring(4)), np.eye(4)] * 3)
    found = update(state, seen, C[:, None], step)
    assert_allclose(found.coefficients[0], by_definition(start, sets, psi, C, step), rtol=1e-12)
    assert found.count == 6
    assert_allclose(state.coefficients[0], start)  # a step is pure
    fixed = update(state, seen, C[:1, None], step)
    assert_allclose(fixed.coefficients[0], by_definition(start, sets, psi, C[[0] * 6], step), rtol=1e-12)
