"""The one parser of lines of JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.errors import BadFileError
from vieta.files.json_line import as_record, decode, fault, numbers, without_nulls
from vieta.files.reasons import NO_SET, NOT_A_NUMBER, NOT_JSON, RAGGED, WORDS


def code_of(function, *arguments):
    with pytest.raises(BadFileError) as refused:
        function(*arguments)
    return refused.value.code


def test_an_object_or_a_list_that_is_its_readings():
    assert as_record(b'{"a": 1}') == {"a": 1}
    assert as_record(b" [1, 2]\r\n") == {"y": [1, 2]}
    assert as_record(b"\xef\xbb\xbf[1]") == {"y": [1]}


@pytest.mark.parametrize("line", [b"x", b"", b"{", b"[" * 100_000, b"\xff", b"[1] [2]", b"\0"])
def test_what_is_not_json_is_refused(line):
    assert code_of(as_record, line) == NOT_JSON


@pytest.mark.parametrize("line", [b"5", b'"y"', b"null", b"true"])
def test_what_is_neither_object_nor_list_is_refused(line):
    assert code_of(as_record, line) == NO_SET


def test_whole_numbers_stay_whole_if_they_are_names():
    assert decode(b'{"set": 1000000000000000001}') == {"set": 10**18 + 1}
    assert type(decode(b"3", whole=False)) is float


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ([1, None], NOT_A_NUMBER),
        ([1, "2"], NOT_A_NUMBER),
        ([1, True], NOT_A_NUMBER),
        ([[1], 2], NOT_A_NUMBER),
        ([[[1]], [[2]]], NOT_A_NUMBER),
        ([[1, 2], [3]], RAGGED),
        ([[], []], RAGGED),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(cell, code):
    assert code_of(numbers, cell) == code


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(st.floats() | st.integers(), min_size=n, max_size=n))))
def test_numbers_row_by_row(rows):
    if rows:
        (count, length), flat = numbers(rows)
        assert (count, length) == (len(rows), len(rows[0]))
        assert all(type(item) is float for item in flat)
        assert str(flat) == str([float(item) for row in rows for item in row])


def test_whole_numbers_beyond_floats_are_infinite():
    assert numbers([10**400, -1]) == ((2, 1), [float("inf"), -1.0])


def test_missing_numbers_are_nan():
    assert json.dumps(without_nulls([[1, None], [2, 3]])) == "[[1, NaN], [2, 3]]"


def test_a_fault_says_its_reason():
    assert str(fault(RAGGED)) == WORDS[RAGGED]
