"""The file of a watch: one process at a time, and nothing left lying about."""

import fcntl
import os

import numpy as np
import pytest

import vieta
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
    names = {".state.lock", ".state.abcd_123", ".state.abcdefghi", "state.abcd_123", ".other.abcd_123", "state"}
    for name in names:
        (tmp_path / name).touch()
    with checkpoint(tmp_path / "state"):
        assert set(os.listdir(tmp_path)) == names - {".state.abcd_123"}


def test_what_is_no_state_is_told_in_words(tmp_path):
    path = tmp_path / "state"
    with checkpoint(path) as file:
        path.write_bytes(b"anything")
        with pytest.raises(
            BadFileError, match=r"state is no saved filter, or it is damaged\. Take another file for state=,"
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
