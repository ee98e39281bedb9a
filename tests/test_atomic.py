"""Files are replaced whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from vieta.atomic import replacing, write_whole
from vieta.errors import BadFileError


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


def test_a_link_stays_and_leads_to_the_file(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    for content in (b"one", b"two"):
        write_whole(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "file").read_bytes() == content
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


def test_a_device_takes_what_is_written_and_stays_one(tmp_path):
    (tmp_path / "link").symlink_to("/dev/null")
    write_whole(tmp_path / "link", b"content")
    assert Path("/dev/null").is_char_device()
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(BadFileError, match="full cannot be written: No space left on device"):
        write_whole(tmp_path / "full", b"content")


@pytest.mark.parametrize("there", [False, True])
def test_a_file_appears_only_once_all_of_it_is_written(tmp_path, there):
    path = tmp_path / "a"
    if there:
        path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"ne")
        file.flush()
        assert (path.read_bytes() if there else path.exists()) == (b"old" if there else False)
        file.write(b"w")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_is_interrupted_leaves_nothing(tmp_path, error):
    def interrupted():
        with replacing(tmp_path / "a") as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_written_is_said_with_a_code(tmp_path):
    with pytest.raises(BadFileError) as refused:
        write_whole(tmp_path / "nowhere" / "a", b"")
    assert refused.value.code == "unwritable"
    assert refused.value.facts == {"file": str(tmp_path / "nowhere" / "a"), "reason": "No such file or directory"}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_file_that_is_replaced_keeps_its_owner_where_that_is_allowed(tmp_path, monkeypatch):
    path, asked = tmp_path / "a", []
    path.write_bytes(b"old")

    def refuse(_, owner, group):
        asked.append((owner, group))
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    write_whole(path, b"new")
    assert asked == [(-1, path.stat().st_gid), (path.stat().st_uid, -1)]
    assert path.read_bytes() == b"new"


def test_only_a_regular_file_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFileError, match="pipe is a named pipe"), replacing(tmp_path / "pipe"):
        pass
    assert os.listdir(tmp_path) == ["pipe"]


def test_links_that_lead_in_a_circle_are_said_in_words(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(BadFileError, match=r"one cannot be written: Too many levels of symbolic links\."):
        write_whole(tmp_path / "one", b"")
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]
