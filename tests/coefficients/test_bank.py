"""The fused bank is the general recursion, only faster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.coefficients import lms_recursion
from vieta.coefficients.bank import bank
from vieta.coefficients.coefficient_filter import LARGEST_BANK as LARGEST
from vieta.coefficients.design import Design
from vieta.symmetric import elementary


def data(L, n=400, seed=0):
    rng = np.random.default_rng(seed)
    c = rng.uniform(-1.5, 1.5, size=n)
    return c[:, None, None] * np.linspace(-1, 1, L)[:, None] + 0.1 * rng.normal(size=(n, L, 1)), c


@pytest.mark.parametrize("L", range(1, LARGEST + 1))
def test_bank_is_the_general_recursion(L):
    sets, c = data(L)
    step = 0.05 / np.arange(1, L + 1)
    start = np.random.default_rng(1).normal(size=L)
    design = Design(elementary(L), "scalar")
    general, innovations = lms_recursion.update(lms_recursion.init(start), design, design.blocks(sets, c), step)
    lam = start.copy()
    power = bank(L)(lam, sets, c, step, 3.0, 0.99)
    expected = 3.0
    for e in innovations.ravel():
        expected = 0.99 * expected + e * e
    assert_allclose(lam, general.coefficients, rtol=0, atol=1e-14)
    assert_allclose(power, expected, rtol=1e-13)


@pytest.mark.parametrize("L", [1, 4])
@pytest.mark.parametrize("cut", [1, 7, 399])
def test_bank_goes_on_where_it_stopped(L, cut):
    sets, c = data(L)
    step, whole, parts = np.full(L, 0.02), np.zeros(L), np.zeros(L)
    power = bank(L)(whole, sets, c, step, 0.0, 0.999)
    first = bank(L)(parts, sets[:cut], c[:cut], step, 0.0, 0.999)
    assert bank(L)(parts, sets[cut:], c[cut:], step, first, 0.999) == power
    assert_array_equal(parts, whole)
