"""Regular files are opened, and nothing else in their place is waited for."""

import os
import socket

import pytest

from vieta.errors import BadFileError
from vieta.regular import open_regular


def test_a_regular_file_is_read_through_links_too(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "link").symlink_to("a")
    for name in ("a", "link"):
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"content"


def test_anything_else_is_refused_at_once(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in (("pipe", "a named pipe"), ("zero", "a device")):
            with pytest.raises(BadFileError, match=f"{name} is {kind}, and a regular file is needed") as refused:
                open_regular(tmp_path / name)
            assert refused.value.code == "not-a-regular-file"
        with pytest.raises(OSError, match="No such device or address"):
            open_regular(tmp_path / "socket")


def test_what_cannot_be_opened_is_an_error_of_the_system(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        open_regular(tmp_path / "one")
