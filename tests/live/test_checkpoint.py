"""The file of a watch: one process at a time, and nothing left lying about."""

import fcntl
import os

import numpy as np
import pytest

import vieta
from vieta.atomic import PARTIAL
from vieta.errors import BadFileError
from vieta.live.checkpoint import checkpoint


def test_a_filter_comes_back_with_its_notes(tmp_path):
    with checkpoint(tmp_path / "state") as file:
        assert file.load() is None
        file.save(vieta.SymmetricFilter(2, method="rls").partial_fit([[1.0, 2.0]]), {"watch": [1]})
        again = file.load()
    assert again.n_sets == 1
    assert again.notes == {"watch": [1]}
    assert os.listdir(tmp_path) == ["state"]


def test_a_second_process_is_refused(tmp_path):
    with checkpoint(tmp_path / "state"):
        with pytest.raises(BadFileError, match="state is in use by another process"):
            checkpoint(tmp_path / "state").__enter__()
        with checkpoint(tmp_path / "other"):
            pass
    with checkpoint(tmp_path / "state"):
        pass
    assert os.listdir(tmp_path) == []


def test_the_lock_of_a_process_that_ended_meanwhile_is_not_enough(tmp_path, monkeypatch):
    lock, flock, calls = tmp_path / ".state.lock", fcntl.flock, []

    def remove_first(handle, how):
        if not calls:
            lock.unlink()
        calls.append(handle)
        flock(handle, how)

    monkeypatch.setattr("fcntl.flock", remove_first)
    with checkpoint(tmp_path / "state"):
        assert len(calls) == 2
        assert os.path.samestat(os.fstat(calls[1]), lock.stat())


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(tmp_path):
    left = f".state.abcd_123{PARTIAL}"
    others = {
        ".state.previous",
        f".state.abcdefghi{PARTIAL}",
        f"state.abcd_123{PARTIAL}",
        f".other.abcd_123{PARTIAL}",
        "state",
    }
    for name in {".state.lock", left} | others:
        (tmp_path / name).touch()
    (tmp_path / f".state.a_folder{PARTIAL}").mkdir()
    (tmp_path / f".state.the_link{PARTIAL}").symlink_to("state")
    with checkpoint(tmp_path / "state"):
        assert left not in os.listdir(tmp_path)
    assert set(os.listdir(tmp_path)) == others | {f".state.a_folder{PARTIAL}", f".state.the_link{PARTIAL}"}


def test_what_a_killed_save_leaves_is_what_the_next_watch_clears_away(tmp_path, monkeypatch):
    with checkpoint(tmp_path / "state") as file, monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(SystemExit))
        patch.setattr(os, "unlink", lambda *_: None)
        with pytest.raises(SystemExit):
            file.save(vieta.SymmetricFilter(2), {})
    (left,) = {*os.listdir(tmp_path)} - {".state.lock"}
    assert left.endswith(PARTIAL)
    with checkpoint(tmp_path / "state"):
        assert os.listdir(tmp_path) == [".state.lock"]


def test_a_lock_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / ".state.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFileError, match=r"\.state\.lock is a link, and a regular file is needed"):
        checkpoint(tmp_path / "state").__enter__()
    assert os.listdir(tmp_path) == [".state.lock"]


@pytest.mark.parametrize("name", ["state", ".state.lock"])
def test_a_pipe_in_the_place_of_the_state_or_of_its_lock_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(BadFileError, match=f"{name} is a named pipe, and a regular file is needed"):
        checkpoint(tmp_path / "state").__enter__()
    assert os.listdir(tmp_path) == [name]


def test_somebody_elses_file_of_the_name_of_a_lock_stays(tmp_path):
    (tmp_path / ".state.lock").write_text("mine")
    with checkpoint(tmp_path / "state"):
        pass
    assert (tmp_path / ".state.lock").read_text() == "mine"


def test_a_state_keeps_its_mode(tmp_path):
    with checkpoint(tmp_path / "state") as file:
        file.save(vieta.SymmetricFilter(2), {})
        (tmp_path / "state").chmod(0o600)
        file.save(vieta.SymmetricFilter(2), {})
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o600


def test_links_that_lead_in_a_circle_are_said_in_words(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(BadFileError, match="cannot be written: Too many levels of symbolic links"):
        checkpoint(tmp_path / "one").__enter__()


def test_what_is_no_state_is_told_in_words(tmp_path):
    path = tmp_path / "state"
    with checkpoint(path) as file:
        path.write_bytes(b"anything")
        with pytest.raises(
            BadFileError, match=r"state is damaged, or not a filter .* Take another file for state=, or remove"
        ):
            file.load()
        np.savez(tmp_path / "other.npz", a=np.zeros(3))
        path.write_bytes((tmp_path / "other.npz").read_bytes())
        with pytest.raises(ValueError, match="not a filter that vieta saved"):
            file.load()


def test_a_link_to_a_state_stays(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "state")
    with checkpoint(tmp_path / "link") as file:
        file.save(vieta.SymmetricFilter(2), {})
    assert (tmp_path / "link").is_symlink()
    assert os.listdir(tmp_path / "there") == ["state"]


def test_places_that_cannot_be_used_are_told_in_words(tmp_path):
    with pytest.raises(BadFileError, match="state cannot be written: No such file or directory"):
        checkpoint(tmp_path / "nowhere" / "state").__enter__()
    with checkpoint(tmp_path / "state") as file:
        (tmp_path / "state").mkdir()
        with pytest.raises(BadFileError, match="state cannot be read: Is a directory"):
            file.load()
        with pytest.raises(BadFileError, match="state cannot be written: Is a directory"):
            file.save(vieta.SymmetricFilter(2), {})
