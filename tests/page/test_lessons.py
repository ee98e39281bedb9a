from itertools import permutations

import numpy as np
import pytest

from vieta.errors import InputError
from vieta.page import lessons


def test_the_average_polynomial_does_not_depend_on_the_order_and_its_roots_are_the_systems():
    found = lessons.polynomial({"systems": 3, "noise": 0.1, "n": 5000})
    np.testing.assert_allclose(found["roots"][-1], found["truth"], atol=5 * 0.1 / np.sqrt(5000) * 3)
    t, first = np.array(found["t"]), found["sets"][0]
    for order in permutations(first):
        np.testing.assert_allclose(found["first"], np.prod([t - y for y in order], axis=0), rtol=0.02, atol=0.02)


def test_the_filters_run_on_the_same_sets_and_end_where_they_do_in_python():
    asked = {"example": 1, "n": 2000, "noise": 0.01, "step": 1e-3}
    found = lessons.race(asked)
    assert set(found["paths"]) == {"lms", "efficient", "direct gradient"}
    np.testing.assert_allclose(np.ravel(found["paths"]["efficient"]["final"]), [-2, 5, 8], atol=0.01)
    assert found["paths"]["lms"]["at"][-1] == 2000
    assert found["saddle"]["eigenvalues"][0] < 0 < found["saddle"]["eigenvalues"][1]


def test_a_filter_that_diverges_says_so_and_leaves_the_others():
    found = lessons.race({"example": 1, "n": 2000, "step": 1.0})
    assert "trouble" in found["paths"]["lms"]
    assert "final" in found["paths"]["efficient"]


@pytest.mark.parametrize(
    "asked",
    [
        {"example": 5},
        {"n": 1e9},
        {"example": 1, "systems": 6},
        {"noise": "x"},
        {"step": -1},
        {"n": float("nan")},
        {"seed": True},
    ],
)
def test_what_is_out_of_range_is_refused(asked):
    with pytest.raises(InputError, match="must be a number"):
        lessons.race(asked)


def test_settings_are_those_of_the_examples():
    assert lessons.course(2).to_dict()["noise"] == 2.0
    assert [lessons.course(k).to_dict()["systems"] for k in (1, 2, 3, 4)] == [3, 2, 2, 4]


@pytest.mark.parametrize(("example", "systems"), [(1, 4), (2, 3), (3, 3)])
def test_with_another_number_of_systems_the_default_finds_them(example, systems):
    found = lessons.race({"example": example, "systems": systems, "n": 2000, "noise": 0.1})
    expected = np.array(found["truth"][-1]["theta"]).reshape(systems, -1)
    order = np.lexsort(expected.T[::-1])
    np.testing.assert_allclose(found["paths"]["efficient"]["final"], expected[order], atol=0.05)
    assert found["settings"]["systems"] == systems
    assert (found["saddle"], found["ghosts"]) == (None, None)
    assert "trouble" not in found["paths"]["lms"]
