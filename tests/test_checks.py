import numpy as np
import pytest

from vieta.checks import as_count, as_floats, as_number, as_probabilities, as_theta, as_transition, frozen
from vieta.errors import InputError


@pytest.mark.parametrize("value", [0, -3, 1.0, 2.5, True, "3", None])
def test_a_count_is_a_positive_integer(value):
    with pytest.raises(ValueError, match="`n` must be an integer of at least 1, got "):
        as_count(value, "n")


def test_a_count_may_come_from_numpy():
    assert as_count(np.int64(7), "n") == 7
    assert as_count(0, "seed", least=0) == 0


@pytest.mark.parametrize("value", [np.nan, [1.0, np.inf]])
def test_numbers_must_be_finite(value):
    with pytest.raises(ValueError, match="`theta` must be finite"):
        as_floats(value, "theta")


@pytest.mark.parametrize("value", ["word", [[1, 2], [3]]])
def test_numbers_must_be_numbers(value):
    with pytest.raises(ValueError, match="must be a number or a rectangular array"):
        as_floats(value, "theta")


def test_checked_arrays_are_copies_that_cannot_be_written():
    mine = np.ones(3)
    theirs = as_floats(mine, "theta")
    mine[0] = 5.0
    assert theirs[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        theirs[0] = 2.0


@pytest.mark.parametrize("value", [3.0, [], np.ones((2, 2, 2))])
def test_theta_has_one_row_per_system(value):
    with pytest.raises(ValueError, match=r"must have shape \(L,\) or \(L, D\), one row per system, got "):
        as_theta(value)


def test_a_list_of_numbers_is_many_systems_with_one_parameter():
    assert as_theta([1, 2, 3]).shape == (3, 1)


@pytest.mark.parametrize("value", [[0.5, 0.6], [-0.1, 1.1]])
def test_probabilities_add_up(value):
    with pytest.raises(ValueError, match="non-negative and add up to 1"):
        as_probabilities(value)


@pytest.mark.parametrize("value", [[], 1.0])
def test_probabilities_are_a_list(value):
    with pytest.raises(ValueError, match="at least one probability"):
        as_probabilities(value)


def test_a_transition_matrix_is_square():
    with pytest.raises(ValueError, match=r"square matrix.*got \(1, 2\)"):
        as_transition([[0.5, 0.5]])


@pytest.mark.parametrize("value", [2.0, [3.0]])
def test_a_number_stays_within_its_bounds(value):
    with pytest.raises(ValueError, match="`df` must be one number between 2 and inf"):
        as_number(value, "df", above=2.0)


def test_frozen_values_hash():
    assert hash(frozen(np.eye(2))) == hash(((1.0, 0.0), (0.0, 1.0)))


@pytest.mark.parametrize(
    ("call", "code", "facts"),
    [
        (lambda: as_count(0, "n"), "not-a-count", {"name": "n", "least": 1, "value": 0, "kind": "int"}),
        (lambda: as_floats("word", "theta"), "not-an-array", {"name": "theta", "value": "word"}),
        (lambda: as_floats(np.inf, "theta"), "not-finite", {"name": "theta", "value": np.inf}),
        (lambda: as_theta(3.0), "parameters-shape", {"name": "theta", "shape": ()}),
        (
            lambda: as_probabilities([0.5, 0.6]),
            "not-probabilities",
            {"name": "probabilities", "least": 0.5, "sums": 1.1},
        ),
        (lambda: as_transition([[1.0, 0.0]]), "not-a-transition", {"name": "transition", "shape": (1, 2)}),
        (
            lambda: as_number(9.0, "level", above=0.0, below=1.0),
            "out-of-range",
            {"name": "level", "above": 0.0, "below": 1.0, "value": 9.0},
        ),
    ],
)
def test_errors_are_codes_and_facts(call, code, facts):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
    assert dict(caught.value.facts) == facts
