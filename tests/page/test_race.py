import json

import numpy as np
import pytest

from vieta.errors import InputError
from vieta.page.race import course, parts, race


def test_the_filters_run_on_the_same_sets_and_end_where_they_do_in_python():
    asked = {"example": 1, "n": 2000, "noise": 0.01, "step": 1e-3}
    found = race(asked)
    assert set(found["paths"]) == {"lms", "efficient", "direct gradient"}
    np.testing.assert_allclose(np.ravel(found["paths"]["efficient"]["final"]), [-2, 5, 8], atol=0.01)
    assert found["paths"]["lms"]["at"][-1] == 2000
    assert found["saddle"]["eigenvalues"][0] < 0 < found["saddle"]["eigenvalues"][1]


@pytest.mark.parametrize(("example", "n"), [(1, 2000), (2, 1999), (3, 500)])
def test_what_is_told_while_they_run_is_what_is_told_at_the_end(example, n):
    asked = {"example": example, "n": n, "seed": 3}
    told, whole = list(parts(asked, 0.0)), race(asked)
    assert len(told) > 50
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told[0]["paths"]["efficient"]["at"] == []  # the first is told before the default begins
    assert [one["reached"] for one in told] == sorted(one["reached"] for one in told)
    assert (told[-1]["reached"], whole["reached"]) == (n, n)
    for name, path in whole["paths"].items():
        each = [one["paths"][name] for one in told]
        assert [at for one in each for at in one["at"]] == path["at"]
        assert [[v for one in each for v in one["theta"][k]] for k in range(len(path["theta"]))] == path["theta"]
        assert [one["final"] for one in each if one["final"]][-1] == path["final"]


def test_a_filter_that_diverges_says_so_and_leaves_the_others():
    found = race({"example": 1, "n": 2000, "step": 1.0})
    assert "trouble" in found["paths"]["lms"]
    assert "final" in found["paths"]["efficient"]
    assert found["reached"] == 2000


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
        race(asked)


def test_settings_are_those_of_the_examples():
    assert course(2).to_dict()["noise"] == 2.0
    assert course(2).to_dict()["says"].endswith("which jump at half of the sets.")
    assert [course(k).to_dict()["systems"] for k in (1, 2, 3, 4)] == [3, 2, 2, 4]


@pytest.mark.parametrize(("example", "systems"), [(1, 4), (2, 3), (3, 3)])
def test_with_another_number_of_systems_the_default_finds_them(example, systems):
    found = race({"example": example, "systems": systems, "n": 2000, "noise": 0.1})
    expected = np.array(found["truth"][-1]["theta"]).reshape(systems, -1)
    order = np.lexsort(expected.T[::-1])
    np.testing.assert_allclose(found["paths"]["efficient"]["final"], expected[order], atol=0.05)
    assert found["settings"]["systems"] == systems
    assert (found["saddle"], found["ghosts"]) == (None, None)
    assert "trouble" not in found["paths"]["lms"]
