"""Cells of text: numbers, words for missing, and what is neither."""

import math

import pytest

from vieta.errors import BadFileError
from vieta.files import cells
from vieta.files.formats import sniff
from vieta.files.rows import Wanted

WANTED = Wanted(("y",), "set", "number")


@pytest.fixture
def source(tmp_path):
    (tmp_path / "file").write_text("set,y\n1,2\n")
    return sniff(tmp_path / "file", "file")


def frame(source, rows, strict, wanted=WANTED):
    return cells.as_frame(source, enumerate(rows, start=5), wanted, ["set", "y"], strict=strict)


def test_numbers_and_missing_cells(source):
    found = frame(source, [["1", " 2.5 "], ["2", "NA"], [3, ""], [None, 4]], strict=True)
    assert found.rows() == [(1.0, 2.5), (2.0, None), (3.0, None), (None, 4.0)]


@pytest.mark.parametrize("cell", ["abc", "1_000", True, [1], {"a": 1}, "1,5"])
def test_what_is_not_a_number_is_refused_with_its_place_or_nan(source, cell):
    with pytest.raises(BadFileError) as refused:
        frame(source, [["1", "2"], ["2", cell]], strict=True)
    error = refused.value
    assert (error.code, error.facts["line"], error.facts["column"]) == ("not-a-number", 6, "y")
    assert ("without commas" in str(error)) == (cell == "1,5")
    assert str(error).endswith(
        "on_bad_set=drop leaves such sets out, which is right only where they are bad by chance."
    )
    assert math.isnan(frame(source, [["2", cell]], strict=False)["y"][0])


def test_a_name_that_is_no_number_is_missing(source):
    assert frame(source, [["x", "1"]], strict=False)["set"].to_list() == [None]


@pytest.mark.parametrize(
    ("cell", "found"), [(10**18 + 1, 10**18 + 1), ("7", 7), (7.5, None), (2**63, None), ("x", None)]
)
def test_whole_names(source, cell, found):
    wanted = WANTED._replace(id_type="whole")
    assert frame(source, [[cell, 1]], strict=False, wanted=wanted)["set"].to_list() == [found]


def test_a_broken_cell_of_text_is_missing(source):
    wanted = Wanted(("y",), None, "text", (), ("group",))
    lines = [(2, ["1", "a"]), (3, [cells.BROKEN, cells.BROKEN])]
    assert cells.as_frame(source, lines, wanted, ["y", "group"], strict=False)["group"].to_list() == ["a", None]
