"""What a file is, and what is said about one that is none of ours."""

import gzip
import io
import os
import threading

import pytest

from vieta.errors import BadFileError
from vieta.files.source import flows, sniff, sources

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
        (
            b'{\n"theta": [[1]], "cov": [[1]]}',
            "file is an estimate, as vieta fit --json writes it. vieta audit takes it",
        ),
        (b'[{"y": 1}]', "a JSON array. One object or list a line is needed"),
        (b"[[1, 2], [3, 4]]\n", "a JSON array"),
        (b"[\n[1, 2],\n[3, 4]\n]\n", "a JSON array"),
        (b"[1, 2,\n3, 4]\n", "a JSON array"),
        (b"1,2,3\n4,5,6\n", "line 1 of file holds numbers where the names of the columns should be. Add a header"),
        (b"t,y,y\n1,2,3\n", r"the column 'y' more than once \(columns 2, 3\). Rename them."),
        (b"\xe4,y\n1,2\n", "the header of file is not UTF-8 text. Save the file as UTF-8."),
        (gzip.compress(LINES * 999, mtime=0)[:60], "file ends too early: the gzip file is cut off"),
        (b"\x1f\x8bnonsense", "file is a damaged gzip file"),
        (gzip.compress(b"", mtime=0), "file is empty"),
        (gzip.compress(b"PAR1", mtime=0), "a gzipped Parquet file. Unpack it"),
        (b"\nset,y\n1,2\n", "line 1 of file is blank. The names of the columns belong there."),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, content, message):
    with pytest.raises(BadFileError, match=message):
        sniffed(tmp_path, content)


def test_files_that_are_not_there_or_are_folders(tmp_path):
    with pytest.raises(BadFileError, match="absent cannot be read: No such file or directory"):
        sniff(tmp_path / "absent", "absent")
    with pytest.raises(BadFileError, match="folder is a folder: name a file, or - for standard input"):
        sniff(tmp_path, "folder")
    with pytest.raises(BadFileError, match="an empty name came: name a file"), sources([""]):
        pass


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


@pytest.mark.parametrize("content", [LINES, gzip.compress(LINES)], ids=["plain", "zipped"])
def test_a_named_pipe_is_kept_meanwhile(tmp_path, content):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert [flows(path) for path in ("-", str(pipe), str(tmp_path), "absent")] == [True, True, False, False]
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    with sources([str(pipe)]) as (source,):
        writer.join()
        assert (source.name, source.names) == (str(pipe), ("set", "y", "psi"))
        assert source.path.read_bytes() == content
        kept = source.path
    assert not kept.exists()
