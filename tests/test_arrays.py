"""Names for arrays: what they stand for."""

import sys
import threading
import time
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


@pytest.mark.parametrize("q", [1, 2, 9])
def test_a_product_is_that_of_matrices_to_the_last_bit(q):
    rng = np.random.default_rng(q)
    a, b, w, s = rng.normal(size=(5000, q)), rng.normal(size=(5000, 3)), rng.normal(size=(q, 4)), rng.normal(size=5000)
    for left, right in [
        (a.T, a),
        (a.T, b),
        (a[3:].T, a[:-3]),
        (a, w),
        (w.T, a.T),
        (np.ascontiguousarray(a.T), a),
        (s, a),
    ]:
        np.testing.assert_array_equal(arrays.product(left, right), left @ right)


def test_other_threads_go_on_during_a_product():
    rows = np.ones((400_000, 8))
    before = sys.getswitchinterval()
    assert progress_during(arrays.product, rows) > 10  # well over 100; none during `@`
    assert sys.getswitchinterval() == before


def progress_during(work, rows):
    """How often another thread gets its turn during ten products, where nobody is asked to give way."""
    before, turns, done = sys.getswitchinterval(), [0], threading.Event()

    def take_turns():
        while not done.is_set():
            turns[0] += 1
            time.sleep(1e-4)

    other = threading.Thread(target=take_turns)
    try:
        other.start()
        sys.setswitchinterval(60.0)
        found = 0
        for _ in range(10):
            start = turns[0]
            work(rows.T, rows)
            found += turns[0] - start
        return found
    finally:
        sys.setswitchinterval(before)
        done.set()
        other.join()
