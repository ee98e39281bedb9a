import os

import pytest

from vieta.io.errors import BadFileError
from vieta.io.whole import write_whole


def test_a_file_is_replaced_at_once(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_nothing_is_left_and_nothing_lost_if_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BadFileError, match=r"a.txt cannot be written: No space left on device\."):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_file_has_the_usual_permissions(tmp_path):
    write_whole(tmp_path / "a", b"")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
