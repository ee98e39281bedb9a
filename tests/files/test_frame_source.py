"""Frames in place of files: of pandas, polars, lazy or through Arrow; what is none is refused."""

import numpy as np
import polars as pl
import pytest

from tests.files import samples
from vieta.errors import BadFileError
from vieta.files.frame_source import source_of
from vieta.files.reader import reader, reader_of

pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install '.[dev]'")


class Arrow:
    """A table of another library that speaks Arrow."""

    def __init__(self, frame):
        self._frame = frame

    def __arrow_c_stream__(self, schema=None):
        return self._frame.__arrow_c_stream__(schema)


def as_pandas(frame):
    return pd.DataFrame(frame.to_dict(as_series=False))


@pytest.mark.parametrize(
    "kind", [pl.DataFrame, pl.DataFrame.lazy, Arrow, as_pandas], ids=["polars", "lazy", "arrow", "pandas"]
)
@pytest.mark.parametrize("layout", [samples.long_frame, samples.wide_frame])
def test_a_frame_is_read_as_its_file_is(tmp_path, kind, layout):
    frame = layout(*samples.records(50))
    with reader([str(samples.write(frame, tmp_path / "a.parquet"))]) as source:
        wanted, described = source.all().data, source.layout
    found = reader_of([source_of(kind(frame))])
    assert found.layout == described
    assert np.array_equal(found.all().data.readings, wanted.readings)
    assert np.array_equal(found.all().data.inputs, wanted.inputs)


def test_lists_are_sets_of_any_size():
    found = reader_of([source_of(pd.DataFrame({"y": [[1.0, 2.0], [3.0], [4.0, 5.0]]}))])
    assert found.all().data.sizes.tolist() == [2, 1, 2]


def test_a_category_of_numbers_is_known_as_one():
    frame = pd.DataFrame({"n": pd.Categorical([2, 1]), "t": pd.Categorical(["b", "a"]), "x": [1, 2]})
    assert source_of(frame).coded == ("n",)


@pytest.mark.parametrize("given", [np.ones((2, 2)), [[1.0]], pd.Series([1.0]), pl.Series([1.0]), None, "a.csv"])
def test_what_is_no_frame_is_refused(given):
    with pytest.raises(BadFileError) as refused:
        source_of(given)
    assert refused.value.code == "not-a-frame"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["y", "y"]),
        pd.DataFrame([[1.0, 2.0]], columns=[1, "1"]),
        pd.DataFrame({"t": [1.0]}, index=pd.Index([1], name="t")),
    ],
)
def test_columns_of_one_name_are_refused(frame):
    with pytest.raises(BadFileError, match="more than once") as refused:
        source_of(frame)
    assert refused.value.code == "column-twice"


def test_a_frame_without_rows_is_refused():
    with pytest.raises(BadFileError, match="the frame has no rows"):
        reader_of([source_of(pl.DataFrame({"y": []}))])
