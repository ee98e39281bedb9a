"""Sums of even powers against a loop that adds them one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.coefficients.input_statistics import LANES, PAGE
from vieta.coefficients.power_sums import power_sums


def twin(c, count, powers):
    """Every input of the first 256 pages, then those of one page in 16; lane j holds the times that are j modulo 8."""
    lanes, counted = np.zeros((LANES, powers)), 0
    for k, value in enumerate(c, start=count):
        page = k // PAGE
        if page < PAGE or page % 16 == 0:
            counted += 1
            lanes[(k % PAGE) % LANES] += value ** (2 * np.arange(1, powers + 1))
    return lanes, counted


@pytest.mark.parametrize("count", [0, 5, PAGE - 3, PAGE * PAGE - 100, PAGE * (PAGE + 16) - 50])
@pytest.mark.parametrize("n", [1, 7, 300, 6000])
def test_against_a_loop(count, n):
    c = np.random.default_rng(n).normal(size=n)
    lanes = np.zeros((LANES, 4))
    counted = power_sums()(lanes, c, count)
    expected, number = twin(c, count, 4)
    assert counted == number
    assert_allclose(lanes, expected, rtol=1e-12)


@pytest.mark.parametrize("cut", [1, 8, 13, 255, 256, 257, 700])
def test_cutting_a_stream_changes_no_bit(cut):
    c = np.random.default_rng(1).normal(size=1000)
    whole, parts = np.zeros((LANES, 3)), np.zeros((LANES, 3))
    counted = power_sums()(whole, c, 40)
    first = power_sums()(parts, c[:cut], 40)
    second = power_sums()(parts, c[cut:], 40 + cut)
    assert first + second == counted
    assert_array_equal(parts, whole)
