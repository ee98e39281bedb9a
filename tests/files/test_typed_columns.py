"""Columns with types: levels that a type lists, and what polars refuses."""

import polars as pl
import pytest

from vieta.errors import BadFileError
from vieta.files.frame_source import source_of
from vieta.files.layout import Wishes
from vieta.files.reader import reader, reader_of
from vieta.files.typed_columns import refusing

ROWS = {"t": [1, 1, 2, 2, 3, 3], "y": [1.0, 4.0, 2.0, 5.0, 3.0, 6.0], "g": ["b", "b", "c", "c", "a", "a"]}
WISHES = Wishes(set="t", value=("y",), input=("g",))


def test_levels_are_in_the_order_of_their_type_and_only_those_that_occur(tmp_path):
    frame = pl.DataFrame(ROWS)
    listed = frame.with_columns(pl.col("g").cast(pl.Enum(["c", "never", "b", "a"])))
    assert reader_of([source_of(frame)], WISHES).layout.regressors == ("intercept", "g=b", "g=c")
    assert reader_of([source_of(listed)], WISHES).layout.regressors == ("intercept", "g=b", "g=a")
    listed.write_parquet(tmp_path / "a.parquet")
    with reader([str(tmp_path / "a.parquet")], WISHES) as source:
        assert source.layout.regressors == ("intercept", "g=b", "g=a")


def test_what_polars_refuses_is_an_error_about_the_table():
    with pytest.raises(BadFileError, match=r"x cannot be read: .*oops"), refusing("x"):
        raise pl.exceptions.ComputeError("oops")
