"""What is remembered of the inputs: exact moments, a fair sample, the same however a stream is cut."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.coefficients import input_statistics
from vieta.coefficients.design import Design
from vieta.errors import InputError
from vieta.symmetric import elementary, tensor

from .cases import checked

SCALAR = Design(elementary(3), "scalar")
MATRIX = Design(tensor(2, 1, 2), "matrix")


def absorb(design, values, cuts=()):
    state = input_statistics.init(design)
    for part in np.split(values, sorted(cuts)):
        state = input_statistics.update(state, part)
    return state


def test_moments_are_means_of_even_powers():
    c = np.random.default_rng(0).normal(size=1000)
    assert_allclose(input_statistics.moments(absorb(SCALAR, c)), [np.mean(c ** (2 * i)) for i in range(7)], rtol=1e-12)


def test_later_pages_are_counted_one_in_sixteen():
    c = np.random.default_rng(0).normal(size=80_000)
    page = np.arange(80_000) // input_statistics.PAGE
    kept = c[(page < input_statistics.PAGE) | (page % 16 == 0)]
    state = absorb(SCALAR, c)
    assert state.count == 80_000
    assert state.counted == len(kept) < 80_000
    assert_allclose(input_statistics.moments(state), [np.mean(kept ** (2 * i)) for i in range(7)], rtol=1e-12)


@pytest.mark.parametrize("n", [1, 1024, 1025, 5000])
def test_sample_is_every_so_many_and_bounded(n):
    psi = np.arange(2.0 * n).reshape(n, 1, 2)
    state = absorb(MATRIX, psi)
    assert len(state.sample) <= input_statistics.SAMPLE
    assert len(state.sample) > input_statistics.SAMPLE // 2 or state.stride == 1
    assert_array_equal(state.sample, psi[:: state.stride])


@checked
@given(cuts=st.lists(st.integers(0, 70_000), max_size=8))
def test_cutting_a_stream_of_numbers_changes_no_bit(cuts):
    c = np.random.default_rng(0).normal(size=70_000)
    whole, parts = absorb(SCALAR, c), absorb(SCALAR, c, cuts)
    assert parts.counted == whole.counted
    assert_array_equal(parts.lanes, whole.lanes)


@checked
@given(cuts=st.lists(st.integers(0, 5000), max_size=8))
def test_cutting_a_stream_of_matrices_changes_no_bit(cuts):
    psi = np.random.default_rng(0).normal(size=(5000, 1, 2))
    whole, parts = absorb(MATRIX, psi), absorb(MATRIX, psi, cuts)
    assert parts.stride == whole.stride
    assert_array_equal(parts.sample, whole.sample)


def test_update_is_pure_and_keeps_no_view_of_the_data():
    c, psi = np.ones(10), np.ones((10, 1, 2))
    for design, values in ((SCALAR, c), (MATRIX, psi)):
        start = input_statistics.init(design)
        state = input_statistics.update(start, values)
        before = input_statistics.moments(state).copy(), state.sample.copy()
        values[:] = 7.0
        assert_array_equal(input_statistics.moments(state), before[0])
        assert_array_equal(state.sample, before[1])
        assert start.count == 0
        assert not start.lanes.any()


@pytest.mark.parametrize("n", [0, 1, 1024, 1025, 5000])
def test_what_is_remembered_of_a_stream_passes_the_check(n):
    input_statistics.check(absorb(SCALAR, np.ones(n)), "scalar")
    input_statistics.check(absorb(MATRIX, np.ones((n, 1, 2))), "matrix")


@pytest.mark.parametrize(
    "change", [{"stride": 0}, {"stride": 3}, {"count": 99}, {"counted": 1}, {"lanes": np.full((8, 4), -1.0)}]
)
def test_statistics_that_no_stream_leaves_are_refused(change):
    with pytest.raises(InputError) as refused:
        input_statistics.check(replace(absorb(MATRIX, np.ones((5000, 1, 2))), **change), "matrix")
    assert refused.value.code == "state-range"
