"""Anything that a caller may give as numbers becomes float64, or a reason."""

import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.conversion import NotReal, as_real

NUMBERS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
READ_ONLY = NUMBERS.copy()
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "given",
    [
        NUMBERS.tolist(),
        READ_ONLY,
        memoryview(NUMBERS),
        [array.array("d", row) for row in NUMBERS],
        [memoryview(row) for row in NUMBERS],
        NUMBERS.astype(">f8"),
        NUMBERS.astype(np.float16),
        NUMBERS.astype(np.longdouble),
        NUMBERS.astype(np.uint8),
        NUMBERS[::-1, ::-1][::-1, ::-1],
        np.ma.array(NUMBERS, mask=False),
        [[Decimal(str(x)) for x in row] for row in NUMBERS],
        [[Fraction(int(x)) for x in row] for row in NUMBERS],
    ],
)
def test_numbers_in_any_form_are_read(given):
    found = as_real(given)
    assert_array_equal(found, NUMBERS)
    assert found.dtype == np.dtype(np.float64)
    assert found.dtype.isnative


@pytest.mark.parametrize(
    ("given", "trouble"),
    [
        ([1j], "complex"),
        (np.array([1j], dtype=object), "complex"),
        (np.array([1.0 + 0j]), "complex"),
        ("1.5", "text"),
        (np.array(["1.5"], dtype=object), "text"),
        (np.array(["1.5"], dtype=np.dtypes.StringDType()), "text"),
        (np.array(["2026-01-01"], dtype="M8[D]"), "text"),
        ([None, 1.0], "none"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "masked"),
        ([np.ma.array([1.0, 2.0], mask=[False, True])], "masked"),
        ([10**400], "huge"),
        ([Decimal("sNaN")], "other"),
        ((x for x in [1.0]), "other"),
        ([[1.0], [2.0, 3.0]], "other"),
        (np.zeros(2, dtype=[("a", float), ("b", float)]), "other"),
    ],
)
def test_what_is_no_number_is_told(given, trouble):
    found = as_real(given)
    assert isinstance(found, NotReal)
    assert found.trouble == trouble


def test_an_object_that_raises_is_told_by_what_it_raised():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no numbers today")

    assert as_real(Broken()) == NotReal("other", "no numbers today")


def test_a_longer_float_out_of_range_is_infinite_without_a_warning():
    assert np.isinf(as_real(np.array([np.longdouble("1e400")]))).all()
