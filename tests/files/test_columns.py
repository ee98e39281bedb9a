"""What the first rows of a column say about its purpose."""

import pytest

from vieta.errors import BadFileError
from vieta.files.columns import (
    Head,
    Names,
    counts_rows,
    head,
    is_constant_in_sets,
    names_systems,
    repeats,
    stands_together,
)
from vieta.files.formats import sniff
from vieta.wording import PYTHON


def made(**columns):
    return Head("file", columns)


def test_columns_most_of_whose_cells_are_numbers_are_numeric():
    found = made(a=[1, 2, "x"], b=["x", "y", 1], c=[None, None], d=[1, "x"], e=[None, 2.5])
    assert found.numeric == ("a", "d", "e")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2.5, None], "number"),
        (["a", 1], "text"),
        ([2**53, 1], "whole"),
        ([2**63, 1], "text"),
        ([2**53, 1.5], "number"),
        ([2**53 - 1], "number"),
    ],
)
def test_how_names_of_sets_are_read(cells, kind):
    assert made(t=cells).id_type("t") == kind


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "file has no rows below its first line, 'hello'. One row a reading, or one row a set, is needed."),
        (b"{}\n", "line 1 of file holds nothing: '{}'. One object a reading, or one object a set, is needed."),
        (b'{"y": [1.2, 3.4', """line 1 of file is no whole JSON object by itself: '{"y": [1.2, 3.4'. One object"""),
        (b'{\n  "y": [\n    1,\n    2\n  ]\n}\n', "line 1 of file is no whole JSON object by itself: '{'. One object"),
        (b'{"y": null}\n', "line 1 of file holds nothing"),
    ],
)
def test_a_file_in_which_no_cell_is_found_is_refused(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadFileError) as refused:
        head(sniff(tmp_path / "file", "file"))
    assert str(refused.value).startswith(message)


def test_repetitions():
    assert repeats([1, 2, 1])
    assert not repeats([1, 2, "1.0"])
    assert stands_together([])


@pytest.mark.parametrize(
    ("cells", "count"),
    [(["a", "b", "b", "a"], 2), (["a", "b", "a", "c"], 0), (["a", "a", "b", "b"], 0), (["a", "b", None, None], 0)],
)
def test_columns_that_name_the_systems(cells, count):
    assert names_systems(made(t=[0, 0, 1, 1], who=cells), "who", "t") == count


@pytest.mark.parametrize(("cells", "is_input"), [([3, 3, 4, 4], True), ([3, 3, 3, 3], False), ([3, 4, 5, 5], False)])
def test_columns_that_are_constant_in_sets(cells, is_input):
    assert is_constant_in_sets(made(t=[0, 0, 1, 1], x=cells), "x", "t") is is_input


def test_long_lists_and_long_names_are_cut():
    said = Names([f"a{i}" for i in range(30)]).say(PYTHON)
    assert said.startswith("a0, a1, ")
    assert said.endswith(", a9, .. 20 more")
    assert Names(["x" * 41]).say(PYTHON) == "x" * 37 + "..."
    assert Names(["--set {y}"]).say(PYTHON) == "--set {y}"


@pytest.mark.parametrize(
    ("cells", "counts"),
    [
        (range(20), True),
        ([float(i) for i in range(1, 20)], True),
        (range(7), False),
        (range(2, 20), False),
        ([0, *range(10)], False),
        (["0", *range(1, 20)], False),
        ([*range(10), None], False),
        ([], False),
    ],
)
def test_columns_that_number_the_rows(cells, counts):
    assert counts_rows(list(cells)) is counts
