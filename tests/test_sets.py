"""The boundary: known shapes out, or an error that says what came and what to do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.coefficients.cases import checked
from vieta.errors import IncompleteSetsError, InputError
from vieta.sets import as_data, common_size, in_canonical_order, joined


@pytest.mark.parametrize(
    ("sets", "inputs", "shapes", "dim"),
    [
        ((5, 3), None, ((5, 3, 1), (5,)), 1),
        ((5, 3, 2), None, ((5, 3, 2), (5,)), 2),
        ((5, 3), (5,), ((5, 3, 1), (5,)), 1),
        ((5, 3, 2), (5,), ((5, 3, 2), (5,)), 2),
        ((5, 3), (5, 4), ((5, 3, 1), (5, 1, 4)), 4),
        ((5, 3), (5, 1), ((5, 3, 1), (5,)), 1),
        ((5, 3), (5, 1, 4), ((5, 3, 1), (5, 1, 4)), 4),
        ((5, 3, 2), (5, 2, 4), ((5, 3, 2), (5, 2, 4)), 4),
        ((5, 3, 1), (5, 1, 1), ((5, 3, 1), (5,)), 1),
        ((1, 1), None, ((1, 1, 1), (1,)), 1),
    ],
)
def test_shapes(sets, inputs, shapes, dim):
    data = as_data(np.ones(sets), None if inputs is None else 2 * np.ones(inputs))
    assert (data.sets.shape, data.inputs.shape) == shapes
    assert data.dim == dim
    assert (data.n_systems, data.reading_dim) == data.sets.shape[1:]
    assert data.sets.dtype == data.inputs.dtype == np.float64
    assert np.all(data.inputs == (1 if inputs is None else 2))


@pytest.mark.parametrize("kind", [list, tuple, np.asfortranarray, lambda a: a.astype(np.int32), lambda a: a[:, ::-1]])
def test_what_can_be_read_as_numbers_is(kind):
    sets = np.arange(12.0).reshape(4, 3)
    given_sets = kind(sets)
    data = as_data(given_sets, [1, 2, 3, 4])
    assert_array_equal(data.sets[:, :, 0], np.asarray(given_sets))
    assert data.sets.flags.c_contiguous


BAD = [
    ([[[1.0], [2.0]], [[1.0, 2.0], [3.0]]], None, "could not be read"),
    ([[1.0, None]], None, "`sets` holds None. Write a missing reading as NaN"),
    ([["a", "b"]], None, "`sets` must be an array of numbers"),
    ([["1", "2"]], None, "`sets` must be an array of numbers"),
    ("text", None, "`sets` must be an array of numbers"),
    (b"text", None, "`sets` must be an array of numbers"),
    (np.array([["2026-01-01", "2026-01-02"]], dtype="M8[D]"), None, "`sets` must be an array of numbers"),
    ({"a": 1.0}, None, "`sets` must be an array of numbers"),
    ([{1.0, 2.0}], None, "`sets` must be an array of numbers"),
    (None, None, "`sets` holds None"),
    ([[1.0, 2.0j]], None, r"`sets` holds complex numbers.*\(N, L, 2\)"),
    ([[1.0, 10**400]], None, "`sets` holds a number beyond the range"),
    ([[1.0, 2.0]], [10**400], "`inputs` holds a number beyond the range"),
    (np.array([["1", "2"]], dtype=object), None, "`sets` must be an array of numbers; text"),
    ([np.ma.array([1.0, 2.0], mask=[True, False])], None, "`sets` is a masked array"),
    (1.0, None, r"must have shape \(N, L\).*got \(\)"),
    (np.ones(3), None, r"must have shape \(N, L\).*got \(3,\)"),
    (np.ones((2, 2, 2, 2)), None, r"must have shape.*got \(2, 2, 2, 2\)"),
    (np.ones((0, 2)), None, r"`sets` is empty: its shape is \(0, 2\)"),
    (np.ones((2, 0)), None, "`sets` is empty"),
    (np.ones((2, 2, 0)), None, "`sets` is empty"),
    ([], None, "must have shape"),
    (
        np.ma.masked_equal([[1.0, 9.0], [1.0, 2.0]], 9.0),
        None,
        "`sets` is a masked array. Write missing readings as NaN",
    ),
    (np.ones((3, 2)), 1.0, "3 sets were given, and one number for `inputs`"),
    (np.ones((3, 2)), np.ones(2), "3 sets were given, and 2 for `inputs`"),
    (np.ones((3, 2)), [], "3 sets were given, and 0 for `inputs`"),
    (np.ones((3, 2)), ["a", "b", "c"], "`inputs` must be an array of numbers"),
    (np.ones((3, 2)), [1.0, None, 2.0], "`inputs` holds None"),
    (np.ones((3, 2)), [1.0, 2.0, 1j], "`inputs` holds complex numbers"),
    (np.ones((3, 2)), [[1.0], [1.0, 2.0], [1.0]], "`inputs` must be an array of numbers"),
    (np.ones((3, 2)), np.ones((3, 0)), "do not fit readings of 1 number"),
    (np.ones((3, 2)), np.ones((3, 2, 2)), r"`inputs` of shape \(3, 2, 2\) do not fit readings of 1 number"),
    (np.ones((3, 2, 2)), np.ones((3, 2)), r"do not fit readings of 2 number.*\(N, 2, D\)"),
    (np.ones((3, 2, 2)), np.ones((3, 3, 2)), "do not fit readings of 2 number"),
    (np.ones((3, 2, 2)), np.ones((3, 2, 2, 2)), "do not fit readings of 2 number"),
]


@pytest.mark.parametrize(("sets", "inputs", "message"), BAD)
def test_what_cannot_be_read_is_refused(sets, inputs, message):
    with pytest.raises(ValueError, match=message):
        as_data(sets, inputs)


RAGGED = [[1.0, 2.0, 3.0], [4.0, 5.0], [], [6.0, 7.0, 8.0]]


def test_sets_of_different_sizes_are_one_type_with_complete_ones():
    data = as_data(RAGGED, [1.0, 2.0, 3.0, 4.0])
    assert not data.is_complete
    assert len(data) == 4
    assert (data.n_systems, data.reading_dim, data.dim) == (3, 1, 1)
    assert_array_equal(data.offsets, [0, 3, 5, 5, 8])
    assert_array_equal(data.sizes, [3, 2, 0, 3])
    assert_array_equal(data.readings.ravel(), np.arange(1.0, 9.0))
    with pytest.raises(IncompleteSetsError):
        _ = data.sets
    assert as_data(RAGGED, None, n_systems=5).n_systems == 5


def test_vectors_of_different_numbers():
    data = as_data([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], None)
    assert data.reading_dim == data.dim == 2
    assert_array_equal(data.sizes, [1, 2])
    assert_array_equal(data.part(1, 2).readings, [[3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("cut", range(5))
def test_parts_and_joins_are_inverse(cut):
    for data in (as_data(RAGGED, None), as_data(np.arange(12.0).reshape(4, 3), [1.0, 2.0, 3.0, 4.0])):
        parts = [part for part in (data.part(0, cut), data.part(cut, 4)) if len(part)]
        again = joined(parts)
        assert len(again) == 4
        assert_array_equal(again.inputs, data.inputs)
        assert_array_equal(again.sizes, data.sizes)
        assert_array_equal(again.readings.ravel(), data.readings.ravel())


def test_complete_sets_cost_nothing():
    sets = np.ones((5, 3, 1))
    assert as_data(sets, None).readings is sets
    assert np.shares_memory(as_data(np.ones((5, 3)), None).part(1, 3).readings, as_data(sets, None).readings) is False
    assert np.shares_memory(as_data(sets, None).part(1, 3).readings, sets)


@pytest.mark.parametrize(
    ("sets", "code"),
    [
        ([[[1.0, 2.0]], [[3.0], [4.0]]], "ragged-readings"),
        ([[1.0], [[[2.0]], [[3.0]]]], "ragged-readings"),
        ([[], [], [1.0j]], "complex-numbers"),
        ([["a"], [1.0, 2.0]], "not-numbers"),
    ],
)
def test_lists_that_hold_no_sets_are_refused(sets, code):
    with pytest.raises(InputError) as caught:
        as_data(sets, None)
    assert caught.value.code == code


def test_number_of_systems_is_checked():
    assert as_data(np.ones((4, 3)), None, 3).n_systems == 3
    with pytest.raises(ValueError, match="sets of 3 readings were given, and n_systems=2 was asked for"):
        as_data(np.ones((4, 3)), None, 2)


def test_the_error_names_the_argument():
    with pytest.raises(ValueError, match="`readings` must have shape"):
        as_data(np.ones(3), None, name="readings")


@checked
@given(
    shape=st.lists(st.integers(0, 4), max_size=4).map(tuple),
    inputs=st.none() | st.lists(st.integers(0, 4), max_size=4).map(tuple),
)
def test_any_shape_is_read_or_refused(shape, inputs):
    psi = None if inputs is None else np.ones(inputs)
    try:
        data = as_data(np.ones(shape), psi)
    except ValueError:
        return
    N, L, p = data.sets.shape
    assert min(N, L, p, data.dim) > 0
    assert data.inputs.shape in {(N,), (N, p, data.dim)}


def test_a_buffer_is_read_and_left_as_it_is():
    numbers = np.arange(6.0).reshape(3, 2)
    data = as_data(memoryview(numbers), memoryview(numbers[:, 0].copy()))
    assert_array_equal(data.sets[:, :, 0], numbers)
    assert_array_equal(data.inputs, numbers[:, 0])


def test_readings_out_of_step_with_memory_are_aligned():
    packed = np.zeros(4, dtype=[("flag", "i1"), ("y", "f8", 2)])["y"]
    assert not packed.flags.aligned
    assert as_data(packed, None).sets.flags.aligned


@pytest.mark.parametrize(
    ("sizes", "size"),
    [
        ([50, 50, 49, 49, 49, 49, 49, 48, 47, 47, 46, 45], 50),  # chicks, some of which are lost
        ([3] * 95 + [6] * 5, 3),  # two sets under one name, now and then
        ([3] * 50 + [2] * 50, 3),
        ([2, 2, 2, 3], 2),  # one alone is not common
        ([2, 3], 3),
        ([4], 4),
    ],
)
def test_the_largest_common_size(sizes, size):
    assert common_size(np.array(sizes)) == size


def test_vectors_in_canonical_order():
    data = as_data([[[2.0, 1.0], [1.0, 5.0], [1.0, 3.0]], [[0.0, 0.0]]], None)
    assert_array_equal(in_canonical_order(data).readings, [[1.0, 3.0], [1.0, 5.0], [2.0, 1.0], [0.0, 0.0]])


def test_some_of_the_sets_by_their_numbers():
    for data in (as_data(RAGGED, [1.0, 2.0, 3.0, 4.0]), as_data(np.arange(12.0).reshape(4, 3), [1.0, 2.0, 3.0, 4.0])):
        readings, offsets = data.flat
        some = data.at(np.array([0, 2, 3]))
        assert_array_equal(some.sizes, data.sizes[[0, 2, 3]])
        own = np.concatenate([readings[offsets[k] : offsets[k + 1]] for k in (0, 2, 3)])
        assert_array_equal(some.flat[0], own)
        assert_array_equal(some.inputs, [1.0, 3.0, 4.0])
