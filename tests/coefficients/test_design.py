"""From sets and inputs to one regression a degree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from .cases import CASES, every_case, some_cases


@every_case
def test_without_noise_the_regressions_hold_exactly(case):
    design, data = case.design(), case.data(30, noise=0.0)
    lam = design.transform.parameters.transform(case.theta)
    for block, part in zip(design.blocks(data.sets, data.inputs), design.split(lam)):
        expected = block.gains @ part
        assert_allclose(block.readings, expected, rtol=0, atol=1e-11 * abs(expected).max())


@every_case
def test_blocks_cover_all_coefficients(case):
    design, data = case.design(), case.data(5)
    lam = np.arange(1.0, 1 + design.transform.parameters.size)
    parts = design.split(lam)
    assert len(parts) == len(design.blocks(data.sets, data.inputs)) == design.n_systems == case.n_systems
    assert_array_equal(np.concatenate([part.ravel() for part in parts]), lam)
    assert_array_equal(np.concatenate([lam[where] for where in design.degrees]), lam)
    for block, part in zip(design.blocks(data.sets, data.inputs), parts):
        assert block.gains.shape == (5, block.readings.shape[1], part.shape[0])
        assert block.readings.shape[2] == part.shape[1]
        assert block.gains.flags.c_contiguous
        assert block.readings.flags.c_contiguous


@some_cases
def test_split_gives_views(case):
    design = case.design()
    lam = np.zeros(design.transform.parameters.size)
    for part in design.split(lam):
        part[:] = 1.0
    assert_array_equal(lam, np.ones_like(lam))


@some_cases
def test_spread_gives_each_coefficient_the_number_of_its_degree(case):
    design = case.design()
    spread = design.spread(10.0 * np.arange(1, design.n_systems + 1))
    for d, where in enumerate(design.degrees, start=1):
        assert_array_equal(spread[where], 10.0 * d)


@every_case
def test_first_order_noise_is_the_sum_of_the_readings_noise(case):
    design, data = case.design(), case.data(20, noise=0.3)
    psi = data.inputs if data.inputs.ndim == 3 else data.inputs[:, None, None] * np.eye(data.dim)
    expected = (data.sets - np.einsum("npd,ld->nlp", psi, case.theta)).sum(axis=1)
    block = design.blocks(data.sets, data.inputs)[0]
    lam = design.split(design.transform.parameters.transform(case.theta))[0]
    got = design.first_order_noise(block.readings - block.gains @ lam, data.inputs)
    assert_allclose(got, expected, atol=1e-11)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_powers_are_the_same_bits_one_by_one(n):
    design = CASES[1].design()
    c = np.random.default_rng(0).normal(size=n)
    together = np.array(design.powers(c))
    assert_array_equal(together, np.array([[p[0] for p in design.powers(c[[k]])] for k in range(n)]).T)
    assert_allclose(together, [c, c**2, c**3], rtol=1e-15)
