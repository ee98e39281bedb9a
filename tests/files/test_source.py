"""Files that are opened, zipped or not, and streams that are kept meanwhile."""

import gzip
import os
import threading
from contextlib import ExitStack

import pytest

from vieta.errors import BadFileError
from vieta.files.source import is_stream, opened, spooled

LINES = b"set,y,psi\n1,2.0,3.0\n"


@pytest.mark.parametrize(("content", "zipped"), [(LINES, False), (gzip.compress(LINES, mtime=0), True)])
def test_a_file_is_unzipped_if_its_bytes_say_so(tmp_path, content, zipped):
    (tmp_path / "file").write_bytes(content)
    with opened(tmp_path / "file", "file") as (file, is_zipped):
        assert file.read() == LINES
        assert is_zipped == zipped


@pytest.mark.parametrize(
    ("content", "code"),
    [(gzip.compress(LINES * 999, mtime=0)[:60], "gzip-cut-off"), (b"\x1f\x8bnonsense", "gzip-damaged")],
)
def test_damaged_gzip_files_are_refused(tmp_path, content, code):
    (tmp_path / "file").write_bytes(content)
    with (
        pytest.raises(BadFileError, match=r"^file .*Fetch or write it again\.$") as refused,
        opened(tmp_path / "file", "file") as (file, _),
    ):
        file.read()
    assert refused.value.code == code


def test_files_that_are_not_there_or_are_folders(tmp_path):
    for path, name, code, words in (
        (tmp_path / "absent", "absent", "unreadable", "absent cannot be read: No such file or directory"),
        (tmp_path, "folder", "folder", "folder is a folder: name a file, or - for standard input"),
        (tmp_path, "", "folder", "an empty name was given: name a file"),
    ):
        with pytest.raises(BadFileError, match=words) as refused, opened(path, name):
            pass
        assert refused.value.code == code


def test_streams_are_known_and_kept_in_a_file_that_goes_away(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert [is_stream(path) for path in ("-", str(pipe), str(tmp_path), "absent")] == [True, True, False, False]
    writer = threading.Thread(target=pipe.write_bytes, args=(LINES,))
    writer.start()
    with ExitStack() as stack:
        kept = spooled(stack, str(pipe), "pipe")
        writer.join()
        assert kept.read_bytes() == LINES
    assert not kept.exists()


def test_a_stream_that_cannot_be_read_is_refused(tmp_path):
    with ExitStack() as stack, pytest.raises(BadFileError, match="cannot be kept in a temporary file: Is a") as refused:
        spooled(stack, str(tmp_path), "pipe")
    assert refused.value.code == "not-spooled"
