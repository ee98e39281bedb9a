"""Bad sets are refused with their line, or left out and counted."""

import json

import pytest
from numpy.testing import assert_array_equal

from tests.files.test_reader import read
from vieta.errors import BadFileError
from vieta.files import reasons
from vieta.files.layout import Wishes
from vieta.files.reader import reader

GOOD = "1,1.0,2\n1,1.5,2\n2,2.0,3\n2,2.5,3\n3,3.0,4\n3,3.5,4\n"


def written(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1", "replace") if name == "latin.csv" else text.encode())
    return path


CASES = {
    "no number": (
        "4,4.0,5\n4,abc,5\n",
        reasons.UNKNOWN_READING,
        "line 9 of .*: 'abc' in column 'y' is not a number. Repair",
    ),
    "infinite": (
        "4,inf,5\n4,4.5,5\n",
        reasons.UNKNOWN_READING,
        "line 8 of .*: set 4 cannot be used: .*not a finite number",
    ),
    "too large": (
        "4,1e999,5\n4,4.5,5\n",
        reasons.UNKNOWN_READING,
        "line 8 of .*: set 4 cannot be used: .*not a finite",
    ),
    "too large to be squared": (
        "4,4.0,5\n4,-1e300,5\n",
        reasons.TOO_LARGE,
        r"line 9 of .*: set 4 cannot be used: a reading lies beyond 1e\+100 and cannot be squared .*; 1 of the [14] sets",
    ),
    "an input too large to be squared": (
        "4,4.0,1e200\n4,4.5,1e200\n",
        reasons.TOO_LARGE,
        "line 8 of .*: an input lies beyond",
    ),
    "a short line": (
        "4,4.0,5\n4,4.5\n",
        reasons.UNKNOWN_INPUT,
        "line 9 of .*: set 4 cannot be used: an input is missing",
    ),
    "a long line": (
        "4,4.0,5\n4,4.5,5,6\n",
        reasons.UNKNOWN_READING,
        "line 9 of .* has 4 cells, and the header 3. Repair",
    ),
    "a varying input": ("4,4.0,5\n4,4.5,6\n", reasons.INPUT_VARIES, "line 9 of .*: its input differs .* use value="),
    "a row of no set": (",4.0,5\n", reasons.NO_NAME, "line 8 of .* names no set: its entry in 'set' is missing"),
    "a decimal comma": (
        '4,"4,5",5\n4,4.5,5\n',
        reasons.UNKNOWN_READING,
        "is not a number, which is written with a point, and without commas",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("stream", [False, True])
def test_bad_sets_are_refused_with_their_line(tmp_path, case, stream):
    text, _, message = CASES[case]
    with pytest.raises(BadFileError, match=message) as error:
        read(written(tmp_path, "set,y,psi\n" + GOOD + text), stream=stream)
    assert "on_bad_set=drop" in str(error.value)
    assert error.value.facts


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_bad_sets_are_left_out_and_counted(tmp_path, case, stream, first):
    text, reason, _ = CASES[case]
    if first:  # and the good ones are not confused by it
        text = text.replace("4,", "0,")
    body = text + GOOD if first else GOOD + text
    wishes = Wishes(systems=2)
    sets, psi, dropped = read(written(tmp_path, "set,y,psi\n" + body), on_bad_set="drop", stream=stream, wishes=wishes)
    assert_array_equal(sets, [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]])
    assert_array_equal(psi, [2.0, 3.0, 4.0])
    assert dropped == {reason: 1}


@pytest.mark.parametrize("text", ["4,4.0,5\n4,,5\n", "4,NA,5\n4,4.0,5\n", "4,4.0,5\n"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_reading_that_is_missing_leaves_a_smaller_set_or_drops_it(tmp_path, text, stream):
    path = written(tmp_path, "set,y,psi\n" + GOOD + text)
    with reader([str(path)], stream=stream) as source:
        data = source.all().data
    assert data.sizes.tolist() == [2, 2, 2, 1]
    assert data.readings.ravel().tolist() == [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    assert_array_equal(data.inputs, [2.0, 3.0, 4.0, 5.0])
    sets, *_ = read(path, on_bad_set="drop", stream=stream, wishes=Wishes(systems=2))
    assert_array_equal(sets, [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]])


def test_a_set_of_which_nothing_is_known_is_empty(tmp_path):
    with reader([str(written(tmp_path, "set,y,psi\n" + GOOD + "4,,5\n"))]) as source:
        data = source.all().data
    assert data.sizes.tolist() == [2, 2, 2, 0]
    assert_array_equal(data.inputs, [2.0, 3.0, 4.0, 5.0])


def test_half_a_vector_is_refused(tmp_path):
    text = "set,y1,y2,psi\n1,1,2,1\n1,3,4,1\n2,5,,1\n2,7,8,1\n"
    with pytest.raises(BadFileError, match=r"line 4 of .*: set 2 cannot be used: a reading is missing"):
        read(written(tmp_path, text))


def test_the_line_is_that_of_the_file_when_rows_are_shuffled(tmp_path):
    text = "set,y\n3,1\n1,1\n2,1\n3,inf\n1,2\n2,2\n"
    with pytest.raises(BadFileError, match=r"line 5 of .*: set 3"):
        read(written(tmp_path, text))


SIZES = {
    "a reading too few": ("4,4.0,5\n", 1),
    "a reading too many": ("4,4.0,5\n4,4.5,5\n4,4.6,5\n", 3),
    "two sets of one name": ("4,4.0,5\n4,4.5,5\n4,4.6,5\n4,4.7,5\n", 4),
}


@pytest.mark.parametrize("case", SIZES)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_sets_of_another_size_stay_or_are_left_out_and_counted(tmp_path, case, stream, first):
    """They are for the method to take or refuse, unless they are to be dropped."""
    text, size = SIZES[case]
    body = text.replace("4,", "0,") + GOOD if first else GOOD + text
    path = written(tmp_path, "set,y,psi\n" + body)
    with reader([str(path)], Wishes(systems=2), stream=stream) as source:
        data = source.all().data
        assert source.place(0 if first else 3).endswith(": set 0" if first else ": set 4")
    assert data.sizes.tolist() == ([size, 2, 2, 2] if first else [2, 2, 2, size])
    at = data.offsets[1] if first else 0
    assert data.readings[at : at + 6, 0].tolist() == [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
    assert (data.size, data.inputs.shape) == (2, (4,))
    sets, psi, dropped = read(path, on_bad_set="drop", stream=stream, wishes=Wishes(systems=2))
    assert_array_equal(sets, [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]])
    assert_array_equal(psi, [2.0, 3.0, 4.0])
    assert dropped == {reasons.WRONG_COUNT: 1}


def test_the_usual_size_is_that_of_most_sets(tmp_path):
    text = "set,y\n0,9\n" + "".join(f"{k},{k}\n{k},{k + 0.5}\n" for k in range(1, 6))
    sets, _, dropped = read(written(tmp_path, text), on_bad_set="drop")
    assert sets.shape == (5, 2)
    assert dropped == {reasons.WRONG_COUNT: 1}


@pytest.mark.parametrize("bad", ["inf", "1e300", "-1e200"])
def test_a_bad_reading_in_a_set_of_another_size_is_refused_with_its_line(tmp_path, bad):
    path = written(tmp_path, f"set,y,psi\n{GOOD}4,1,5\n4,2,5\n4,{bad},5\n")
    with pytest.raises(BadFileError, match=r"line 10 of .*: set 4 cannot be used") as refused:
        read(path)
    assert (refused.value.facts["count"], refused.value.facts["n_sets"]) == (1, 4)


def test_an_input_that_varies_in_a_set_of_another_size_is_refused(tmp_path):
    with pytest.raises(BadFileError, match=r"line 10 of .*: set 4 cannot be used: its input differs"):
        read(written(tmp_path, f"set,y,psi\n{GOOD}4,1,5\n4,2,5\n4,3,6\n"))


@pytest.mark.parametrize("stream", [False, True])
def test_sets_of_one_row_are_no_long_file_unless_there_is_one_system(tmp_path, stream):
    path = written(tmp_path, "time,y\n" + "".join(f"{k},{k}.5\n" for k in range(9)))
    for on_bad_set in ("error", "drop"):
        with pytest.raises(
            BadFileError, match=r"most sets of .* have one row: 'time' does not say .* with set=, or give layout=wide"
        ):
            read(path, on_bad_set=on_bad_set, stream=stream)
    assert read(path, wishes=Wishes(systems=1), stream=stream)[0].shape == (9, 1)


@pytest.mark.parametrize("stream", [False, True])
def test_a_number_of_systems_that_no_set_has_is_not_blamed_on_the_sets(tmp_path, stream):
    path = written(tmp_path, "set,y,psi\n" + GOOD)
    with pytest.raises(BadFileError, match=r"none of the \d sets has so many. Correct systems=, set= or") as refused:
        read(path, wishes=Wishes(systems=3), stream=stream)
    facts = refused.value.facts
    assert (refused.value.code, facts["given"], facts["needed"]) == ("no-set-of-size", 2, 3)
    assert facts["place"] == f"line 2 of {path}: set 1"


def test_names_that_occur_twice_in_a_wide_file(tmp_path):
    text = "time,y1,y2\n1,1,2\n2,3,4\n2,5,6\n3,7,8\n"
    wishes = Wishes("wide")
    with pytest.raises(
        BadFileError, match=r"line 3 of .*: set 2 occurs 2 times, and every set needs a name of its own."
    ):
        read(written(tmp_path, text), wishes=wishes)
    sets, _, dropped = read(written(tmp_path, text), wishes=wishes, on_bad_set="drop")
    assert_array_equal(sets, [[1, 2], [7, 8]])
    assert dropped == {reasons.REPEATED_NAME: 2}  # rows


def test_a_long_file_that_is_read_as_wide_is_told_from_a_name_given_twice(tmp_path):
    path = written(tmp_path, "time,y\n1,1\n1,3\n2,3\n2,4\n")
    with pytest.raises(BadFileError, match=r"set 1 occurs 2 times.* Give layout=long if a row is a reading\.$"):
        read(path, wishes=Wishes("wide"))


def test_a_wide_file_of_which_nothing_is_left(tmp_path):
    path = written(tmp_path, "time,y1,y2\n1,1,2\n1,3,4\n")
    with pytest.raises(BadFileError, match="no usable set is left: 2 left out for a name that occurs more than once"):
        read(path, wishes=Wishes("wide"), on_bad_set="drop")


def test_a_wide_file_with_a_missing_member(tmp_path):
    text = "y1,y2\n1,2\n3,\n5,6\n"
    with reader([str(written(tmp_path, text))]) as source:
        data = source.all().data
    assert (data.sizes.tolist(), data.n_systems, source.layout.n_systems) == ([2, 1, 2], 2, None)
    assert_array_equal(read(written(tmp_path, text), on_bad_set="drop")[0], [[1, 2], [5, 6]])


@pytest.mark.parametrize("bad", ['{"set": 4, "y": "abc"}', '{"set": 4, "y": [1]}', '{"set": 4, "y": true}', "{broken"])
def test_broken_lines_of_ndjson(tmp_path, bad):
    lines = [json.dumps({"set": k, "y": k + i / 2}) for k in (1, 2, 3) for i in (0, 1)]
    text = "\n".join([*lines, '{"set": 4, "y": 4}', "", bad])
    path = written(tmp_path, text, "a.ndjson")
    with pytest.raises(BadFileError, match=r"line 9 of .*(is not a number|is not a JSON object)"):
        read(path)
    sets, _, dropped = read(path, on_bad_set="drop")
    assert_array_equal(sets, [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]])
    assert reasons.WRONG_COUNT in dropped or reasons.UNKNOWN_READING in dropped


def test_letters_of_another_code_in_a_column_that_is_not_used(tmp_path):
    path = written(tmp_path, "set,y,city\n1,1,Zürich\n1,2,Genève\n2,3,x\n2,4,x\n", "latin.csv")
    assert_array_equal(read(path)[0], [[1, 2], [3, 4]])


def test_no_row_at_all(tmp_path):
    for text in ("set,y\n", "set,y\n\n,\n"):
        with pytest.raises(
            BadFileError, match=r"a.csv has no rows below its first line, 'set,y'. One row a reading, or"
        ):
            read(written(tmp_path, text))
