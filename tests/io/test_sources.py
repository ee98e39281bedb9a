"""What a file is, and what is said about one that is none of ours."""

import gzip

import pytest

from vieta.io.errors import BadFileError
from vieta.io.sources import sniff

LINES = b"set,y,psi\n1,2.0,3.0\n"


def sniffed(tmp_path, content, delimiter=None):
    path = tmp_path / "file"
    path.write_bytes(content)
    return sniff(path, "file", delimiter)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_recognised(tmp_path, delimiter):
    source = sniffed(tmp_path, LINES.replace(b",", delimiter.encode()))
    assert (source.kind, source.delimiter, source.names) == ("csv", delimiter, ("set", "y", "psi"))


def test_zipped_text_is_recognised_by_its_bytes(tmp_path):
    assert sniffed(tmp_path, gzip.compress(LINES)).zipped
    assert sniffed(tmp_path, gzip.compress(b'{"y": 1}\n')).kind == "ndjson"


def test_names_keep_their_letters_and_lose_their_spaces(tmp_path):
    assert sniffed(tmp_path, 'ψ, "größe, cm" ,\n1,2,3\n'.encode()).names == ("ψ", '"größe', 'cm"', "column 4")
    assert sniffed(tmp_path, 'ψ,"größe, cm",\n1,2,3\n'.encode()).names == ("ψ", "größe, cm", "column 3")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file is empty"),
        (b" \n\n", "file is empty"),
        (b"PK\x03\x04rest", "a zip archive or a spreadsheet. Save the sheet as CSV"),
        (b"\xff\xfes\x00", "text in UTF-16. Save it as UTF-8"),
        (b"abc\0def", "file is no text: it holds bytes of zero"),
        (b'[{"y": 1}]', "a JSON array. One object a line is needed"),
        (b"1,2,3\n4,5,6\n", "line 1 of file holds numbers where the names of the columns should be. Add a header"),
        (b"t,y,y\n1,2,3\n", r"the column 'y' more than once \(columns 2, 3\). Rename them."),
        (b"\xe4,y\n1,2\n", "the header of file is not UTF-8 text. Save the file as UTF-8."),
        (gzip.compress(LINES * 999)[:60], "file ends too early: the gzip file is cut off"),
        (b"\x1f\x8bnonsense", "file is a damaged gzip file"),
        (gzip.compress(b""), "file is empty"),
        (gzip.compress(b"PAR1"), "a gzipped Parquet file. Unpack it"),
        (b"\nset,y\n1,2\n", "line 1 of file is blank. The names of the columns belong there."),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, content, message):
    with pytest.raises(BadFileError, match=message):
        sniffed(tmp_path, content)


def test_files_that_are_not_there_or_are_folders(tmp_path):
    with pytest.raises(BadFileError, match="absent cannot be read: No such file or directory"):
        sniff(tmp_path / "absent", "absent")
    with pytest.raises(BadFileError, match="folder cannot be read: Is a directory"):
        sniff(tmp_path, "folder")
