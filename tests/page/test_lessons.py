from itertools import permutations

import numpy as np
import pytest

from vieta.errors import InputError
from vieta.page import lessons


def test_the_average_polynomial_does_not_depend_on_the_order_and_its_roots_are_the_systems():
    found = lessons.polynomial({"systems": 3, "noise": 0.1, "n": 5000})
    np.testing.assert_allclose(found["roots"][-1], found["truth"], atol=5 * 0.1 / np.sqrt(5000) * 3)
    t = np.array(found["t"])
    assert len(found["sets"]) == len(found["each"])
    for one, curve in zip(found["sets"], found["each"], strict=True):
        for order in permutations(one):
            np.testing.assert_allclose(curve, np.prod([t - y for y in order], axis=0), rtol=0.02, atol=0.02)


@pytest.mark.parametrize("asked", [{"systems": 1}, {"n": 1e9}, {"noise": "x"}, {"noise": float("nan")}, {"seed": True}])
def test_what_is_out_of_range_is_refused(asked):
    with pytest.raises(InputError, match="must be a number"):
        lessons.polynomial(asked)
