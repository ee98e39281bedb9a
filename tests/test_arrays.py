"""Names for arrays: what they stand for."""

from typing import get_args

import numpy as np
import pytest

from vieta import arrays


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Floats", np.float64), ("Complexes", np.complex128), ("Integers", np.int64), ("Booleans", np.bool_)],
)
def test_each_name_is_an_array_of_one_kind(name, kind):
    _, dtype = get_args(getattr(arrays, name))
    assert get_args(dtype) == (kind,)


def lines(array):
    """The lines of 64 bytes that an array lies in."""
    first = array.ctypes.data
    return set(range(first // 64, (first + array.nbytes - 1) // 64 + 1))


def test_what_is_unshared_lies_in_lines_of_its_own_and_is_what_kernels_take():
    many = [arrays.unshared((3,), (2, 3), (0, 3), (1,)) for _ in range(50)]  # held: their memory is side by side
    found = [set().union(*map(lines, one)) for one in many]
    assert len(set().union(*found)) == sum(map(len, found))
    for array in many[0]:
        assert arrays.plain(array) is array
        assert not array.any()
    assert [array.shape for array in many[0]] == [(3,), (2, 3), (0, 3), (1,)]
