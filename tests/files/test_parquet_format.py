"""Parquet: types of columns, lists, and blocks of rows."""

import datetime
import gzip

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from vieta.errors import BadFileError
from vieta.files import typed_columns
from vieta.files.columns import head
from vieta.files.formats import sniff
from vieta.files.reader import reader
from vieta.files.rows import Wanted


def written(tmp_path, frame):
    frame.write_parquet(tmp_path / "file")
    return sniff(tmp_path / "file", "file")


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_blocks_of_any_size_give_the_same_rows(tmp_path, monkeypatch, size):
    monkeypatch.setattr(typed_columns, "ROWS", size)
    source = written(tmp_path, pl.DataFrame({"set": [1, 1, 2, 2, 3], "y": [1.0, 2.0, None, 4.0, 5.0]}))
    read = []
    found = list(source.rows(Wanted(("y",), "set", "whole"), strict=True, progress=read.append))
    assert sum(read) == source.size
    assert_array_equal(np.concatenate([rows.numbers(("y",), None)[:, 0] for rows in found]), [1, 2, np.nan, 4, 5])
    assert_array_equal(np.concatenate([rows.lines for rows in found]), [1, 2, 3, 4, 5])
    assert found[0].place(0) == "row 1 of file"


def test_dates_are_whole_numbers_and_decimals_are_numbers(tmp_path):
    days = [datetime.date(1970, 1, 3), datetime.date(1970, 1, 2)]
    frame = pl.DataFrame({"t": days, "y": ["1.5", "2.5"]}).with_columns(pl.col("y").cast(pl.Decimal(10, 2)))
    source = written(tmp_path, frame)
    assert source.first_rows() == {"t": [2, 1], "y": [1.5, 2.5]}


def test_lists_and_arrays_are_columns(tmp_path):
    kinds = {"y": pl.Array(pl.Float64, 2), "psi": pl.List(pl.List(pl.Float64))}
    source = written(tmp_path, pl.DataFrame({"y": [[1, 2], [3, 4]], "psi": [[[5]], [[6]]]}, schema=kinds))
    assert source.lists == {"y": (2,), "psi": (1, 1)}
    assert source.first_rows() == {"y1": [1, 3], "y2": [2, 4], "psi1_1": [5, 6]}


def test_a_file_without_rows(tmp_path):
    source = written(tmp_path, pl.DataFrame(schema={"t": pl.Int64, "y": pl.List(pl.Float64)}))
    with pytest.raises(BadFileError, match=r"^file has no rows, or nothing in them. One row a reading") as refused:
        head(source)
    assert refused.value.code == "parquet-without-rows"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"PAR1 and nothing else", "unreadable"), (gzip.compress(b"PAR1", mtime=0), "zipped-parquet")],
)
def test_broken_files_are_refused(tmp_path, content, code):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadFileError) as refused:
        sniff(tmp_path / "file", "file")
    assert refused.value.code == code


def test_a_panic_of_polars_is_a_damaged_file(tmp_path, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException("assertion failed")

    source = written(tmp_path, pl.DataFrame({"y": [1.0]}))
    monkeypatch.setattr(pl, "scan_parquet", panic)
    with pytest.raises(BadFileError, match="file is a damaged Parquet file") as refused:
        source.first_rows()
    assert refused.value.code == "parquet-damaged"


def test_columns_of_times_are_known(tmp_path):
    day, moment = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)
    frame = pl.DataFrame({"d": [day], "t": [moment], "y": [1.0], "s": ["2020-01-01"]})
    frame = frame.with_columns(long=pl.col("t") - pl.col("d"))
    frame.write_parquet(tmp_path / "a.parquet")
    source = sniff(tmp_path / "a.parquet", "a")
    assert source.timed == ("d", "t")
    (rows,) = source.rows(Wanted(("y",), None, "text", (), ("d", "t", "s")), strict=True, progress=lambda _: None)
    assert rows.frame.dtypes == [pl.Float64, pl.Date, pl.Datetime("us"), pl.String]


@pytest.mark.parametrize("kind", [pl.Date(), pl.Datetime("us"), pl.Datetime("ms")])
def test_sets_that_are_named_by_dates_keep_their_names(tmp_path, kind):
    days = pl.Series([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]).cast(kind)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"date": days.gather([0, 0, 1, 1]), "y": [1.0, 2.0, 1.5, 2.5]}).write_parquet(path)
    with reader([str(path)], stream=False) as source:
        names = [name for block in source.named() for name in block.names()]
    assert names == days.to_list()
