"""Columns of pandas as those of polars: every type of number, text, time and category, missing where it is."""

import datetime

import numpy as np
import polars as pl
import pytest

from vieta.errors import BadFileError
from vieta.files.pandas_columns import as_series, columns_of

pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install '.[dev]'")

DAY = datetime.datetime(2024, 1, 31)


@pytest.mark.parametrize(
    ("column", "cells", "kind"),
    [
        (pd.Series([1, 2], dtype="int16"), [1, 2], pl.Int64()),
        (pd.Series([1, 2], dtype="uint8"), [1, 2], pl.UInt64()),
        (pd.Series([1.5, None], dtype="float32"), [1.5, None], pl.Float64()),
        (pd.Series([2**60 + 1, None], dtype="Int64"), [2**60 + 1, None], pl.Int64()),
        (pd.Series([1.5, None], dtype="Float64"), [1.5, None], pl.Float64()),
        (pd.Series([True, None], dtype="boolean"), [True, None], pl.Boolean()),
        (pd.Series([True, False]), [True, False], pl.Boolean()),
        (pd.Series(["a", None]), ["a", None], pl.String()),
        (pd.Series(["a", None], dtype="string"), ["a", None], pl.String()),
        (pd.Series(["a", None], dtype=object), ["a", None], pl.String()),
        (pd.Series([1, None, 2.5], dtype=object), [1.0, None, 2.5], pl.Float64()),
        (pd.Series(["a", 2], dtype=object), ["a", "2"], pl.String()),
        (pd.Series([{1}, None], dtype=object), ["{1}", None], pl.String()),
        (pd.Series([1 + 2j]), ["(1+2j)"], pl.String()),
        (pd.Series([None, None], dtype=object), [None, None], pl.String()),
        (pd.Series([[1.0, 2.0], [3.0]]), [[1.0, 2.0], [3.0]], pl.List(pl.Float64())),
        (pd.Series([DAY, None]), [DAY, None], pl.Datetime("us")),
        (pd.Series([DAY, None]).astype("datetime64[ns]"), [DAY, None], pl.Datetime("us")),
        (pd.Series([DAY]).dt.tz_localize("Asia/Tokyo"), [DAY - datetime.timedelta(hours=9)], pl.Datetime("us")),
        (pd.Series(pd.PeriodIndex(["2024-02"], freq="M")), [datetime.datetime(2024, 2, 1)], pl.Datetime("us")),
        (pd.Series([DAY.date(), None], dtype=object), [DAY.date(), None], pl.Date()),
        (pd.Series(pd.Categorical(["b", None, "a"], ["b", "x", "a"])), ["b", None, "a"], pl.Enum(["b", "x", "a"])),
        (pd.Series(pd.Categorical([3, None, 1])), [3, None, 1], pl.Int64()),
        (pd.Series(pd.Categorical([DAY, None])), [DAY, None], pl.Datetime("us")),
        (pd.Series(pd.Categorical([None, None])), [None, None], pl.String()),
    ],
)  # fmt: skip
def test_cells_and_types(column, cells, kind):
    found = as_series("a", column)
    assert (found.name, found.fill_nan(None).to_list() if found.dtype == pl.Float64() else found.to_list()) == (
        "a",
        cells,
    )
    assert found.dtype == kind


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.RangeIndex(2), ["0"]),
        (pd.Index([7, 3]), ["0"]),
        (pd.Index(["p", "q"]), ["0"]),
        (pd.Index([7, 3], name="set"), ["set", "0"]),
        (pd.DatetimeIndex([DAY, DAY]), ["index", "0"]),
        (pd.DatetimeIndex([DAY, DAY], tz="UTC"), ["index", "0"]),
        (pd.PeriodIndex(["2024-01", "2024-02"], freq="M"), ["index", "0"]),
        (pd.MultiIndex.from_tuples([(1, "a"), (2, "b")], names=["t", None]), ["t", "level_1", "0"]),
    ],
)
def test_what_an_index_says_is_a_column(index, names):
    found = dict(columns_of(pd.DataFrame([[1.0], [2.0]], index=index)))
    assert list(found) == names
    assert all(len(as_series(name, column)) == 2 for name, column in found.items())
    assert as_series("0", found["0"]).to_list() == [1.0, 2.0]


def test_columns_of_several_levels_are_refused():
    frame = pd.DataFrame(np.ones((1, 1)), columns=pd.MultiIndex.from_tuples([("a", "b")]))
    with pytest.raises(BadFileError, match="2 levels of names, for example \\('a', 'b'\\)"):
        list(columns_of(frame))
