"""What is said of a file in which no row is found."""

import polars as pl
import pytest
from vieta.files.head import head

from vieta.errors import BadFileError
from vieta.files.source import sniff


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
def test_it_is_said_what_it_looks_like(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadFileError) as told:
        head(sniff(tmp_path / "file", "file"))
    assert str(told.value).startswith(message)


def test_parquet_without_rows(tmp_path):
    pl.DataFrame(schema={"t": pl.Int64, "y": pl.List(pl.Float64)}).write_parquet(tmp_path / "file")
    with pytest.raises(BadFileError, match=r"^file has no rows, or nothing in them. One row a reading"):
        head(sniff(tmp_path / "file", "file"))


def test_a_broken_parquet_file(tmp_path):
    (tmp_path / "file").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(BadFileError, match=r"^file cannot be read: "):
        sniff(tmp_path / "file", "file")
