"""Lists as columns: against plain Python, and sets of any size."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.errors import BadFileError
from vieta.files import lists
from vieta.files.formats import sniff
from vieta.files.rows import Wanted


@pytest.fixture
def source(tmp_path):
    (tmp_path / "file").write_text('{"y": [1, 2]}\n')
    return sniff(tmp_path / "file", "file")


def frame(**columns):
    return pl.DataFrame(columns, schema_overrides={name: pl.List(pl.Float64) for name in columns if name != "set"})


def test_usual_shapes_are_the_most_frequent_of_lists_of_numbers():
    records = [
        {"y": [1]},
        {"y": [1, 2]},
        {"y": [3, 4], "x": [[1], [2, 3]], "a": 1},
        {"y": [[[1]]], "z": []},
        {"y": None},
    ]
    assert lists.usual_shapes(records) == {"y": (2,)}
    assert lists.usual_shapes([{"y": [[1, 2], [3, 4]]}]) == {"y": (2, 2)}
    assert lists.usual_shapes([{"y": [[[1]]]}]) == {}


def test_readings_of_whole_sets_stay_lists_and_inputs_become_columns(source):
    shapes = {"y": (2,), "psi": (2,)}
    wanted = Wanted(("y1", "y2", "psi1", "psi2"), None, "text", ("y1", "y2"))
    assert lists.members_of(shapes, wanted) == "y"
    assert lists.fields(shapes, wanted) == {"y": pl.List(pl.Float64()), "psi": pl.List(pl.Float64())}
    raw = frame(y=[[1, 2], [3], []], psi=[[4, 5], [6, 7], [8, 9]])
    rows = lists.as_columns(source, raw, 1, shapes, wanted, strict=True)
    assert rows.members == "y"
    assert rows.frame.to_dict(as_series=False) == {
        "psi1": [4, 6, 8],
        "psi2": [5, 7, 9],
        "y": [[1, 2], [3], []],
    }


def test_named_entries_are_columns(source):
    wanted = Wanted(("y2",), "set", "number", ("y2",))
    rows = lists.as_columns(source, frame(set=[1.0], y=[[5, 6]]), 1, {"y": (2,)}, wanted, strict=True)
    assert (rows.members, rows.frame.to_dict(as_series=False)) == (None, {"set": [1.0], "y2": [6.0]})


@pytest.mark.parametrize(
    ("cell", "given"), [([1.0], "a list of 1"), ([1.0, 2.0, 3.0], "a list of 3"), ([], "a list of 0")]
)
def test_an_input_of_another_length_is_refused_or_missing(source, cell, given):
    wanted = Wanted(("a", "psi1", "psi2"), None, "text")
    raw = pl.DataFrame({"a": [1.0, 2.0], "psi": [[4.0, 5.0], cell]}, schema_overrides={"psi": pl.List(pl.Float64)})
    with pytest.raises(BadFileError) as refused:
        lists.as_columns(source, raw, 7, {"psi": (2,)}, wanted, strict=True)
    assert refused.value.code == "other-shape"
    assert (refused.value.facts["row"], refused.value.facts["given"]) == (8, given)
    rows = lists.as_columns(source, raw, 7, {"psi": (2,)}, wanted, strict=False)
    assert rows.frame.rows() == [(1.0, 4.0, 5.0), (2.0, None, None)]
    assert rows.misfits == 0


@pytest.mark.parametrize("bad", [[[1.0, 2.0], [3.0]], [[1.0, 2.0], None], [[1.0]]])
def test_sets_of_readings_of_another_length_are_refused_or_blanked_and_counted(source, bad):
    wanted = Wanted(("y1_1", "y1_2", "y2_1", "y2_2"), None, "text", ("y1_1", "y1_2", "y2_1", "y2_2"))
    good = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]  # of another size, which is for others to judge
    raw = pl.DataFrame({"y": [good, bad]}, schema={"y": pl.List(pl.List(pl.Float64))})
    with pytest.raises(BadFileError, match=r"line 2 of file: 'y' is .*, not a list of 2 x 2"):
        lists.as_columns(source, raw, 1, {"y": (2, 2)}, wanted, strict=True)
    rows = lists.as_columns(source, raw, 1, {"y": (2, 2)}, wanted, strict=False)
    assert rows.frame["y"].to_list() == [good, None]
    assert rows.misfits == 1


@given(st.lists(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), max_size=3), min_size=1, max_size=5))
def test_unfolding_against_the_entries_one_by_one(cells):
    found = lists.unfolded([{"y": cell} for cell in cells], {"y": (2, 2)})
    for i in (0, 1):
        for j in (0, 1):
            expected = [cell[i][j] if i < len(cell) else None for cell in cells]
            assert found[f"y{i + 1}_{j + 1}"] == expected
