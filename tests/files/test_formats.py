"""Which format a file has is seen from its bytes; a new format is one new file."""

import gzip
import io
import os
import sys
import threading

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import vieta.files
from vieta.errors import BadFileError
from vieta.files.formats import formats, sniff, sources
from vieta.files.reader import reader

LINES = b"set,y,psi\n1,2.0,3.0\n"


def sniffed(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    return sniff(tmp_path / "file", "file")


def test_formats_are_found_and_csv_which_any_text_may_be_is_asked_last():
    assert [one.kind for one in formats()] == ["parquet", "ndjson", "csv"]


@pytest.mark.parametrize(
    ("content", "kind", "zipped"),
    [
        (LINES, "csv", False),
        (gzip.compress(LINES, mtime=0), "csv", True),
        (b'{"y": 1}\n', "ndjson", False),
        (gzip.compress(b"[1, 2]\n[3, 4]\n", mtime=0), "ndjson", True),
        (b"\xef\xbb\xbf" + b'{"y": 1}\n', "ndjson", False),
    ],
)
def test_text_is_recognised_by_its_bytes(tmp_path, content, kind, zipped):
    source = sniffed(tmp_path, content)
    assert (source.kind, source.zipped, source.size) == (kind, zipped, len(content))


def test_parquet_is_recognised_by_its_bytes(tmp_path):
    pl.DataFrame({"set": [1, 1], "y": [1.0, 2.0]}).write_parquet(tmp_path / "a.csv")
    assert sniff(tmp_path / "a.csv", "a.csv").kind == "parquet"


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "empty-file", "file is empty"),
        (b" \n\n", "empty-file", "file is empty"),
        (gzip.compress(b"", mtime=0), "empty-file", "file is empty"),
        (b"PK\x03\x04rest", "foreign-format", "a zip archive or a spreadsheet. Save the sheet as CSV"),
        (b"\xff\xfes\x00", "foreign-format", "text in UTF-16. Save it as UTF-8"),
        (b"abc\0def", "zero-bytes", "not text: it holds bytes of zero. .* csv, ndjson, parquet"),
    ],
)
def test_what_is_of_no_format_is_refused(tmp_path, content, code, words):
    with pytest.raises(BadFileError, match=words) as refused:
        sniffed(tmp_path, content)
    assert refused.value.code == code


def test_a_file_counts_once_whatever_it_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(LINES)
    (tmp_path / "b.csv").symlink_to("a.csv")
    for other, also in (("a.csv", ""), ("./a.csv", ", also as a.csv"), ("b.csv", ", also as a.csv")):
        with (
            pytest.raises(BadFileError, match=f"{other} was given twice{also}. Name each file once."),
            sources(["a.csv", other]),
        ):
            pass
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LINES)))
    with pytest.raises(BadFileError, match="standard input was given twice"), sources(["-", "-"]):
        pass


@pytest.mark.parametrize("content", [LINES, gzip.compress(LINES, mtime=0)], ids=["plain", "zipped"])
def test_a_named_pipe_is_kept_meanwhile(tmp_path, content):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    with sources([str(pipe)]) as (source,):
        writer.join()
        assert (source.name, source.names) == (str(pipe), ("set", "y", "psi"))
        assert source.path.read_bytes() == content
        kept = source.path
    assert not kept.exists()


FIXED = '''
"""Numbers of eight characters, in columns that the first line names by one letter each."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from vieta.errors import BadFileError
from vieta.files.rows import as_rows
from vieta.files.source import Source


@dataclass(frozen=True, slots=True)
class Fixed(Source):
    kind: ClassVar[str] = "fixed"

    @classmethod
    def recognise(cls, path, name, zipped, head, delimiter):
        return cls(path, name, zipped) if head.startswith(b"FIXED ") else None

    def _table(self):
        first, *lines = self.path.read_text().splitlines()
        names = first.split()[1:]
        return {name: [float(line[8 * i : 8 * i + 8]) for line in lines] for i, name in enumerate(names)}

    def first_rows(self):
        return self._table()

    def describe_empty(self):
        return BadFileError("fixed-without-rows", "{file} has no rows.", file=self.name)

    def rows(self, wanted, *, strict, progress):
        yield as_rows(self, pl.DataFrame(self._table()).select(list(wanted.schema())), 2)
        progress(self.size)


FORMAT = Fixed
'''


@pytest.fixture
def fixed(tmp_path, monkeypatch):
    """A format of one's own: one file beside the others."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "fixed_format.py").write_text(FIXED)
    monkeypatch.setattr(vieta.files, "__path__", [*vieta.files.__path__, str(folder)])
    formats.cache_clear()
    yield
    formats.cache_clear()
    sys.modules.pop("vieta.files.fixed_format", None)
    vars(vieta.files).pop("fixed_format", None)


@pytest.mark.parametrize("stream", [False, True])
def test_a_new_format_is_one_new_file(tmp_path, fixed, stream):
    rows = [(k, k + i / 4, 2.0 * k) for k in range(1, 5) for i in range(3)]
    path = tmp_path / "a.txt"
    path.write_text("FIXED t y x\n" + "".join("".join(f"{cell:8.3f}" for cell in row) + "\n" for row in rows))
    with reader([str(path)], stream=stream) as source:
        assert (source.sources[0].kind, source.layout.inputs) == ("fixed", ("x",))
        data = source.all().data
        assert source.place(2) == f"line 8 of {path}: set 3"
    assert_array_equal(data.sets[:, :, 0], np.array([row[1] for row in rows]).reshape(4, 3))
    assert_array_equal(data.inputs, [2.0, 4.0, 6.0, 8.0])
