"""One process compiles, others wait for what it makes; whatever goes wrong, none waits for ever."""

import os

import pytest

from vieta import compile_lock
from vieta.compile_lock import free, taken

pytest.importorskip("fcntl", reason="this system has no locks of files")


def test_the_lock_is_given_once_until_it_is_free(tmp_path):
    path = tmp_path / "kernel"
    assert taken(path, lambda: False)
    assert compile_lock._locked(path.with_name("kernel.lock")) is None
    assert taken(path, lambda: False)  # another thread of this process does not wait
    free(path)
    assert not list(tmp_path.iterdir())
    free(path)


def test_waiting_ends_when_the_file_is_there_or_patience_ends(tmp_path):
    path, asked = tmp_path / "kernel", []
    file = compile_lock._locked(tmp_path / "kernel.lock")  # as if by another process

    def there():
        asked.append(1)
        return len(asked) == 3

    assert not taken(path, there)
    assert taken(path, lambda: False, patience=0.1)  # then it compiles on its own
    os.close(file)
    assert not taken(path, lambda: True)  # made while nobody looked
    assert taken(path, lambda: False)
    free(path)


def test_a_folder_that_cannot_be_written_needs_no_lock(tmp_path):
    assert taken(tmp_path / "none" / "kernel", lambda: False)
    free(tmp_path / "none" / "kernel")
