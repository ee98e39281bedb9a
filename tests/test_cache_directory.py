"""Where kernels are kept, in every situation: a file in the way of a folder is as unwritable for root as for others."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from vieta import cache_directory as module
from vieta.cache_directory import cache_directory, candidates

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of files")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """A folder in the place of that of the system."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(module, "TEMPORARY", (str(folder),))
    return folder


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    return folder


@pytest.fixture
def sealed(tmp_path):
    """A package that cannot be written."""
    path = tmp_path / "sealed"
    path.write_text("no folder")
    return path


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def nowhere(tmp_path):
    """A path below which nothing can be made."""
    path = tmp_path / "nowhere"
    path.write_text("no folder")
    return path


def test_the_package_keeps_its_kernels_if_it_can(package, home):
    place = cache_directory({"HOME": str(home)}, package)
    assert place.kind == "package"
    assert place.path == package / "__pycache__" / "kernels"
    assert place.path.is_dir()
    assert list(home.iterdir()) == []


def test_the_folder_that_numba_is_given_comes_first(package, home, tmp_path):
    place = cache_directory({"HOME": str(home), "NUMBA_CACHE_DIR": str(tmp_path / "mine")}, package)
    assert place.kind == "given"
    assert place.path.parent == tmp_path / "mine"
    assert place.path.is_dir()


def test_a_given_folder_that_cannot_be_written_is_passed_over(package, nowhere):
    assert cache_directory({"NUMBA_CACHE_DIR": str(nowhere / "x")}, package).kind == "package"


@pytest.mark.skipif(sys.platform != "linux", reason="the custom of Linux")
def test_a_package_that_cannot_be_written_leaves_it_to_the_user(sealed, home, tmp_path):
    place = cache_directory({"HOME": str(home)}, sealed)
    assert place.kind == "user"
    assert place.path.parent == home / ".cache" / "vieta"
    elsewhere = cache_directory({"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "xdg")}, sealed)
    assert elsewhere.path.parent == tmp_path / "xdg" / "vieta"
    assert elsewhere.path.is_dir()
    relative = cache_directory({"HOME": str(home), "XDG_CACHE_HOME": "xdg"}, sealed)
    assert relative == place  # a relative one does not count


@posix
def test_without_the_variable_the_home_is_that_of_the_account(sealed, home, monkeypatch):
    monkeypatch.setenv("HOME", str(home))
    places = {place.kind: place.path for place in candidates({}, sealed)}
    assert places["user"].is_relative_to(home)
    monkeypatch.setattr(module, "_home_of_account", lambda: "")
    assert "user" not in {place.kind for place in candidates({}, sealed)}


@posix
def test_without_a_home_that_can_be_written_there_is_a_private_temporary_folder(sealed, nowhere, tmp_path):
    environ = {"HOME": str(nowhere), "TMPDIR": str(tmp_path)}
    place = cache_directory(environ, sealed)
    assert place.kind == "temporary"
    outer = place.path.parent
    assert outer.parent == tmp_path
    assert str(os.getuid()) in outer.name
    assert [stat.S_IMODE(path.stat().st_mode) for path in (outer, place.path)] == [0o700, 0o700]
    assert cache_directory(environ, sealed) == place  # a second process finds it


@posix
def test_a_folder_for_temporary_files_that_cannot_be_written_is_passed_over(sealed, nowhere, temporary):
    place = cache_directory({"HOME": str(nowhere), "TMPDIR": str(nowhere)}, sealed)
    assert place.kind == "temporary"
    assert place.path.is_relative_to(temporary)


def test_there_may_be_no_place(sealed, nowhere, monkeypatch):
    monkeypatch.setattr(module, "TEMPORARY", (str(nowhere),))
    assert cache_directory({"HOME": str(nowhere)}, sealed) is None


@posix
@pytest.mark.parametrize("environment", [["TMPDIR"], ["HOME"]])
def test_folders_of_others_and_links_are_refused(sealed, nowhere, tmp_path, monkeypatch, environment):
    """Code is loaded from there: nobody else may have put it there."""
    folder = tmp_path / "base"
    folder.mkdir()
    environ = {"HOME": str(nowhere), "TMPDIR": str(nowhere)} | dict.fromkeys(environment, str(folder))

    def usable():
        place = cache_directory(environ, sealed)
        return place is not None and place.path.is_relative_to(folder)

    assert usable()
    made = cache_directory(environ, sealed).path
    made.chmod(0o722)
    assert not usable()
    made.chmod(0o700)
    assert usable()
    made.rename(tmp_path / "elsewhere")
    made.symlink_to(tmp_path / "elsewhere")
    assert not usable()
    made.unlink()
    (tmp_path / "elsewhere").rename(made)
    assert usable()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert not usable()


@posix
def test_a_temporary_folder_that_others_could_replace_is_refused(sealed, nowhere, tmp_path):
    base = tmp_path / "base"
    base.mkdir()
    environ = {"HOME": str(nowhere), "TMPDIR": str(base)}
    base.chmod(0o777)
    assert not cache_directory(environ, sealed).path.is_relative_to(base)
    base.chmod(0o1777)
    assert cache_directory(environ, sealed).path.is_relative_to(base)


def test_two_installations_share_no_folder(tmp_path):
    first, second = (list(candidates({"HOME": str(tmp_path)}, tmp_path / name)) for name in "ab")
    assert {place.path for place in first}.isdisjoint(place.path for place in second)


def test_kernels_that_came_with_the_package_are_found_where_nothing_can_be_written(tmp_path):
    """As in an image: compiled by whoever built it, run by somebody else."""
    code = "from vieta.cache_directory import PACKAGE, chosen, readable; print(chosen().kind, PACKAGE / '__pycache__/kernels' in readable())"
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split() == ["given", "True"]


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root writes everywhere")
def test_modes_that_forbid_writing_count(package, home):
    package.chmod(0o500)
    home.chmod(0o500)
    assert cache_directory({"HOME": str(home)}, package).kind == "temporary"
    home.chmod(0o700)
    assert cache_directory({"HOME": str(home)}, package).kind == "user"
    package.chmod(0o700)
    assert cache_directory({"HOME": str(home)}, package).kind == "package"


def test_nothing_is_looked_up_twice(monkeypatch):
    module.chosen()
    monkeypatch.setattr(module, "cache_directory", lambda *_: pytest.fail("again"))
    assert module.chosen() is module.chosen()
    assert all(isinstance(path, Path) for path in module.readable())
