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
